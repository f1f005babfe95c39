#pragma once

#include <verilated.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "systole/cosim/ports.h"
#include "systole/cosim/random.h"
#include "systole/cosim/streams.h"

namespace systole::cosim {

/// How a kernel and its RTL are driven.
struct LockstepOptions {
  std::uint64_t seed = 1;
  int edges = 2000;
  int warm_up_edges = 24;  ///< first edges, in reset and not compared
  int edges_between_resets = 64;
  bool random_registers = true;  ///< the RTL's registers start at random; else at 0, as in C++
  int fault_edge = -1;  ///< the edge at which one output bit of the RTL is flipped, as a test
};

/// The first difference at a port.
struct PortMismatch {
  int edge = 0;
  std::string port;
  std::string message;
};

struct LockstepResult {
  std::vector<PortMismatch> mismatches;  ///< at most one for each port, in order of edges
  int edges = 0;
  int beats = 0;  ///< transferred on all streams

  std::string message() const { return mismatches.empty() ? "" : mismatches.front().message; }
};

/// A kernel and its RTL, whatever their types.
class LockstepPair {
 public:
  virtual ~LockstepPair() = default;
  /// The RTL's outputs for these inputs before the edge.
  virtual void settle(const PortBits& in, bool in_reset, PortBits& out) = 0;
  /// The RTL's rising edge.
  virtual void edge() = 0;
  /// The C++'s outputs, which of their bits are defined, and its edge.
  virtual void clock_native(const PortBits& in, bool in_reset, PortBits& out, PortBits& means) = 0;
};

/// Drives a pair at random, compares it, and checks the rules of its streams.
class LockstepBench {
 public:
  LockstepBench(std::span<const Port> inputs, std::span<const Port> outputs,
                std::vector<int> leaf_widths, const LockstepOptions& options)
      : output_ports_(outputs),
        options_(options),
        random_(options.seed),
        leaf_widths_(std::move(leaf_widths)),
        consumed_(find_streams(inputs, outputs)),
        produced_(find_streams(outputs, inputs)),
        offered_(consumed_.size()),
        taking_(produced_.size()),
        last_ready_(produced_.size()),
        in_(total_width(inputs)),
        native_(total_width(outputs)),
        rtl_(total_width(outputs)),
        last_rtl_(total_width(outputs)),
        means_(total_width(outputs)),
        differed_(outputs.size()) {}

  LockstepResult run(LockstepPair& pair) {
    for (edge_ = 0; edge_ < options_.warm_up_edges + options_.edges; ++edge_) {
      const bool warm_up = edge_ < options_.warm_up_edges;
      const bool in_reset =
          warm_up || random_.below(static_cast<std::uint32_t>(options_.edges_between_resets)) == 0;
      choose_inputs();
      pair.settle(in_, in_reset, rtl_);
      if (edge_ == options_.fault_edge) rtl_.set_bit(0, !rtl_.bit(0));
      pair.clock_native(in_, in_reset, native_, means_);
      if (!warm_up) {
        check_streams(pair, in_reset);
        compare();
      }
      held_ = !in_reset;
      last_rtl_ = rtl_;
      pair.edge();
    }
    result_.edges = options_.edges;
    return std::move(result_);
  }

 private:
  /// Random bits, except on streams: an offer stays until it is taken, and ready comes in phases.
  void choose_inputs() {
    const PortBits last = in_;
    int at = 0;
    for (const int width : leaf_widths_) {
      for (int low = 0; low < width; low += kMostBits) {
        const int part = std::min(kMostBits, width - low);
        in_.set(at + low, part, any_bits(part));
      }
      at += width;
    }
    for (std::size_t i = 0; i < consumed_.size(); ++i) {
      const StreamPorts& stream = consumed_[i];
      const bool waits = held_ && last.bit(stream.valid) && !last_rtl_.bit(stream.ready);
      const bool willing = offered_[i].next(random_);
      in_.set_bit(stream.valid, waits || willing);
      if (!waits) continue;
      for (const auto& [low, width] : stream.data) in_.copy(last, low, width);
    }
    for (std::size_t i = 0; i < produced_.size(); ++i) {
      in_.set_bit(produced_[i].ready, taking_[i].next(random_));
    }
    for (std::size_t i = 0; i < produced_.size(); ++i) {
      last_ready_[i] = last.bit(produced_[i].ready);
    }
  }

  /// Random bits, or a value near which arithmetic overflows.
  Bits any_bits(int width) {
    Bits bits = 0;
    for (int word = 0; word < 3; ++word) bits = bits << 48 ^ random_.bits();
    switch (random_.below(8)) {
      case 0:
        return 0;
      case 1:
        return ~Bits{0};
      case 2:
        return random_.below(8);
      case 3:
        return Bits{1} << (width - 1);
      case 4:
        return (Bits{1} << (width - 1)) - 1;
      default:
        return bits;
    }
  }

  void compare() {
    PortBits rtl = rtl_;
    rtl.mask(means_);
    native_.mask(means_);
    if (native_ == rtl) return;
    int at = 0;
    for (std::size_t i = 0; i < output_ports_.size(); ++i) {
      const Port& port = output_ports_[i];
      for (int part = 0; part < port.width; part += kMostBits) {
        const int width = std::min(kMostBits, port.width - part);
        const Bits native = native_.get(at + part, width);
        const Bits got = rtl.get(at + part, width);
        if (native == got || differed_[i]) continue;
        differed_[i] = true;
        note(port.name, (port.width > kMostBits ? " from bit " + std::to_string(part) : "") +
                            " is " + hex(native) + " in C++ and " + hex(got) + " in RTL");
      }
      at += port.width;
    }
  }

