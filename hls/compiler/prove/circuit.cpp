#include "hls/compiler/prove/circuit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace systole::compiler {
namespace {

void append_delta(std::string& text, std::uint32_t delta) {
  for (; delta >= 0x80; delta >>= 7) text += static_cast<char>((delta & 0x7f) | 0x80);
  text += static_cast<char>(delta);
}

}  // namespace

Signal Circuit::input() {
  const auto node = static_cast<std::uint32_t>(gates_.size());
  gates_.push_back({.is_input = true});
  inputs_.push_back(node);
  return 2 * node;
}

Bits Circuit::inputs(unsigned width) {
  Bits bits(width);
  for (Signal& bit : bits) bit = input();
  return bits;
}

Signal Circuit::both(Signal a, Signal b) {
  if (a > b) std::swap(a, b);
  if (a == kFalse || a == inverse(b)) return kFalse;
  if (a == kTrue || a == b) return b;
  const std::uint64_t key = (std::uint64_t{a} << 32) | b;
  const auto [found, is_new] = known_.try_emplace(key, static_cast<std::uint32_t>(gates_.size()));
  if (is_new) gates_.push_back({.a = a, .b = b});
  return 2 * found->second;
}

Signal Circuit::differ(Signal a, Signal b) {
  const Signal sign = (a ^ b) & 1;  // one gate for a ^ b and ~a ^ b
  a &= ~1u;
  b &= ~1u;
  return both(inverse(both(a, b)), inverse(both(inverse(a), inverse(b)))) ^ sign;
}

Signal Circuit::choose(Signal condition, Signal a, Signal b) {
  if (condition == kTrue || a == b) return a;
  if (condition == kFalse) return b;
  if (a == inverse(b)) return inverse(differ(condition, a));
  if (condition & 1) return choose(inverse(condition), b, a);
  return either(both(condition, a), both(inverse(condition), b));
}

Bits Circuit::choose(Signal condition, const Bits& a, const Bits& b) {
  Bits bits(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) bits[i] = choose(condition, a[i], b.at(i));
  return bits;
}

std::vector<std::uint64_t> Circuit::simulate(const std::vector<std::uint64_t>& inputs) const {
  std::vector<std::uint64_t> nodes(gates_.size());
  std::size_t next = 0;
  for (std::size_t i = 1; i < gates_.size(); ++i) {
    const Gate& gate = gates_[i];
    nodes[i] = gate.is_input ? inputs.at(next++) : value(gate.a, nodes) & value(gate.b, nodes);
  }
  return nodes;
}

int Circuit::input_index(Signal signal) const {
  const auto found = std::lower_bound(inputs_.begin(), inputs_.end(), signal >> 1);
  if (found == inputs_.end() || *found != signal >> 1) return -1;
  return static_cast<int>(found - inputs_.begin());
}

std::vector<bool> Circuit::cone(const Bits& of) const {
  std::vector<bool> used(gates_.size());
  for (const Signal signal : of) used[signal >> 1] = true;
  for (std::size_t i = gates_.size(); i-- > 1;) {
    if (!used[i] || gates_[i].is_input) continue;
    used[gates_[i].a >> 1] = true;
    used[gates_[i].b >> 1] = true;
  }
  return used;
}

std::size_t Circuit::cone_size(const Bits& of) const {
  const std::vector<bool> used = cone(of);
  std::size_t count = 0;
  for (std::size_t i = 1; i < gates_.size(); ++i) count += used[i] && !gates_[i].is_input;
  return count;
}

std::vector<int> Circuit::inputs_of(const Bits& of) const {
  const std::vector<bool> used = cone(of);
  std::vector<int> indices;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (used[inputs_[i]]) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

std::string Circuit::aiger(const Bits& outputs) const {
  const std::vector<bool> used = cone(outputs);
  std::vector<std::uint32_t> number(gates_.size());
  std::uint32_t next = 1;
  for (const std::uint32_t node : inputs_) {
    if (used[node]) number[node] = next++;
  }
  const std::uint32_t input_count = next - 1;
  std::string gates;
  const auto renamed = [&](Signal signal) { return 2 * number[signal >> 1] | (signal & 1); };
  for (std::size_t i = 1; i < gates_.size(); ++i) {
    if (!used[i] || gates_[i].is_input) continue;
    number[i] = next++;
    const std::uint32_t a = renamed(gates_[i].a);
    const std::uint32_t b = renamed(gates_[i].b);
    append_delta(gates, 2 * number[i] - std::max(a, b));
    append_delta(gates, std::max(a, b) - std::min(a, b));
  }
  std::string text = fmt::format("aig {} {} 0 {} {}\n", next - 1, input_count, outputs.size(),
                                 next - 1 - input_count);
  for (const Signal output : outputs) text += fmt::format("{}\n", renamed(output));
  return text + gates;
}

std::string Circuit::dimacs(Signal output) const {
  const std::vector<bool> used = cone({output});
  std::vector<int> variable(gates_.size());
  int count = 0;
  for (const std::uint32_t node : inputs_) {
    if (used[node]) variable[node] = ++count;
  }
  const auto literal = [&](Signal signal) {
    return signal & 1 ? -variable[signal >> 1] : variable[signal >> 1];
  };
  std::string clauses;
  int clause_count = 0;
  const auto clause = [&](const std::vector<int>& literals) {
    for (const int one : literals) fmt::format_to(std::back_inserter(clauses), "{} ", one);
    clauses += "0\n";
    ++clause_count;
  };
  for (std::size_t i = 1; i < gates_.size(); ++i) {
    if (!used[i] || gates_[i].is_input) continue;
    const int gate = variable[i] = ++count;
    const int a = literal(gates_[i].a);
    const int b = literal(gates_[i].b);
    clause({-gate, a});
    clause({-gate, b});
    clause({gate, -a, -b});
  }
  if (output == kFalse) {
    clause({});
  } else if (output != kTrue) {
    clause({literal(output)});
  }
  return fmt::format("p cnf {} {}\n", count, clause_count) + clauses;
}

}  // namespace systole::compiler
