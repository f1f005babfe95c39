#include "hls/compiler/loops/machine_streams.h"

#include <fmt/format.h>

namespace systole::compiler {
namespace {

enum SliceInput { kPushValid, kPushData, kPopReady };
enum SliceOutput { kPushReady, kPopValid, kPopData };

}  // namespace

MachineStreams::MachineStreams(const std::vector<KernelStream>& streams, const MachineAxi& axi,
                               MachinePorts& ports)
    : streams_(streams), ports_(ports) {
  for (int i = 0; i < static_cast<int>(streams.size()); ++i) {
    const KernelStream& stream = streams[static_cast<std::size_t>(i)];
    if (!stream.is_used) continue;
    ends_[i] = stream.role == StreamRole::kPort ? add_slice(stream) : axi.end(stream);
  }
}

StreamEnd MachineStreams::add_slice(const KernelStream& stream) {
  const unsigned width = stream.element.width;
  const int slice = ports_.add_instance(
      stream.element.name,
      {.name = "systole_register_slice",
       .parameters = fmt::format("#(.Width({})) ", width),
       .has_reset = true},
      2,
      {MachinePorts::leaf("push_valid", 1), MachinePorts::leaf("push_data", width),
       MachinePorts::leaf("pop_ready", 1)},
      {MachinePorts::leaf("push_ready", 1), MachinePorts::leaf("pop_valid", 1),
       MachinePorts::leaf("pop_data", width)});
  if (stream.is_input) {
    return {.instance = slice, .there = kPopValid, .transfer = kPopReady, .data = kPopData};
  }
  return {.instance = slice,
          .there = kPushReady,
          .transfer = kPushValid,
          .fields = {{kPushData, 0, width}}};
}

void MachineStreams::pop(int stream, llvm::Value* when) {
  uses_[stream].push_back({when, nullptr});
}

void MachineStreams::push(int stream, llvm::Value* when, llvm::Value* value) {
  uses_[stream].push_back({when, value});
}

llvm::Value* MachineStreams::popped(int stream) {
  const StreamEnd& end = ends_.at(stream);
  return end.data < 0 ? ports_.builder().getFalse() : ports_.output_of(end.instance, end.data);
}

llvm::Value* MachineStreams::wanted(int stream) const {
  llvm::Value* any = ports_.builder().getFalse();
  const auto found = uses_.find(stream);
  if (found == uses_.end()) return any;
  for (const Use& use : found->second) any = ports_.builder().CreateOr(any, use.when);
  return any;
}

llvm::Value* MachineStreams::moves() {
  llvm::IRBuilder<>& builder = ports_.builder();
  llvm::Value* all = nullptr;
  for (const auto& [stream, uses] : uses_) {
    const StreamEnd& end = ends_.at(stream);
    llvm::Value* there = ports_.output_of(end.instance, end.there);
    llvm::Value* goes = builder.CreateOr(builder.CreateNot(wanted(stream)), there);
    all = all ? builder.CreateAnd(all, goes) : goes;
  }
  return all;
}

void MachineStreams::drive(llvm::Value* moves, llvm::Value* idle) {
  llvm::IRBuilder<>& builder = ports_.builder();
  for (const auto& [number, end] : ends_) {
    const KernelStream& stream = streams_[static_cast<std::size_t>(number)];
    if (end.transfer >= 0) {
      llvm::Value* wants = wanted(number);
      if (moves) wants = builder.CreateAnd(wants, moves);
      if (stream.is_emptied) wants = builder.CreateOr(wants, idle);
      ports_.drive(end.instance, end.transfer, wants);
    }
    const auto used = uses_.find(number);
    for (const StreamEnd::Field& field : end.fields) {
      llvm::Value* value = llvm::ConstantInt::get(builder.getIntNTy(stream.element.width), 0);
      if (used != uses_.end()) {
        value = used->second.back().value;
        for (std::size_t use = used->second.size() - 1; use-- > 0;) {
          value = builder.CreateSelect(used->second[use].when, used->second[use].value, value);
        }
      }
      if (field.low > 0) value = builder.CreateLShr(value, field.low);
      ports_.drive(end.instance, field.input,
                   builder.CreateTrunc(value, builder.getIntNTy(field.width)));
    }
    if (stream.role == StreamRole::kPort) drive_port(stream, end);
  }
}

void MachineStreams::drive_port(const KernelStream& stream, const StreamEnd& end) {
  const std::string& name = stream.element.name;
  const unsigned width = stream.element.width;
  const auto port = [&](const char* role, unsigned bits) {
    Leaf leaf = MachinePorts::leaf(name + "_" + role, bits);
    leaf.stream = name;
    leaf.stream_of = stream.element.stream_of;
    return leaf;
  };
  if (stream.is_input) {
    ports_.drive(end.instance, kPushValid, ports_.input(ports_.add_input(port("valid", 1))));
    ports_.drive(end.instance, kPushData, ports_.input(ports_.add_input(port("data", width))));
    ports_.add_output(MachinePorts::leaf(name + "_ready", 1),
                      ports_.output_of(end.instance, kPushReady));
  } else {
    ports_.drive(end.instance, kPopReady,
                 ports_.input(ports_.add_input(MachinePorts::leaf(name + "_ready", 1))));
    ports_.add_output(port("valid", 1), ports_.output_of(end.instance, kPopValid));
    ports_.add_output(port("data", width), ports_.output_of(end.instance, kPopData));
  }
}

}  // namespace systole::compiler
