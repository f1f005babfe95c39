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
                            const std::vector<Leaf>& outputs) {
  std::int64_t width = 0;
  for (const Leaf& output : outputs) {
    if (output.name == cell.word) width = output.width * output.elements();
  }
  if (!cell.has_depth) return fmt::format("#(.Width({})) ", width);
  return fmt::format("#(.Width({}), .Depth({})) ", width, template_integers(type).back());
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
