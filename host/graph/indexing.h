#pragma once

#include <algorithm>

#include "host/graph/operation.h"

namespace systole::graph {

/// How gather and scatter address the operand: `indices` holds vectors with the starts of slices.
/// The slices lie along `window` in the other tensor (gather's result, scatter's updates).
struct Indexing {
  const Integers& window;     ///< dimensions of the other tensor within a slice
  const Integers& collapsed;  ///< dimensions of size 1 in a slice, absent from the other tensor
  const Integers& map;        ///< the operand's dimension for each number of a vector
  std::int64_t vector_dimension = 0;  ///< of indices; their rank if each number is a vector

  /// Calls work(place in the other tensor, place in the operand or -1 outside). `index_at(i)` is
  /// the i-th index; slice_sizes, for gather, clamps slices to the operand.
  template <typename IndexAt, typename Work>
  void for_each(const Shape& other, const Shape& operand, const Shape& indices,
                const Integers* slice_sizes, const IndexAt& index_at, const Work& work) const {
    const Integers strides = row_major_strides(indices);
    const Integers operand_strides = row_major_strides(operand);
    Integers kept;
    for (std::int64_t d = 0; d < std::ssize(operand); ++d) {
      if (!contains(collapsed, d)) kept.push_back(d);
    }
    std::int64_t place = 0;
    for_each_index(other, [&](const Integers& index) {
      Integers at(operand.size(), 0);
      std::int64_t vector = 0;
      std::int64_t next_kept = 0, next_batch = 0;
      for (std::int64_t d = 0; d < std::ssize(index); ++d) {
        if (contains(window, d)) {
          at[kept[next_kept++]] = index[d];
          continue;
        }
        if (next_batch == vector_dimension) ++next_batch;
        vector += index[d] * strides[next_batch++];
      }
      const bool has_dimension = vector_dimension < std::ssize(indices);
      for (std::int64_t k = 0; k < std::ssize(map); ++k) {
        const std::int64_t step = has_dimension ? strides[vector_dimension] : 0;
        const std::int64_t d = map[k];
        std::int64_t start = index_at(vector + k * step);
        if (slice_sizes != nullptr) {
          start = std::clamp<std::int64_t>(start, 0, operand[d] - (*slice_sizes)[d]);
        }
        at[d] += start;
      }
      std::int64_t source = 0;
      for (std::size_t d = 0; d < at.size() && source >= 0; ++d) {
        source = at[d] < 0 || at[d] >= operand[d] ? -1 : source + at[d] * operand_strides[d];
      }
      work(place++, source);
    });
  }
};

/// For a gather or scatter that inference has accepted.
Indexing indexing_of(const Call& call);

}  // namespace systole::graph
