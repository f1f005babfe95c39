#include "hls/compiler/schedule/bit_network.h"

#include <algorithm>
#include <cmath>

namespace systole::compiler {

BitNetwork::BitNetwork(const DelayModel& model) : model_(model) {
  nodes_.emplace_back();
  nodes_.back().kind = Kind::kConstant;
}

Bit BitNetwork::leaf() {
  nodes_.emplace_back();
  nodes_.back().owner = owner_;
  return 2 * (static_cast<int>(nodes_.size()) - 1);
}

BitNetwork::Cut BitNetwork::trivial(int node) const {
  Cut cut;
  cut.arrival = nodes_[node].arrival;
  cut.area = nodes_[node].area / std::max(1, nodes_[node].uses);
  cut.size = 1;
  cut.leaves[0] = node;
  return cut;
}

/// The union of the leaves; false if it exceeds a table's inputs. `arrival` is still the leaves'.
bool BitNetwork::merge(const Cut& a, const Cut& b, Cut& merged) const {
  int i = 0;
  int j = 0;
  merged.size = 0;
  while (i < a.size || j < b.size) {
    if (merged.size == model_.widest_inputs) return false;
    const int left = i < a.size ? a.leaves[i] : INT32_MAX;
    const int right = j < b.size ? b.leaves[j] : INT32_MAX;
    merged.leaves[merged.size++] = std::min(left, right);
    if (left <= right) ++i;
    if (right <= left) ++j;
  }
  return true;
}

void BitNetwork::find_cuts(Node& node) const {
  std::vector<Cut> partial = {Cut{}};
  for (int i = 0; i < node.input_count; ++i) {
    const int input = node.inputs[i] >> 1;
    std::vector<Cut> next;
    for (const Cut& one : partial) {
      Cut merged;
      for (const Cut& cut : nodes_[input].cuts) {
        if (merge(one, cut, merged)) next.push_back(merged);
      }
      if (merge(one, trivial(input), merged)) next.push_back(merged);
    }
    partial = std::move(next);
  }
  for (Cut& cut : partial) {
    cut.arrival = 0;
    cut.area = model_.table_area(cut.size);
    for (int i = 0; i < cut.size; ++i) {
      const Node& below = nodes_[cut.leaves[i]];
      cut.arrival = std::max(cut.arrival, below.arrival);
      cut.area += below.area / std::max(1, below.uses);
    }
    cut.arrival += model_.table_ns(cut.size);
  }
  std::sort(partial.begin(), partial.end(), [](const Cut& a, const Cut& b) {
    if (std::abs(a.arrival - b.arrival) > 1e-9) return a.arrival < b.arrival;
    if (a.size != b.size) return a.size < b.size;
    if (a.area != b.area) return a.area < b.area;
    return std::lexicographical_compare(a.leaves.begin(), a.leaves.begin() + a.size,
                                        b.leaves.begin(), b.leaves.begin() + b.size);
  });
  for (const Cut& cut : partial) {
    const bool known = std::any_of(node.cuts.begin(), node.cuts.end(), [&](const Cut& one) {
      return one.size == cut.size && one.leaves == cut.leaves;
    });
    if (!known) node.cuts.push_back(cut);
    if (node.cuts.size() == kCuts) break;
  }
  node.arrival = node.cuts.front().arrival;
  node.area = node.cuts.front().area;
}

Bit BitNetwork::gate(Kind kind, std::array<Bit, 3> inputs, int count) {
  const std::array<int, 4> key = {static_cast<int>(kind), inputs[0], inputs[1], inputs[2]};
  if (const auto found = known_.find(key); found != known_.end()) return 2 * found->second;
  Node node;
  node.kind = kind;
  node.owner = owner_;
  node.inputs = inputs;
  node.input_count = count;
  for (int i = 0; i < count; ++i) ++nodes_[inputs[i] >> 1].uses;
  find_cuts(node);
  nodes_.push_back(std::move(node));
  const int index = static_cast<int>(nodes_.size()) - 1;
  known_[key] = index;
  return 2 * index;
}

Bit BitNetwork::land(Bit a, Bit b) {
  if (a > b) std::swap(a, b);
  if (a == kZeroBit || a == inverted(b)) return kZeroBit;
  if (a == kOneBit || a == b) return b;
  return gate(Kind::kAnd, {a, b, 0}, 2);
}

Bit BitNetwork::lxor(Bit a, Bit b) {
  if (a > b) std::swap(a, b);
  if (a <= kOneBit) return b ^ a;
  const int invert = (a ^ b) & 1;
  a &= ~1;
  b &= ~1;
  if (a == b) return kZeroBit ^ invert;
  return gate(Kind::kXor, {a, b, 0}, 2) ^ invert;
}

Bit BitNetwork::mux(Bit select, Bit when_one, Bit when_zero) {
  if (select <= kOneBit) return select == kOneBit ? when_one : when_zero;
  if (when_one == when_zero) return when_one;
  if (when_one == inverted(when_zero)) return lxor(select, when_zero);
  if (when_one == kZeroBit || when_one == inverted(select)) {
    return land(inverted(select), when_zero);
  }
  if (when_one == kOneBit || when_one == select) return lor(select, when_zero);
  if (when_zero == kZeroBit || when_zero == select) return land(select, when_one);
  if (when_zero == kOneBit || when_zero == inverted(select)) return lor(inverted(select), when_one);
  if (select & 1) return mux(inverted(select), when_zero, when_one);
  if (when_one & 1) return inverted(mux(select, inverted(when_one), inverted(when_zero)));
  return gate(Kind::kMux, {select, when_one, when_zero}, 3);
}

Bit BitNetwork::all(std::vector<Bit> bits) {
  if (bits.empty()) return kOneBit;
  const auto later = [this](Bit a, Bit b) {
    return arrival(a) != arrival(b) ? arrival(a) > arrival(b) : a > b;
  };
  std::sort(bits.begin(), bits.end(), later);
  while (bits.size() > 1) {
    const Bit a = bits.back();
    bits.pop_back();
    const Bit b = bits.back();
    bits.pop_back();
    const Bit both = land(a, b);
    bits.insert(std::lower_bound(bits.begin(), bits.end(), both, later), both);
  }
  return bits.front();
}

Bit BitNetwork::any(std::vector<Bit> bits) {
  for (Bit& bit : bits) bit = inverted(bit);
  return inverted(all(std::move(bits)));
}

Bit BitNetwork::block_output(Kind kind, int block, double arrival, int critical, int carry_bits) {
  Node node;
  node.kind = kind;
  node.owner = owner_;
  node.chain = block;
  node.arrival = arrival;
  node.critical = critical;
  node.carry_bits = carry_bits;
  nodes_.push_back(std::move(node));
  return 2 * (static_cast<int>(nodes_.size()) - 1);
}

std::vector<Bit> BitNetwork::sum(const std::vector<Bit>& a, const std::vector<Bit>& b, Bit carry) {
  const std::size_t width = a.size();
  std::vector<Bit> result(width);
  // Constant low bits need no chain.
  std::size_t low = 0;
  for (; low < width && is_constant_bit(carry); ++low) {
    if (!is_constant_bit(a[low]) && !is_constant_bit(b[low])) break;
    const Bit constant = is_constant_bit(a[low]) ? a[low] : b[low];
    const Bit other = is_constant_bit(a[low]) ? b[low] : a[low];
    if (constant != carry && !is_constant_bit(other)) break;
    result[low] = lxor(lxor(a[low], b[low]), carry);
    carry = constant == carry ? constant : is_constant_bit(other) ? other : carry;
  }
  if (width - low < static_cast<std::size_t>(model_.least_chain_bits)) {
    for (std::size_t i = low; i < width; ++i) {
      const Bit half = lxor(a[i], b[i]);
      result[i] = lxor(half, carry);
      carry = mux(half, carry, a[i]);
    }
    return result;
  }
  const int block = static_cast<int>(blocks_.size());
  blocks_.push_back({Kind::kSum, static_cast<int>(width - low), {}, {}, kZeroBit});
  Chain chain{.block = block, .arrival = arrival(carry), .critical = carry >> 1};
  blocks_[block].carry = carry;
  for (std::size_t i = low; i < width; ++i) {
    std::vector<Bit> entering = {a[i], b[i]};
    if (model_.chain_after_lut) entering = {lxor(a[i], b[i])};
    enter(chain, entering);
    result[i] = chain_output(chain);
    chain.arrival += model_.carry_ns;
    ++chain.bits;
    ++chain.place;
  }
  return result;
}

void BitNetwork::enter(Chain& chain, const std::vector<Bit>& bits) {
  for (const Bit bit : bits) {
    if (is_constant_bit(bit)) continue;
    blocks_[chain.block].inputs.push_back(bit);
    blocks_[chain.block].places.push_back(chain.place);
    ++nodes_[bit >> 1].uses;
    if (arrival(bit) > chain.arrival || chain.critical == 0) {
      chain.arrival = arrival(bit);
      chain.critical = bit >> 1;
      chain.bits = 0;
    }
  }
}

Bit BitNetwork::chain_output(const Chain& chain) {
  const Bit output = block_output(Kind::kSum, chain.block, chain.arrival + model_.chain_ns,
                                  chain.critical, chain.bits);
  nodes_.back().place = chain.place;
  return output;
}

Bit BitNetwork::less(const std::vector<Bit>& a, const std::vector<Bit>& b) {
  // Low bits where b has zeros or a has ones decide nothing.
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool decides = a[i] != b[i] && b[i] != kZeroBit && a[i] != kOneBit;
    if (a[i] != b[i] && (decides || !open.empty())) open.push_back(i);
  }
  // The rest may be a comparison with 1 or all ones: no chain.
  const auto is_above = [&](std::size_t from, const std::vector<Bit>& bits, Bit constant) {
    return std::all_of(open.begin() + static_cast<long>(from), open.end(),
                       [&](std::size_t i) { return bits[i] == constant; });
  };
  const auto picked = [&](const std::vector<Bit>& bits) {
    std::vector<Bit> result;
    for (const std::size_t i : open) result.push_back(bits[i]);
    return result;
  };
  if (open.empty()) return kZeroBit;
  if (is_above(0, b, kOneBit)) return inverted(all(picked(a)));
  if (is_above(0, a, kZeroBit)) return any(picked(b));
  if (b[open.front()] == kOneBit && is_above(1, b, kZeroBit)) return inverted(any(picked(a)));
  int signals = 0;
  for (const std::size_t i : open) signals += !is_constant_bit(a[i]) + !is_constant_bit(b[i]);
  if (signals <= model_.native_inputs || static_cast<int>(open.size()) < model_.least_chain_bits) {
    Bit result = kZeroBit;
    for (const std::size_t i : open) result = mux(lxor(a[i], b[i]), b[i], result);
    return result;
  }
  const int block = static_cast<int>(blocks_.size());
  const int step = signals > static_cast<int>(open.size()) ? model_.compare_bits_per_carry
                                                           : 2 * model_.compare_bits_per_carry;
  const int length = (static_cast<int>(open.size()) + step - 1) / step;
  blocks_.push_back({Kind::kSum, length, {}, {}, kZeroBit});
  Chain chain{.block = block};
  for (std::size_t i = 0; i < open.size(); i += step) {
    std::vector<Bit> entering;
    if (model_.chain_after_lut) {
      std::vector<Bit> differ;
      for (std::size_t j = i; j < std::min(open.size(), i + step); ++j) {
        differ.push_back(lxor(a[open[j]], b[open[j]]));
      }
      entering = {any(differ)};
    } else {
      for (std::size_t j = i; j < std::min(open.size(), i + step); ++j) {
        entering.push_back(a[open[j]]);
        entering.push_back(b[open[j]]);
      }
    }
    enter(chain, entering);
    chain.arrival += model_.carry_ns;
    ++chain.bits;
    ++chain.place;
  }
  return chain_output(chain);
}

