#include "hls/compiler/frontend/cell_types.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include "hls/compiler/support/source.h"

namespace systole::compiler {

const std::vector<CellType>& cell_types() {
  static const std::vector<CellType> types = {
      {.type = "Ram",
       .module = "systole_ram",
       .inputs = {"read_enable", "read_address", "write_enable", "write_address", "write_data"},
       .outputs = {"read_data"},
       .word = "read_data",
       .has_depth = true,
       .has_reset = false},
      {.type = "MaskedRam",
       .module = "systole_masked_ram",
       .inputs = {"read_enable", "read_address", "write_mask", "write_address", "write_data"},
       .outputs = {"read_data"},
       .word = "read_data",
       .has_depth = true,
       .has_reset = false,
       .mask = "write_mask"},
      {.type = "SinglePortRam",
       .module = "systole_single_port_ram",
       .inputs = {"enable", "write_enable", "address", "write_data"},
       .outputs = {"read_data"},
       .word = "read_data",
       .has_depth = true,
       .has_reset = false},
      {.type = "DualPortRam",
       .module = "systole_dual_port_ram",
       .inputs = {"a_enable", "a_write_enable", "a_address", "a_write_data", "b_enable",
                  "b_address"},
       .outputs = {"a_read_data", "b_read_data"},
       .word = "a_read_data",
       .has_depth = true,
       .has_reset = false},
      {.type = "Rom",
       .module = "systole_rom",
       .inputs = {"enable", "address"},
       .outputs = {"read_data"},
       .word = "read_data",
       .has_depth = false,
       .has_reset = false},
      {.type = "Fifo",
       .module = "systole_fifo",
       .inputs = {"push_valid", "push_data", "pop_ready"},
       .outputs = {"push_ready", "pop_valid", "pop_data"},
       .word = "pop_data",
       .has_depth = true,
       .has_reset = true},
      {.type = "RegisterSlice",
       .module = "systole_register_slice",
       .inputs = {"push_valid", "push_data", "pop_ready"},
       .outputs = {"push_ready", "pop_valid", "pop_data"},
       .word = "pop_data",
       .has_depth = false,
       .has_reset = true},
  };
  return types;
}

const CellType* cell_type(const llvm::DICompositeType* type) {
  if (!type || !is_type_layer(type->getFilename())) return nullptr;
  const llvm::StringRef name = type->getName().take_until([](char c) { return c == '<'; });
  for (const CellType& cell : cell_types()) {
    if (name == cell.type) return &cell;
  }
  return nullptr;
}

std::string cell_parameters(const CellType& cell, const llvm::DICompositeType* type,
                            const std::vector<Leaf>& inputs, const std::vector<Leaf>& outputs,
                            const std::vector<std::string>& words) {
  const auto bits_of = [](const std::vector<Leaf>& ports, const std::string& name) {
    for (const Leaf& port : ports) {
      if (port.name == name) return port.width * port.elements();
    }
    return std::int64_t{0};
  };
  std::string list = fmt::format(".Width({})", bits_of(outputs, cell.word));
  if (cell.has_depth) list += fmt::format(", .Depth({})", template_integers(type).back());
  if (cell.mask) list += fmt::format(", .Lanes({})", bits_of(inputs, cell.mask));
  if (!words.empty()) {
    const std::vector<std::string> highest_first(words.rbegin(), words.rend());
    list +=
        fmt::format(", .Depth({}), .Init({{{}}})", words.size(), fmt::join(highest_first, ", "));
  }
  return fmt::format("#({}) ", list);
}

std::vector<InstancePort> instance_ports(const std::vector<Leaf>& leaves,
                                         const std::vector<const char*>* cell_ports) {
  std::vector<InstancePort> ports;
  if (!cell_ports) {
    for (const Leaf& leaf : leaves) ports.push_back({leaf, {leaf}});
    return ports;
  }
  for (const std::string name : *cell_ports) {
    InstancePort one;
    std::int64_t width = 0;
    for (const Leaf& leaf : leaves) {
      if (leaf.name != name && !leaf.name.starts_with(name + "_")) continue;
      one.parts.push_back(leaf);
      width += leaf.width * leaf.elements();
    }
    if (one.parts.empty()) continue;
    one.port = one.parts[0];
    if (one.parts.size() > 1) {
      one.port.width = static_cast<unsigned>(width);
      one.port.dimensions.clear();
    }
    one.port.name = name;
    ports.push_back(one);
  }
  return ports;
}

}  // namespace systole::compiler
