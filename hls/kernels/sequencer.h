#pragma once

#include "hls/kernels/engine.h"

namespace systole::kernels {

/// Checks each command, hands it to its engine's queue, and does fences itself. Commands reach
/// their engines in the order of the ring, so a shape that has passed here is set when its user
/// starts.
///
/// Timing   two clocks a command; one that finds its queue full waits and holds up those after it
/// Limits   `stop` follows `fault` in the clock after it, and stays until `clear`
/// Errors   illegal_command and missing_shape, with the command's index. Nothing after the refused
///          command is handed on, and with `stop` no fence is passed
template <int kN>
class Sequencer {
 public:
  struct Inputs {
    Beat<Command> command;  ///< from the fetcher
    UInt1 load_ready;
    UInt1 compute_ready;
    UInt1 store_ready;
    UInt1 vector_ready;
    UInt1 engines_done;  ///< every queue is empty and every engine idle
    UInt1 resume;        ///< the host lets a fence pass
    UInt1 stop;   ///< drop what comes, pass no fence; what an engine is offered stays offered
    UInt1 clear;  ///< count from 0 again, forget the shapes
  };
  struct Outputs {
    UInt1 command_ready;
    Beat<Command> load;     ///< to the load engine
    Beat<Command> compute;  ///< to the compute engine
    Beat<Command> store;    ///< to the store engine
    Beat<Command> vector;   ///< to the vector engine
    CommandIndex head;      ///< commands handed on
    UInt1 handed_on;        ///< a command was handed on at the last edge
    UInt1 idle;             ///< no command is held
    UInt1 waits_for_host;   ///< a fence waits for the host
    UInt1 fence;            ///< for one clock: a fence that interrupts has been passed
    UInt32 marker;          ///< of the last fence
    EngineFault fault;      ///< the fault that stops the device
  };

  Outputs outputs() const {
    return {.command_ready = as_bit(target_ == kNone),
            .load = {.valid = as_bit(target_ == kLoad), .data = held_},
            .compute = {.valid = as_bit(target_ == kCompute), .data = held_},
            .store = {.valid = as_bit(target_ == kStore), .data = held_},
            .vector = {.valid = as_bit(target_ == kVector), .data = held_},
            .head = head_,
            .handed_on = handed_on_,
            .idle = as_bit(target_ == kNone),
            .waits_for_host = as_bit(target_ == kHost),
            .fence = fence_,
            .marker = marker_,
            .fault = fault_};
  }

  void clock(const Inputs& in) {
    const FenceCommand fence = decode_fence(held_.word);
    const bool fence_done = target_ == kFence && in.engines_done && !in.stop;
    const bool resumes = target_ == kHost && in.resume && !in.stop;
    const bool handed_on =
        (target_ == kLoad && in.load_ready) || (target_ == kCompute && in.compute_ready) ||
        (target_ == kStore && in.store_ready) || (target_ == kVector && in.vector_ready) ||
        (fence_done && !fence.wait_for_host) || resumes;
    fence_ = as_bit(fence_done && fence.interrupt);
    if (fence_done) marker_ = fence.marker;
    handed_on_ = as_bit(handed_on);
    if (handed_on) head_ = truncate<CommandIndex>(head_ + UInt1(1));

    const bool takes = target_ == kNone && in.command.valid;
    const bool legal = is_legal<kN>(in.command.data.word);
    const bool has_shapes = (shapes_needed_by(in.command.data.word) & ~shapes_) == 0;
    // What follows a refused command is dropped, also in the clock before the device stops.
    const bool drops = in.stop || fault_.raised;
    const bool accepted = takes && legal && has_shapes && !drops;
    fault_ = {.raised = as_bit(takes && !accepted && !drops),
              .code = legal ? UInt<4>(kFaultMissingShape) : UInt<4>(kFaultIllegalCommand),
              .command = in.command.data.index,
              .address = Address(0)};
    if (fence_done && fence.wait_for_host) target_ = kHost;
    const bool waits = target_ == kFence || target_ == kHost;
    if (handed_on || (waits && in.stop)) target_ = kNone;
    if (accepted) {
      target_ = target_of(in.command.data.word);
      shapes_ = shapes_ | shapes_set_by(in.command.data.word);
    }
    if (takes) held_ = in.command.data;
    if (in.clear) {
      head_ = CommandIndex(0);
      marker_ = UInt32(0);
      shapes_ = UInt<kShapes>(0);
    }
  }

  void reset() {
    target_ = kNone;
    head_ = CommandIndex(0);
    marker_ = UInt32(0);
    shapes_ = UInt<kShapes>(0);
    handed_on_ = UInt1(0);
    fence_ = UInt1(0);
    fault_.raised = UInt1(0);
  }

 private:
  /// Where the command that is held must go; kHost is a fence that waits for the host.
  enum Target { kFence, kLoad, kCompute, kStore, kVector, kHost, kNone };

  /// The upper half of an opcode is its engine's number.
  static Target target_of(const CommandWord& word) {
    static_assert(kOpcodeFence / 16 == kFence && kOpcodeLoad / 16 == kLoad &&
                  kOpcodeMatmul / 16 == kCompute && kOpcodeStore / 16 == kStore &&
                  kOpcodeVectorRun / 16 == kVector);
    return static_cast<Target>(static_cast<int>(slice<6, 4>(word).raw()));
  }

  Target target_;
  Command held_;
  CommandIndex head_;
  UInt<kShapes> shapes_;  ///< that commands since reset have set
  UInt1 handed_on_;
  UInt1 fence_;
  UInt32 marker_;
  EngineFault fault_;
};

}  // namespace systole::kernels
