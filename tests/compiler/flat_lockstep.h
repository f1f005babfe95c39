#pragma once

#include <verilated.h>

#include <cstdint>
#include <string>

#include "tests/compiler/leaves.h"
#include "tests/support/random.h"

namespace systole::tests {

inline constexpr std::uint64_t kLockstepSeed = 0x5eed'0031;

/// Runs a kernel's C++ and its Verilated RTL side by side under random inputs and resets and
/// compares every output before every edge; the data of a stream while it is valid.
///
/// Shapes   Model is Verilated from the kernel under a flat top: ports clk_i, rst_ni, in_i, out_o,
///          where in_i and out_o hold every field of Inputs and Outputs, the first one lowest
/// Timing   the RTL's registers start at random; the first kWarmUpClocks, in reset, are not
/// compared Errors   returns "" or what differed first
template <typename Model, typename Kernel>
class FlatLockstep {
 public:
  static constexpr int kWarmUpClocks = 24;
  static constexpr int kClocks = 2000;

  /// `fault_at`: the clock at which one output bit of the RTL is turned over, to see it found.
  static std::string run(int fault_at = -1) { return FlatLockstep().difference(fault_at); }

 private:
  using Inputs = typename Kernel::Inputs;
  using Outputs = typename Kernel::Outputs;

  FlatLockstep() : random_(kLockstepSeed) {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(kLockstepSeed));
  }

  std::string difference(int fault_at) {
    Model model(&context_);
    Kernel kernel;
    for (int clock = 0; clock < kWarmUpClocks + kClocks; ++clock) {
      const bool in_reset = clock < kWarmUpClocks || random_.below(64) == 0;
      Inputs in;
      for_each_leaf(in, [&](auto& leaf) { randomize(leaf); });
      model.rst_ni = in_reset ? 0 : 1;
      model.in_i = pack<std::remove_reference_t<decltype(model.in_i)>>(in);
      model.clk_i = 0;
      model.eval();
      if (clock == fault_at) *reinterpret_cast<unsigned char*>(&model.out_o) ^= 1;
      const Outputs expected = edge(kernel, in);
      if constexpr (requires { kernel.reset(); }) {
        if (in_reset) kernel.reset();
      }
      if (clock >= kWarmUpClocks && differs(expected, model.out_o)) {
        return report(clock, in, expected, model.out_o);
      }
      model.clk_i = 1;
      model.eval();
    }
    return "";
  }

  /// What the kernel shows before the edge, and the edge.
  static Outputs edge(Kernel& kernel, const Inputs& in) {
    if constexpr (requires { kernel.outputs(); }) {
      const Outputs shown = kernel.outputs();
      kernel.clock(in);
      return shown;
    } else {
      return kernel.clock(in);
    }
  }

  /// Every bit at random, or one of the values at which arithmetic turns over.
  template <typename T>
  void randomize(T& leaf) {
    Bits bits = 0;
    for (int word = 0; word < 3; ++word) bits = bits << 48 ^ random_.bits();
    switch (random_.below(8)) {
      case 0:
        bits = 0;
        break;
      case 1:
        bits = ~Bits{0};
        break;
      case 2:
        bits = random_.below(8);
        break;
      case 3:
        bits = Bits{1} << (leaf_width<T> - 1);
        break;
      case 4:
        bits = (Bits{1} << (leaf_width<T> - 1)) - 1;
        break;
      default:
        break;
    }
    set_bits(leaf, bits);
  }

  template <typename Port, typename Fields>
  static Port pack(Fields& fields) {
    Port port{};
    auto* bytes = reinterpret_cast<unsigned char*>(&port);
    unsigned at = 0;
    for_each_leaf(fields, [&](const auto& leaf) {
      const Bits bits = bits_of(leaf);
      for (int i = 0; i < leaf_width<std::remove_cvref_t<decltype(leaf)>>; ++i, ++at) {
        if ((bits >> i & 1) != 0) bytes[at / 8] |= static_cast<unsigned char>(1u << at % 8);
      }
    });
    return port;
  }

  template <typename Port>
  static bool differs(const Outputs& expected, const Port& got) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&got);
    unsigned at = 0;
    bool differs = false;
    for_each_leaf(expected, [&](const auto& leaf, bool means) {
      differs = (read_leaf(leaf, bytes, at) != bits_of(leaf) && means) || differs;
    });
    return differs;
  }

  /// The next leaf of a port's bytes.
  template <typename Leaf>
  static Bits read_leaf(const Leaf&, const unsigned char* bytes, unsigned& at) {
    Bits found = 0;
    for (int i = 0; i < leaf_width<Leaf>; ++i, ++at) {
      found |= static_cast<Bits>(bytes[at / 8] >> at % 8 & 1) << i;
    }
    return found;
  }

  template <typename Port>
  static std::string report(int clock, const Inputs& in, const Outputs& expected, const Port& got) {
    std::string text = "clock " + std::to_string(clock) + ", inputs";
    for_each_leaf(in, [&](const auto& leaf) { text += " " + hex(bits_of(leaf)); });
    text += ", outputs that differ";
    const auto* bytes = reinterpret_cast<const unsigned char*>(&got);
    unsigned at = 0;
    int field = 0;
    for_each_leaf(expected, [&](const auto& leaf, bool means) {
      const Bits found = read_leaf(leaf, bytes, at);
      if (found != bits_of(leaf) && means) {
        text += " [" + std::to_string(field) + "] C++ " + hex(bits_of(leaf)) + " RTL " + hex(found);
      }
      ++field;
    });
    return text;
  }

  static std::string hex(Bits bits) {
    std::string digits;
    do {
      digits.insert(digits.begin(), "0123456789abcdef"[static_cast<unsigned>(bits & 15)]);
      bits >>= 4;
    } while (bits != 0);
    return digits;
  }

  VerilatedContext context_;
  Random random_;
};

}  // namespace systole::tests
