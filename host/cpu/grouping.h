#pragma once

#include "host/cpu/kernel.h"
#include "host/cpu/loop.h"

namespace systole::graph {

/// Where a program keeps a graph's values.
struct Storage {
  enum class Kind : std::uint8_t {
    kNone,      ///< only inside a loop, or unused
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

/// Cuts a graph into kernels in a runnable order: loops of elementwise operations with their
/// broadcasts, slices, transposes and sums, and one kernel for every other operation, except those
/// that kernels of `elsewhere` do: operations whose results only they need are left out.
///
/// Limits   the graph must outlive the kernels. What a kernel of `elsewhere` reads comes before
/// what
///          it writes in the graph
struct Kernels {
  Storage storage;
  std::vector<Kernel> kernels;
  std::vector<int> products;  ///< operations that multiply here
};
Kernels make_kernels(const Graph& graph, std::vector<Kernel> elsewhere = {});

/// Sorts kernels by these numbers, one per kernel, as far as their reads allow.
void sort_kernels(Kernels& kernels, const std::vector<double>& orders);

}  // namespace systole::graph
