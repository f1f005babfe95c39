#include "hls/compiler/emit/instances.h"

#include <fmt/format.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
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
        {constant_argument(instruction, 2), instruction.getOperand(3), nullptr, &instruction});
  }
  return inputs;
}

/// A short expression needs no wire for its port.
constexpr std::size_t kShortConnection = 40;
constexpr const char* kClock = "clk_i";  // the group of clock and reset

/// The connection of an input port: an existing signal, a short expression, or a wire declared for
/// it.
sv::Expression connected_input(const std::string& instance, const Leaf& port,
                               std::vector<ElementWrite> writes, const ExpressionBuilder& printer,
                               Names& names, sv::Statements& out) {
  for (ElementWrite& write : writes) write.leaf = &port;
  const std::string wire = names.unique(instance + "_" + without_underscore(port.name));
  const std::vector<VectorWrite> written =
      write_vector(wire, port.width, port.elements(), writes, printer);
  if (written.size() == 1 && written[0].target == sv::Expression(wire)) {
    if (to_text(written[0].value).size() <= kShortConnection) return written[0].value;
    out.define(wire, bits_of(port), written[0].value);
    return wire;
  }
  out.add(sv::declaration(wire, bits_of(port)));
  for (const VectorWrite& write : written) out.connect(write.target, write.value);
  return wire;
}

/// The stream or the struct of the source that the port is a part of; "" for none.
std::string outer_of(const Leaf& port) {
  if (!port.stream.empty()) return port.stream;
  return port.position == port.outer_position ? "" : port.outer;
}

/// The same, and a stream's for its ready.
std::string group_of(const Instance& instance, const Leaf& port) {
  for (const std::vector<Leaf>& all : {instance.inputs, instance.outputs}) {
    for (const Leaf& one : all) {
      const std::string outer = outer_of(one);
      if (!outer.empty() && port.name == outer + "_ready") return outer;
    }
  }
  return outer_of(port);
}

/// Moves the ports of a group to its first one.
void gather_groups(std::vector<sv::Statement::Port>& ports) {
  for (auto one = ports.begin(); one != ports.end();) {
    const std::string group = one->group;
    ++one;
    if (group.empty()) continue;
    one = std::stable_partition(one, ports.end(),
                                [&](const auto& other) { return other.group == group; });
  }
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
                    const std::map<int, InstanceNames>& instances, const ExpressionBuilder& printer,
                    Names& names, sv::Statements& out) {
  FieldWrites inputs = collect_inputs(*module.clock);
  if (!module.instances.empty()) out.line("// ---- Submodules ----");
  for (const auto& [leaf, instance] : module.instances) {
    const ChildModule& child = children.at(leaf);
    const InstanceNames& named = instances.at(leaf);
    sv::Statement made{.kind = sv::Statement::Kind::kInstance,
                       .text = child.name + " " + child.parameters,
                       .label = "u_" + named.name,
                       .ports = {{.name = "clk_i", .value = "clk_i", .group = kClock}}};
    if (child.has_reset) {
      const sv::Expression none = sv::literal_of(llvm::APInt(1, 1));
      made.ports.push_back({.name = "rst_ni",
                            .value = instance.is_reset ? sv::Expression("rst_ni") : none,
                            .group = kClock});
    }
    if (leaf != module.instances.begin()->first) out.blank();
    for (std::size_t field = 0; field < instance.inputs.size(); ++field) {
      const Leaf& port = instance.inputs[field];
      made.ports.push_back({.name = identifier(without_underscore(port.name)) + "_i",
                            .value = connected_input(
                                named.name, port, inputs[{leaf, static_cast<std::int64_t>(field)}],
                                printer, names, out),
                            .width = bits_of(port),
                            .group = group_of(instance, port)});
    }
    for (std::size_t field = 0; field < instance.outputs.size(); ++field) {
      const Leaf& port = instance.outputs[field];
      made.ports.push_back({.name = identifier(without_underscore(port.name)) + "_o",
                            .value = named.outputs[field],
                            .width = bits_of(port),
                            .group = group_of(instance, port)});
    }
    gather_groups(made.ports);
    out.add(std::move(made));
  }
}

}  // namespace systole::compiler
