#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace systole::compiler {

/// A signal of a Circuit or its complement: twice the node's number, plus 1 for the complement.
using Signal = std::uint32_t;
inline constexpr Signal kFalse = 0;
inline constexpr Signal kTrue = 1;
constexpr Signal inverse(Signal signal) { return signal ^ 1; }

/// An integer as signals, bit 0 first.
using Bits = std::vector<Signal>;

/// And-gates and inverters: what both sides of a proof become.
///
/// Gates with equal inputs are merged, so two sides that compute a value in the same way share it,
/// and only differences are left to a solver.
class Circuit {
 public:
  Circuit() : gates_(1) {}

  Signal input();
  Bits inputs(unsigned width);
  Signal both(Signal a, Signal b);
  Signal either(Signal a, Signal b) { return inverse(both(inverse(a), inverse(b))); }
  Signal differ(Signal a, Signal b);
  Signal choose(Signal condition, Signal a, Signal b);
  Bits choose(Signal condition, const Bits& a, const Bits& b);

  /// The value of every node for 64 assignments at once: one word for each input, in order.
  std::vector<std::uint64_t> simulate(const std::vector<std::uint64_t>& inputs) const;
  static std::uint64_t value(Signal signal, const std::vector<std::uint64_t>& nodes) {
    return nodes[signal >> 1] ^ (signal & 1 ? ~0ull : 0ull);
  }

  std::size_t input_count() const { return inputs_.size(); }
  /// Which input this signal is, from 0; -1 for a gate.
  int input_index(Signal signal) const;
  std::size_t gate_count() const { return gates_.size() - 1 - inputs_.size(); }
  /// The gates that the signals depend on.
  std::size_t cone_size(const Bits& of) const;

  /// The inputs that the signals depend on, as indices in ascending order.
  std::vector<int> inputs_of(const Bits& of) const;
  /// The circuit of these outputs as binary AIGER 1.9; its inputs are inputs_of(outputs).
  std::string aiger(const Bits& outputs) const;
  /// CNF that is satisfiable exactly when the output can be true; its first variables are
  /// inputs_of({output}).
  std::string dimacs(Signal output) const;

 private:
  struct Gate {
    Signal a = 0;
    Signal b = 0;
    bool is_input = false;
  };
  std::vector<bool> cone(const Bits& of) const;

  std::vector<Gate> gates_;  ///< a gate's inputs come before it; gate 0 is the constant
  std::vector<std::uint32_t> inputs_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

}  // namespace systole::compiler
