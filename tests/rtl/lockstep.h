#pragma once

#include <fmt/format.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tests/rtl/ports.h"

namespace systole::tests {

/// The first difference between a kernel's RTL and its C++.
struct Mismatch {
  std::uint64_t edge = 0;
  std::string port;
  int lane = 0;
  std::uint64_t native = 0;
  std::uint64_t rtl = 0;

  std::string message() const {
    return fmt::format("edge {}: {} lane {} is {:#x} in C++ and {:#x} in RTL", edge, port, lane,
                       native, rtl);
  }
};

/// A fault for the harness to find: one bit of one port, as the RTL sees or drives it, at one edge.
struct Flip {
  std::uint64_t edge = 0;
  std::string_view port;
  int lane = 0;
  int bit = 0;
};

/// A clocked kernel and its Verilated RTL, side by side: the same inputs, one rising edge, and
/// every lane of every output compared just before that edge.
///
/// Top names the pair and matches their ports:
///   using Native, Model;
///   static void inputs(Model&, Inputs&, visit)    visit("name", model.port, in.field), each port
///   static void outputs(Model&, Outputs&, visit)  likewise
///
/// Limits   nothing is compared before compare_from_here(): the RTL's registers start at random, so
///          a bench first brings every visible register to a known value
/// Timing   clock() is one edge of both; with `in_reset` the RTL has rst_ni low at that edge and
///          the C++ calls reset() after it
template <typename Top>
class Lockstep {
 public:
  using Native = typename Top::Native;
  using Model = typename Top::Model;
  using Inputs = typename Native::Inputs;
  using Outputs = typename Native::Outputs;
  static constexpr bool kHasReset = requires(Model& model) { model.rst_ni; };
  static_assert(
      kHasReset == requires(Native& native) { native.reset(); },
      "the C++ and the RTL must both have a reset, or neither");

  /// `seed` chooses the random values that the RTL's registers start from.
  explicit Lockstep(std::uint64_t seed) : native_(std::make_unique<Native>()) {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(seed % 0x7fff'fffe) + 1);
    model_ = std::make_unique<Model>(&context_);
  }
  ~Lockstep() { model_->final(); }

  void clock(const Inputs& in, bool in_reset = false) {
    drive(in, in_reset);
    model_->clk_i = 0;
    model_->eval();
    const Outputs out = edge(in);
    if constexpr (kHasReset) {
      if (in_reset) native_->reset();
    }
    if (comparing_) compare(out);
    model_->clk_i = 1;
    model_->eval();
    ++edges_;
  }

  Model& model() { return *model_; }
  void compare_from_here() { comparing_ = true; }
  void inject(const Flip& flip) { flip_ = flip; }

  std::uint64_t edges() const { return edges_; }
  std::uint64_t compared_edges() const { return compared_edges_; }
  std::uint64_t mismatches() const { return mismatches_; }
  /// Limits   defined only after a mismatch
  const Mismatch& first_mismatch() const { return first_mismatch_; }
  /// The fewest changes of any output port while compared: a bench in which an output never changes
  /// proves nothing about it.
  std::uint64_t fewest_changes() const {
    std::uint64_t fewest = compared_edges_;
    for (int port = 0; port < ports_; ++port) fewest = std::min(fewest, changes_[port]);
    return fewest;
  }

 private:
  static constexpr int kMaxPorts = 48;

  /// The C++'s outputs before the edge, and its edge.
  Outputs edge(const Inputs& in) {
    if constexpr (requires(Native& native) { native.outputs(); }) {
      const Outputs shown = native_->outputs();
      native_->clock(in);
      return shown;
    } else {
      return native_->clock(in);
    }
  }

  bool flips(std::string_view port) const {
    return flip_ && flip_->edge == edges_ && flip_->port == port;
  }

  void drive(const Inputs& in, bool in_reset) {
    Top::inputs(*model_, in, [&](std::string_view name, auto& port, const auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      set_port(port, value);
      if (flips(name)) {
        const std::uint64_t lane = port_lane<Value>(port, flip_->lane);
        set_port_lane<Value>(port, flip_->lane, lane ^ (std::uint64_t{1} << flip_->bit));
      }
    });
    if constexpr (kHasReset) model_->rst_ni = in_reset ? 0 : 1;
  }

  void compare(const Outputs& out) {
    int index = 0;
    Top::outputs(*model_, out, [&](std::string_view name, const auto& port, const auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      std::uint64_t digest = 0;
      for (int lane = 0; lane < PortShape<Value>::kLanes; ++lane) {
        const std::uint64_t native = native_lane(value, lane);
        std::uint64_t rtl = port_lane<Value>(port, lane);
        if (flips(name) && flip_->lane == lane) rtl ^= std::uint64_t{1} << flip_->bit;
        if (rtl != native) note({edges_, std::string(name), lane, native, rtl});
        digest = digest * 31 + native;
      }
      const auto slot = static_cast<std::size_t>(index++);
      changes_.at(slot) += digest != last_.at(slot);
      last_[slot] = digest;
    });
    ports_ = index;
    ++compared_edges_;
  }

  void note(Mismatch mismatch) {
    if (mismatches_++ == 0) first_mismatch_ = std::move(mismatch);
  }

  VerilatedContext context_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Native> native_;  // a matrix unit is too large for the stack
  std::optional<Flip> flip_;
  bool comparing_ = false;
  std::uint64_t edges_ = 0;
  std::uint64_t compared_edges_ = 0;
  std::uint64_t mismatches_ = 0;
  Mismatch first_mismatch_;
  int ports_ = 0;
  std::array<std::uint64_t, kMaxPorts> changes_{};
  std::array<std::uint64_t, kMaxPorts> last_{};
};

}  // namespace systole::tests
