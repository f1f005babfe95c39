#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "hls/compiler/schedule/delay_model.h"

namespace systole::compiler {

/// A bit of a BitNetwork, perhaps inverted: twice the node, plus 1 for inverted.
using Bit = int;
inline constexpr Bit kZeroBit = 0;
inline constexpr Bit kOneBit = 1;
inline Bit inverted(Bit bit) { return bit ^ 1; }
inline bool is_constant_bit(Bit bit) { return bit <= kOneBit; }

/// Logic of single bits as gates and hard blocks, with each bit's arrival time after packing the
/// gates into look-up tables.
///
/// A gate arrives with the best of a few cuts: sets of at most `widest_inputs` earlier bits from
/// which one table can compute it. Packing for depth with priority cuts follows Mishchenko,
/// Cho, Chatterjee and Brayton, "Combinational and sequential mapping with priority cuts" (2007).
class BitNetwork {
 public:
  enum class Kind : std::uint8_t { kConstant, kLeaf, kAnd, kXor, kMux, kSum, kProduct };

  explicit BitNetwork(const DelayModel& model);

  /// A register or port, which arrives at time 0.
  Bit leaf();

  Bit land(Bit a, Bit b);
  Bit lor(Bit a, Bit b) { return inverted(land(inverted(a), inverted(b))); }
  Bit lxor(Bit a, Bit b);
  Bit mux(Bit select, Bit when_one, Bit when_zero);
  /// The AND of all bits, late ones last.
  Bit all(std::vector<Bit> bits);
  Bit any(std::vector<Bit> bits);

  /// a + b + carry, as long as a; on a carry chain if long enough.
  std::vector<Bit> sum(const std::vector<Bit>& a, const std::vector<Bit>& b, Bit carry);
  /// Whether a < b, unsigned, of equal lengths.
  Bit less(const std::vector<Bit>& a, const std::vector<Bit>& b);
  /// The low `width` bits of a product from `blocks` multiplier blocks.
  std::vector<Bit> product(const std::vector<Bit>& inputs, unsigned width, int blocks);

  double arrival(Bit bit) const { return nodes_[bit >> 1].arrival; }

  /// The parts of the slowest path to a bit, and the owners of its nodes, last first.
  struct Path {
    int tables = 0;
    int extra_inputs = 0;  ///< above native_inputs, of all its tables
    int chains = 0;
    int carry_bits = 0;
    int multipliers = 0;
    std::vector<int> owners;
  };
  Path path(Bit bit) const;

  /// Sets the owner of nodes made from now on.
  void set_owner(int owner) { owner_ = owner; }

  /// How many inputs each node drives once the gates below the roots are packed into tables,
  /// `weight` of them for a root.
  struct Root {
    Bit bit = kZeroBit;
    int weight = 1;
  };
  std::vector<int> loads(const std::vector<Root>& roots) const;

  /// When each node is done, where a leaf is there at `start` of its owner, and a node with many
  /// loads takes longer to reach them; kNever without such a leaf below.
  static constexpr double kNever = -1e9;
  std::vector<double> done_ns(const std::function<double(int owner)>& start,
                              const std::vector<int>& loads) const;

  /// The owners on the slowest path to a bit by `done_ns`, last first.
  std::vector<int> owners_on_path(Bit bit, const std::vector<double>& done_ns) const;

  /// Parts for the bits and everything below them, with few tables where time allows.
  struct Area {
    int tables = 0;
    int carry_bits = 0;
    int multipliers = 0;
  };
  Area area(const std::vector<Bit>& roots, double period_ns) const;

 private:
  static constexpr int kMaxInputs = 7;
  static constexpr int kCuts = 5;

  struct Cut {
    double arrival = 0;
    double area = 0;  ///< tables of this cut and, shared out, below it
    int size = 0;
    std::array<int, kMaxInputs> leaves{};
  };
  struct Node {
    Kind kind = Kind::kLeaf;
    int owner = -1;
    int chain = -1;      ///< the hard block it is an output of
    int critical = -1;   ///< of a block's output: the node that decides its arrival
    int place = 0;       ///< of a block's output: its bit of the chain
    int carry_bits = 0;  ///< from there along the chain
    double arrival = 0;
    double area = 0;
    int uses = 0;
    std::array<Bit, 3> inputs{};
    int input_count = 0;
    std::vector<Cut> cuts;  ///< best first; empty unless it is a gate
  };
  struct Block {
    Kind kind = Kind::kSum;
    int size = 0;  ///< bits of a chain, multiplier blocks of a product
    std::vector<Bit> inputs;
    std::vector<int> places;  ///< bit of the chain that each input enters; empty for a product
    Bit carry = kZeroBit;     ///< into the chain
  };

  /// The input that decides when a node is done, 0 for none, and when the node is done without its
  /// loads.
  struct Latest {
    int input = 0;
    double done_ns = kNever;
  };
  Latest latest_input(const Node& node, const std::vector<double>& done_ns) const;
  std::vector<int> owners_inside(int gate, const Cut& cut, int input) const;
  Bit gate(Kind kind, std::array<Bit, 3> inputs, int count);
  void find_cuts(Node& node) const;
  bool merge(const Cut& a, const Cut& b, Cut& merged) const;
  Cut trivial(int node) const;
  Bit block_output(Kind kind, int block, double arrival, int critical, int carry_bits);

  /// A carry chain under construction: its carry's arrival, and the input that decides it.
  struct Chain {
    int block = 0;
    double arrival = 0;
    int critical = 0;
    int bits = 0;   ///< since `critical`
    int place = 0;  ///< since the chain's start
  };
  void enter(Chain& chain, const std::vector<Bit>& bits);
  Bit chain_output(const Chain& chain);

  const DelayModel& model_;
  int owner_ = -1;
  std::vector<Node> nodes_;
  std::vector<Block> blocks_;
  std::map<std::array<int, 4>, int> known_;
};

}  // namespace systole::compiler
