#include <algorithm>

#include "hls/compiler/schedule/bit_network.h"

namespace systole::compiler {

std::vector<int> BitNetwork::loads(const std::vector<Root>& roots) const {
  std::vector<int> loads(nodes_.size(), 0);
  std::vector<bool> block_done(blocks_.size(), false);
  for (const Root& root : roots) loads[root.bit >> 1] += root.weight;
  for (int at = static_cast<int>(nodes_.size()) - 1; at > 0; --at) {
    const Node& node = nodes_[at];
    if (loads[at] == 0) continue;
    if (node.chain >= 0) {
      if (block_done[node.chain]) continue;
      block_done[node.chain] = true;
      for (const Bit bit : blocks_[node.chain].inputs) ++loads[bit >> 1];
      ++loads[blocks_[node.chain].carry >> 1];
    } else if (!node.cuts.empty()) {
      const Cut& cut = node.cuts.front();
      for (int i = 0; i < cut.size; ++i) ++loads[cut.leaves[i]];
    }
  }
  return loads;
}

BitNetwork::Latest BitNetwork::latest_input(const Node& node,
                                            const std::vector<double>& done_ns) const {
  Latest latest;
  const auto consider = [&](int input, double ns) {
    if (done_ns[input] <= kNever || done_ns[input] + ns <= latest.done_ns) return;
    latest = {.input = input, .done_ns = done_ns[input] + ns};
  };
  if (node.chain >= 0) {
    const Block& block = blocks_[node.chain];
    const bool sums = node.kind == Kind::kSum;
    for (std::size_t i = 0; i < block.inputs.size(); ++i) {
      const int bits = sums ? node.place - block.places[i] : 0;
      if (bits < 0) continue;
      consider(block.inputs[i] >> 1, sums ? model_.chain_ns + bits * model_.carry_ns
                                          : model_.multiply_ns + 2 * model_.far_ns);
    }
    consider(block.carry >> 1, model_.chain_ns + node.place * model_.carry_ns);
  } else if (!node.cuts.empty()) {
    const Cut& cut = node.cuts.front();
    for (int i = 0; i < cut.size; ++i) consider(cut.leaves[i], model_.table_ns(cut.size));
  }
  return latest;
}

std::vector<double> BitNetwork::done_ns(const std::function<double(int owner)>& start,
                                        const std::vector<int>& loads) const {
  std::vector<double> done(nodes_.size(), kNever);
  for (std::size_t at = 1; at < nodes_.size(); ++at) {
    const Node& node = nodes_[at];
    done[at] = node.kind == Kind::kLeaf ? start(node.owner) : latest_input(node, done).done_ns;
    if (done[at] > kNever) done[at] += model_.load_ns(loads[at]);
  }
  return done;
}

std::vector<int> BitNetwork::owners_on_path(Bit bit, const std::vector<double>& done_ns) const {
  std::vector<int> owners;
  for (int at = bit >> 1; at > 0;) {
    const Node& node = nodes_[at];
    owners.push_back(node.owner);
    const int input = latest_input(node, done_ns).input;
    if (input > 0 && node.chain < 0) {
      const std::vector<int> inside = owners_inside(at, node.cuts.front(), input);
      owners.insert(owners.end(), inside.begin(), inside.end());
    }
    at = input;
  }
  return owners;
}

}  // namespace systole::compiler