  void check_streams(LockstepPair& pair, bool in_reset) {
    if (follows_ready(pair, in_reset)) check_ready(pair, in_reset);
    for (std::size_t i = 0; i < produced_.size(); ++i) {
      const StreamPorts& stream = produced_[i];
      const bool valid = rtl_.bit(stream.valid);
      if (held_ && last_rtl_.bit(stream.valid) && !last_ready_[i]) {
        if (!valid) note(stream.name + "_valid_o", " fell before its beat was taken");
        for (const auto& [low, width] : stream.data) {
          if (!rtl_.equal(last_rtl_, low, width)) {
            note(stream.name + "_data_o", " changed before its beat was taken");
          }
        }
      }
      result_.beats += valid && in_.bit(stream.ready);
    }
    for (const StreamPorts& stream : consumed_) {
      result_.beats += in_.bit(stream.valid) && rtl_.bit(stream.ready);
    }
  }

  /// Whether some valid changes when all ready inputs do. One look at a design of many kernels.
  bool follows_ready(LockstepPair& pair, bool in_reset) {
    if (produced_.empty()) return false;
    PortBits other = in_;
    for (const StreamPorts& stream : produced_) {
      other.set_bit(stream.ready, !in_.bit(stream.ready));
    }
    PortBits answer = rtl_;
    pair.settle(other, in_reset, answer);
    bool follows = false;
    for (const StreamPorts& stream : produced_) {
      follows = follows || answer.bit(stream.valid) != rtl_.bit(stream.valid);
    }
    pair.settle(in_, in_reset, answer);
    return follows;
  }

  /// Each valid with its own ready: it may depend on another stream's.
  void check_ready(LockstepPair& pair, bool in_reset) {
    for (const StreamPorts& stream : produced_) {
      PortBits other = in_;
      other.set_bit(stream.ready, !in_.bit(stream.ready));
      PortBits answer = rtl_;
      pair.settle(other, in_reset, answer);
      if (answer.bit(stream.valid) != rtl_.bit(stream.valid)) {
        note(stream.name + "_valid_o", " depends on ready in the same clock");
      }
    }
    PortBits answer = rtl_;
    pair.settle(in_, in_reset, answer);
  }

  void note(std::string_view port, const std::string& what) {
    if (result_.mismatches.size() >= kMostNotes) return;
    result_.mismatches.push_back({edge_, std::string(port),
                                  "edge " + std::to_string(edge_) + ": port " + std::string(port) +
                                      what + " (seed " + std::to_string(options_.seed) + ")"});
  }

  static constexpr std::size_t kMostNotes = 1000;

  std::span<const Port> output_ports_;
  LockstepOptions options_;
  Random random_;
  std::vector<int> leaf_widths_;
  std::vector<StreamPorts> consumed_;
  std::vector<StreamPorts> produced_;
  std::vector<Willingness> offered_;
  std::vector<Willingness> taking_;
  std::vector<bool> last_ready_;
  PortBits in_;
  PortBits native_;
  PortBits rtl_;
  PortBits last_rtl_;
  PortBits means_;  ///< output bits to compare
  std::vector<bool> differed_;
  bool held_ = false;  ///< the last edge was not in reset, so stream rules apply
  int edge_ = 0;
  LockstepResult result_;
};

/// Runs a kernel's C++ and its Verilated RTL side by side under random inputs, resets and stalls,
/// and compares every output port before every edge, and a stream's data only while it is valid.
///
/// Shapes   Model is Verilated from the kernel under a flat top: ports clk_i, rst_ni, in_i, out_o,
///          where in_i and out_o hold all ports, the first one lowest (`inputs`, `outputs`)
/// Limits   the kernel has `Outputs clock(Inputs)`, or `outputs()` and `void clock(Inputs)`
/// Numbers  ports X_valid, X_data and X_ready form a stream. Into the kernel, valid and data hold
///          until they are taken; out of it, the same is checked, and that valid does not depend on
///          ready in the same clock
template <typename Model, typename Kernel>
class Lockstep : public LockstepPair {
 public:
  static LockstepResult run(std::span<const Port> inputs, std::span<const Port> outputs,
                            const LockstepOptions& options) {
    check_widths(leaf_widths<Inputs>(), inputs);
    check_widths(leaf_widths<Outputs>(), outputs);
    Lockstep pair(options);
    return LockstepBench(inputs, outputs, leaf_widths<Inputs>(), options).run(pair);
  }

 private:
  using Inputs = typename Kernel::Inputs;
  using Outputs = typename Kernel::Outputs;

  explicit Lockstep(const LockstepOptions& options) : kernel_(std::make_unique<Kernel>()) {
    context_.randReset(options.random_registers ? 2 : 0);
    context_.randSeed(static_cast<int>(options.seed % 0x7fff'fffe) + 1);
    model_ = std::make_unique<Model>(&context_);
  }

  void settle(const PortBits& in, bool in_reset, PortBits& out) override {
    in.store(model_->in_i);
    model_->rst_ni = in_reset ? 0 : 1;
    model_->clk_i = 0;
    model_->eval();
    out.load(model_->out_o);
  }

  void edge() override {
    model_->clk_i = 1;
    model_->eval();
  }

  void clock_native(const PortBits& bits, bool in_reset, PortBits& out, PortBits& means) override {
    Inputs in;
    bits.store_fields(in);
    out.load_fields(clock(in), means);
    if constexpr (requires { kernel_->reset(); }) {
      if (in_reset) kernel_->reset();
    }
  }

  Outputs clock(const Inputs& in) {
    if constexpr (requires { kernel_->outputs(); }) {
      const Outputs shown = kernel_->outputs();
      kernel_->clock(in);
      return shown;
    } else {
      return kernel_->clock(in);
    }
  }

  VerilatedContext context_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace systole::cosim