std::vector<Bit> BitNetwork::product(const std::vector<Bit>& inputs, unsigned width, int blocks) {
  const int block = static_cast<int>(blocks_.size());
  blocks_.push_back({Kind::kProduct, blocks, inputs, {}, kZeroBit});
  double latest = 0;
  int critical = 0;
  for (const Bit bit : inputs) {
    ++nodes_[bit >> 1].uses;
    if (critical == 0 || arrival(bit) > latest) {
      latest = arrival(bit);
      critical = bit >> 1;
    }
  }
  std::vector<Bit> result;
  for (unsigned i = 0; i < width; ++i) {
    result.push_back(block_output(Kind::kProduct, block, latest + model_.multiply_ns, critical, 0));
  }
  return result;
}

/// The owners inside a table, along one way from its output to one of its inputs.
std::vector<int> BitNetwork::owners_inside(int gate, const Cut& cut, int input) const {
  std::vector<std::pair<int, std::vector<int>>> open = {{gate, {}}};
  while (!open.empty()) {
    const auto [at, owners] = open.back();
    open.pop_back();
    for (int i = 0; i < nodes_[at].input_count; ++i) {
      const int below = nodes_[at].inputs[i] >> 1;
      if (below == input) return owners;
      if (nodes_[below].input_count > 0 &&
          !std::count(cut.leaves.begin(), cut.leaves.begin() + cut.size, below)) {
        std::vector<int> longer = owners;
        longer.push_back(nodes_[below].owner);
        open.emplace_back(below, longer);
      }
    }
  }
  return {};
}

