#pragma once

#include "hls/kernels/engine.h"

namespace systole::kernels {

/// What an engine tells the supervisor: idle, or waiting for a token with this command.
struct EngineState {
  UInt1 idle;                    ///< and its queue is empty
  UInt1 waits;                   ///< for a token
  CommandIndex waiting_command;  ///< index of the command that waits
};

/// Keeps the first fault and stops the device, carries a reset through, finds deadlocks, and knows
/// whether the device is busy.
///
/// Timing   a deadlock is reported kPatience clocks after the last thing moved
class Supervisor {
 public:
  /// Longer than anything that ends by itself takes without a transaction on the bus: the way of a
  /// row through the array and the accumulators.
  static constexpr int kPatience = kFaultTokenUnderflowClocks;

  struct Inputs {
    EngineFault fetcher;    ///< a fault of the fetcher
    EngineFault sequencer;  ///< a fault of the sequencer
    EngineFault load;       ///< a fault of the load engine
    EngineFault store;      ///< a fault of the store engine
    EngineFault vector;     ///< a fault of the vector engine
    UInt1 token_overflow;   ///< one token too many
    CommandIndex head;      ///< commands handed on

    EngineState load_state;     ///< what the load engine does
    EngineState compute_state;  ///< what the compute engine does
    EngineState store_state;    ///< what the store engine does
    EngineState vector_state;   ///< what the vector engine does
    UInt1 front_idle;           ///< fetcher and sequencer hold nothing
    UInt1 ring_empty;           ///< every command of the ring has been fetched
    UInt1 bus_idle;             ///< no transaction is under way
    UInt1 draining;             ///< a stopped core has dropped a neighbour's beat
    UInt1 handed_on;            ///< a command went to an engine
    UInt1 waits_for_host;       ///< a fence waits for the host
    UInt1 reset;                ///< the host asks for a reset
  };
  struct Outputs {
    UInt1 stop;             ///< a fault or a reset: the engines drop what they can
    UInt1 clear;            ///< for one clock, at the end of a reset
    UInt1 busy;             ///< commands are left or under way
    UInt<4> status;         ///< resetting, waits for the host, fault, busy
    EngineFault fault;      ///< the first fault
    UInt1 done_interrupt;   ///< the device has become idle
    UInt1 fault_interrupt;  ///< a fault was met
  };

  Outputs outputs() const {
    return {.stop = stop_,
            .clear = clear_,
            .busy = busy_,
            .status = concat(concat(resetting_, waits_for_host_), concat(fault_.raised, busy_)),
            .fault = fault_,
            .done_interrupt = done_,
            .fault_interrupt = faulted_};
  }

  void clock(const Inputs& in) {
    const bool engines_idle = in.load_state.idle && in.compute_state.idle && in.store_state.idle &&
                              in.vector_state.idle && in.bus_idle;
    const bool all_idle = engines_idle && in.front_idle;
    const bool was_busy = static_cast<bool>(busy_);
    // While `clear` is out, the ring's tail is still that of the program that was dropped.
    const bool dropped = fault_.raised || resetting_ || clear_;
    const bool finished = all_idle && (in.ring_empty || dropped);
    busy_ = as_bit(!finished);
    waits_for_host_ = in.waits_for_host;

    const bool faulted = static_cast<bool>(fault_.raised);
    keep_first(in.vector);
    keep_first(in.store);
    keep_first(in.load);
    keep_first(in.sequencer);
    keep_first(in.fetcher);
    if (in.token_overflow) keep_first(fault_here(kFaultTokenOverflow, in.head));
    if (is_stuck(in)) keep_first(fault_here(kFaultTokenUnderflow, waiting(in)));
    faulted_ = as_bit(!faulted && fault_.raised);
    done_ = as_bit(was_busy && finished && !fault_.raised && !resetting_);

    // What an engine does about `stop` shows a clock later.
    const bool is_reset = resetting_ && stopped_ && all_idle && !in.draining;
    stopped_ = stop_;
    clear_ = as_bit(is_reset);
    if (is_reset) fault_ = none();
    resetting_ = as_bit(in.reset || (resetting_ && !is_reset));
    stop_ = fault_.raised | resetting_;
  }

  void reset() {
    fault_ = none();
    resetting_ = UInt1(0);
    stop_ = UInt1(0);
    stopped_ = UInt1(0);
    clear_ = UInt1(0);
    busy_ = UInt1(0);
    waits_for_host_ = UInt1(0);
    done_ = UInt1(0);
    faulted_ = UInt1(0);
    patience_ = UInt<10>(0);
  }

 private:
  /// The host may read all of it at any time, so all of it starts as 0.
  static EngineFault none() {
    return {.raised = UInt1(0),
            .code = UInt<4>(kFaultNone),
            .command = CommandIndex(0),
            .address = Address(0)};
  }
  static EngineFault fault_here(int code, const CommandIndex& command) {
    return {.raised = UInt1(1),
            .code = UInt<4>::from(static_cast<unsigned>(code)),
            .command = command,
            .address = Address(0)};
  }
  static CommandIndex waiting(const Inputs& in) {
    if (in.load_state.waits) return in.load_state.waiting_command;
    if (in.compute_state.waits) return in.compute_state.waiting_command;
    if (in.store_state.waits) return in.store_state.waiting_command;
    return in.vector_state.waiting_command;
  }

  void keep_first(const EngineFault& fault) {
    if (fault.raised && !fault_.raised) fault_ = fault;
  }

  /// Whether every engine has stood still, at least one waiting, for so long that nobody will give
  /// what it waits for.
  bool is_stuck(const Inputs& in) {
    const bool stands = (in.load_state.idle || in.load_state.waits) &&
                        (in.compute_state.idle || in.compute_state.waits) &&
                        (in.store_state.idle || in.store_state.waits) &&
                        (in.vector_state.idle || in.vector_state.waits) && in.bus_idle &&
                        !in.handed_on;
    const bool waits = in.load_state.waits || in.compute_state.waits || in.store_state.waits ||
                       in.vector_state.waits;
    const bool stuck = patience_ == kPatience;
    patience_ = stands && waits && !stuck ? truncate<UInt<10>>(patience_ + UInt1(1)) : UInt<10>(0);
    return stuck;
  }

  EngineFault fault_;
  UInt1 resetting_;
  UInt1 stop_;     ///< a fault is kept, or a reset is under way
  UInt1 stopped_;  ///< `stop` was out in the clock before
  UInt1 clear_;
  UInt1 busy_;
  UInt1 waits_for_host_;
  UInt1 done_;
  UInt1 faulted_;
  UInt<10> patience_;
};

}  // namespace systole::kernels
