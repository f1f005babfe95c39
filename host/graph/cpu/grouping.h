#pragma once

#include "host/graph/cpu/loop.h"
#include "host/graph/cpu/offload.h"

namespace systole::graph {

/// What a program needs of a graph's values before anything runs.
struct Storage {
  enum class Kind : std::uint8_t {
    kNone,      ///< inside a loop, or a view of another value
    kMemory,    ///< written by a kernel
    kInput,     ///< given by the caller
    kConstant,  ///< in `constants`
    kAlias,     ///< the same elements as `alias`, in another shape
  };
  struct Place {
    Kind kind = Kind::kNone;
    int alias = -1;
  };
  std::vector<Place> places;                          ///< by value
  std::vector<std::vector<std::uint32_t>> constants;  ///< by value; empty where none

  int base(int value) const;  ///< the value whose memory holds it
};

/// Cuts a graph into kernels, in an order in which they can run: loops of elementwise operations,
/// with their broadcasts, slices, transposes and sums, and one for every other operation, but for
/// those that `parts` do.
///
/// Limits   the graph outlives the kernels
struct Kernels {
  Storage storage;
  std::vector<Kernel> kernels;
};
Kernels make_kernels(const Graph& graph, std::vector<Offload::Part> parts = {});

/// Puts them in the order of these numbers, one a kernel, as far as what they read allows.
void sort_kernels(Kernels& kernels, const std::vector<double>& orders);

}  // namespace systole::graph