BitNetwork::Path BitNetwork::path(Bit bit) const {
  Path path;
  int at = bit >> 1;
  while (at > 0) {
    const Node& node = nodes_[at];
    path.owners.push_back(node.owner);
    if (node.kind == Kind::kLeaf || node.kind == Kind::kConstant) break;
    if (node.chain >= 0) {
      (node.kind == Kind::kSum ? path.chains : path.multipliers) += 1;
      path.carry_bits += node.carry_bits;
      at = node.critical;
      continue;
    }
    const Cut& cut = node.cuts.front();
    ++path.tables;
    path.extra_inputs += std::max(0, cut.size - model_.native_inputs);
    int latest = cut.leaves[0];
    for (int i = 1; i < cut.size; ++i) {
      if (nodes_[cut.leaves[i]].arrival > nodes_[latest].arrival) latest = cut.leaves[i];
    }
    const std::vector<int> inside = owners_inside(at, cut, latest);
    path.owners.insert(path.owners.end(), inside.begin(), inside.end());
    at = latest;
  }
  return path;
}

BitNetwork::Area BitNetwork::area(const std::vector<Bit>& roots, double period_ns) const {
  // From the outputs down: each needed gate takes the cut with the smallest shared area that still
  // meets its required time.
  std::vector<double> required(nodes_.size(), INFINITY);
  std::vector<bool> needed(nodes_.size(), false);
  std::vector<bool> block_done(blocks_.size(), false);
  Area area;
  const auto need = [&](int node, double time) {
    needed[node] = true;
    required[node] = std::min(required[node], time);
  };
  for (const Bit root : roots) need(root >> 1, std::max(period_ns, arrival(root)));
  for (int at = static_cast<int>(nodes_.size()) - 1; at > 0; --at) {
    if (!needed[at]) continue;
    const Node& node = nodes_[at];
    if (node.chain >= 0) {
      const Block& block = blocks_[node.chain];
      if (!block_done[node.chain]) {
        block_done[node.chain] = true;
        (block.kind == Kind::kSum ? area.carry_bits : area.multipliers) += block.size;
        for (const Bit bit : block.inputs) need(bit >> 1, arrival(bit));
      }
    } else if (!node.cuts.empty()) {
      const Cut* best = &node.cuts.front();
      for (const Cut& cut : node.cuts) {
        if (cut.arrival <= required[at] + 1e-9 && cut.area < best->area) best = &cut;
      }
      area.tables += model_.table_area(best->size);
      for (int i = 0; i < best->size; ++i) {
        need(best->leaves[i], required[at] - model_.table_ns(best->size));
      }
    }
  }
  return area;
}

}  // namespace systole::compiler
