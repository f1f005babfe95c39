#include "hls/compiler/loops/machine_ports.h"

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/ir/operations.h"

namespace systole::compiler {

Leaf MachinePorts::leaf(const std::string& name, unsigned width) {
  Leaf one;
  one.name = name;
  one.width = width;
  one.size_bytes = (width + 7) / 8;
  return one;
}

int MachinePorts::add_input(const Leaf& input) {
  machine_.module.inputs.push_back(input);
  return static_cast<int>(machine_.module.inputs.size()) - 1;
}

llvm::Value* MachinePorts::input(int number) {
  llvm::Value*& read = inputs_[number];
  if (!read) {
    const Leaf& one = machine_.module.inputs[static_cast<std::size_t>(number)];
    read = emit_operation(builder_, Operation::kReadPort, builder_.getIntNTy(one.width),
                          {builder_.getInt32(static_cast<unsigned>(number)), builder_.getInt32(0)});
    read->setName(one.name);
  }
  return read;
}

void MachinePorts::add_output(const Leaf& output, llvm::Value* value) {
  machine_.module.outputs.push_back(output);
  emit_operation(builder_, Operation::kWritePort, nullptr,
                 {builder_.getInt32(static_cast<unsigned>(machine_.module.outputs.size()) - 1),
                  builder_.getInt32(0), value});
}

int MachinePorts::add_instance(const std::string& name, const ChildModule& module, int depth,
                               const std::vector<Leaf>& inputs, const std::vector<Leaf>& outputs) {
  Leaf one = leaf(name, 0);
  one.kind = LeafKind::kInstance;
  machine_.module.state.push_back(one);
  const int at = static_cast<int>(machine_.module.state.size()) - 1;
  machine_.module.instances[at] = {.clock_function = "",
                                   .is_reset = module.has_reset,
                                   .shows_registers = true,
                                   .inputs = inputs,
                                   .outputs = outputs};
  machine_.depths[at] = depth;
  machine_.cells[at] = module;
  return at;
}

llvm::Value* MachinePorts::output_of(int instance, int field) {
  llvm::Value*& value = outputs_[{instance, field}];
  if (value) return value;
  const Leaf& one = machine_.module.instances.at(instance).outputs[static_cast<std::size_t>(field)];
  value = emit_operation(builder_, Operation::kInstanceOutput, builder_.getIntNTy(one.width),
                         {builder_.getInt32(static_cast<unsigned>(instance)),
                          builder_.getInt32(static_cast<unsigned>(field)), builder_.getInt32(0)});
  return value;
}

void MachinePorts::drive(int instance, int field, llvm::Value* value) {
  emit_operation(builder_, Operation::kInstanceInput, nullptr,
                 {builder_.getInt32(static_cast<unsigned>(instance)),
                  builder_.getInt32(static_cast<unsigned>(field)), builder_.getInt32(0), value});
}

}  // namespace systole::compiler
