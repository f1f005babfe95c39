#include "hls/compiler/emit/instances.h"

#include <fmt/format.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <set>

#include "hls/compiler/emit/identifier.h"
#include "hls/compiler/emit/vector_writes.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

using FieldWrites = std::map<std::pair<int, std::int64_t>, std::vector<ElementWrite>>;

FieldWrites collect_inputs(const llvm::Function& clock) {
  FieldWrites inputs;
  for (const llvm::Instruction& instruction : llvm::instructions(clock)) {
    if (!is_operation(instruction, Operation::kInstanceInput)) continue;
    inputs[{leaf_of(instruction), constant_argument(instruction, 1)}].push_back(
        {constant_argument(instruction, 2), instruction.getOperand(3)});
  }
  return inputs;
}

/// The connection of an input port: an existing signal, or a wire declared for it.
std::string connected_input(const std::string& instance, const Leaf& port,
                            std::vector<ElementWrite> writes, const ExpressionPrinter& printer,
                            Names& names, Writer& writer) {
  for (ElementWrite& write : writes) write.leaf = &port;
  const std::string wire = names.unique(instance + "_" + without_underscore(port.name));
  const std::vector<std::string> lines =
      write_vector(wire, "=", port.width, port.elements(), writes, printer);
  const std::string start = wire + " = ";
  if (lines.size() == 1 && lines[0].rfind(start, 0) == 0 &&
      lines[0].find(' ', start.size()) == std::string::npos) {
    return lines[0].substr(start.size(), lines[0].size() - start.size() - 1);
  }
  writer.line(fmt::format("{} {};", logic_type(port), wire));
  for (const std::string& line : lines) writer.line("assign " + line);
  return wire;
}

}  // namespace

std::map<int, InstanceNames> name_instances(const LoweredModule& module, Names& names) {
  std::set<std::pair<int, std::int64_t>> read;
  for (const llvm::Instruction& instruction : llvm::instructions(*module.clock)) {
    if (!is_operation(instruction, Operation::kInstanceOutput)) continue;
    read.insert({leaf_of(instruction), constant_argument(instruction, 1)});
  }
  std::map<int, InstanceNames> instances;
  for (const auto& [leaf, instance] : module.instances) {
    InstanceNames& one = instances[leaf];
    one.name = names.unique(without_underscore(module.state[leaf].name));
    for (std::size_t field = 0; field < instance.outputs.size(); ++field) {
      const std::string name = one.name + "_" + without_underscore(instance.outputs[field].name);
      // An unread output says so in its name, so that lint accepts it.
      one.outputs.push_back(names.unique(read.count({leaf, field}) != 0 ? name : "unused_" + name));
    }
  }
  return instances;
}

void emit_instances(const LoweredModule& module, const std::map<int, ChildModule>& children,
                    const std::map<int, InstanceNames>& instances, const ExpressionPrinter& printer,
                    Names& names, Writer& writer) {
  FieldWrites inputs = collect_inputs(*module.clock);
  for (const auto& [leaf, instance] : module.instances) {
    const ChildModule& child = children.at(leaf);
    const InstanceNames& named = instances.at(leaf);
    std::vector<std::string> connections = {".clk_i(clk_i)"};
    if (child.has_reset) {
      connections.push_back(instance.is_reset ? ".rst_ni(rst_ni)" : ".rst_ni(1'b1)");
    }
    writer.blank();
    writer.line(fmt::format("// ---- {} ----", named.name));
    for (std::size_t field = 0; field < instance.inputs.size(); ++field) {
      const Leaf& port = instance.inputs[field];
      connections.push_back(fmt::format(
          ".{}_i({})", identifier(without_underscore(port.name)),
          connected_input(named.name, port, inputs[{leaf, static_cast<std::int64_t>(field)}],
                          printer, names, writer)));
    }
    for (std::size_t field = 0; field < instance.outputs.size(); ++field) {
      connections.push_back(
          fmt::format(".{}_o({})", identifier(without_underscore(instance.outputs[field].name)),
                      named.outputs[field]));
    }
    writer.line(fmt::format("{} {}u_{} (", child.name, child.parameters, named.name));
    Writer ports = writer.nested();
    for (std::size_t i = 0; i < connections.size(); ++i) {
      ports.line(connections[i] + (i + 1 < connections.size() ? "," : ""));
    }
    writer.append(ports);
    writer.line(");");
  }
}

}  // namespace systole::compiler
