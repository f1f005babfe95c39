#pragma once

#include <algorithm>

#include "host/graph/operation.h"

// Helpers of the operations that move elements.
namespace systole::graph {

inline std::int64_t offset(const Integers& index, const Integers& strides) {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < index.size(); ++d) sum += index[d] * strides[d];
  return sum;
}

// The result whose element at each index is the operand's at source(index).
template <typename Source>
std::vector<Literal> moved(const Type& type, const Literal& x, const Source& source) {
  Literal result{type, {}};
  const Integers strides = row_major_strides(x.type.shape);
  for_each_index(type.shape, [&](const Integers& index) {
    result.values.push_back(x.at(offset(source(index), strides)));
  });
  return {result};
}

inline void need_dimensions(const Call& call, const Integers& dimensions, std::int64_t rank,
                            std::string_view what) {
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const std::int64_t d = dimensions[i];
    call.need(d >= 0 && d < rank, "{} {} is not one of {} dimensions", what, d, rank);
    call.need(std::ranges::count(dimensions, d) == 1, "{} {} is named twice", what, d);
  }
}

inline void need_length(const Call& call, std::string_view name, std::int64_t rank) {
  const auto length = static_cast<std::int64_t>(call.integers(name).size());
  call.need(length == rank, "{} has {} numbers, not one for each of {} dimensions", name, length,
            rank);
}

}  // namespace systole::graph
