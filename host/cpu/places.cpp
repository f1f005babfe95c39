#include <algorithm>
#include <cstring>

#include "host/cpu/kernel.h"
#include "host/cpu/parallel.h"
#include "host/graph/attribute.h"
#include "host/graph/indexing.h"
#include "host/graph/philox.h"
#include "systole/support/ceil_div.h"

namespace systole::graph {
namespace {

using std::int64_t;
using Word = std::uint32_t;

// Copies a block of `shape` between tensors with different strides.
void copy_block(const Shape& shape, const Word* from, const Integers& from_strides, Word* to,
                const Integers& to_strides) {
  if (std::ranges::count(shape, 0) > 0) return;
  if (shape.empty()) {
    *to = *from;
    return;
  }
  const Shape outer(shape.begin(), shape.end() - 1);
  const int64_t run = shape.back(), step_from = from_strides.back(), step_to = to_strides.back();
  for_each_index(outer, [&](const Integers& index) {
    const Word* x = from;
    Word* y = to;
    for (std::size_t d = 0; d < index.size(); ++d) {
      x += index[d] * from_strides[d];
      y += index[d] * to_strides[d];
    }
    if (step_from == 1 && step_to == 1) {
      std::memcpy(y, x, static_cast<std::size_t>(run) * sizeof(Word));
    } else {
      for (int64_t i = 0; i < run; ++i) y[i * step_to] = x[i * step_from];
    }
  });
}

Kernel concatenate_kernel(const Graph& graph, const Operation& operation) {
  return {.run = [&graph, &operation](Pointers pointers, int) {
    const auto dimension = static_cast<std::size_t>(attribute<int64_t>(operation, "dimension"));
    const Integers strides = row_major_strides(graph.type(operation.results[0]).shape);
    Word* to = pointer<Word>(pointers, operation.results[0]);
    for (const int operand : operation.operands) {
      const Shape& shape = graph.type(operand).shape;
      copy_block(shape, pointer<Word>(pointers, operand), row_major_strides(shape), to, strides);
      to += shape[dimension] * strides[dimension];
    }
  }};
}

// Only for padding >= 0.
Kernel pad_kernel(const Graph& graph, const Operation& operation) {
  const auto numbers = [&](std::size_t i) { return std::get<Integers>(operation.attributes[i]); };
  const Integers low = numbers(0), high = numbers(1), interior = numbers(2);
  const auto cuts = [](int64_t n) { return n < 0; };
  if (std::ranges::any_of(low, cuts) || std::ranges::any_of(high, cuts)) return {};
  return {.run = [=, &graph, &operation](Pointers pointers, int) {
    const Shape& result = graph.type(operation.results[0]).shape;
    const Shape& shape = graph.type(operation.operands[0]).shape;
    Integers strides = row_major_strides(result);
    Word* to = pointer<Word>(pointers, operation.results[0]);
    std::fill_n(to, element_count(result), *pointer<Word>(pointers, operation.operands[1]));
    for (std::size_t d = 0; d < low.size(); ++d) {
      to += low[d] * strides[d];
      strides[d] *= interior[d] + 1;
    }
    copy_block(shape, pointer<Word>(pointers, operation.operands[0]), row_major_strides(shape), to,
               strides);
  }};
}

// Whole rows of a table by their numbers.
bool takes_rows(const Graph& graph, const Operation& operation, const Indexing& how, int other) {
  const Shape& table = graph.type(operation.operands[0]).shape;
  const Type& numbers = graph.type(operation.operands[1]);
  const Shape& rows = graph.type(other).shape;
  const auto row_rank = static_cast<std::size_t>(std::max<int64_t>(std::ssize(table) - 1, 0));
  return how.collapsed == Integers{0} && how.map == Integers{0} &&
         how.vector_dimension == numbers.rank() &&
         rows.size() == how.window.size() + numbers.shape.size() &&
         std::ranges::equal(std::span(rows).last(row_rank), std::span(table).last(row_rank)) &&
         (how.window.empty() || how.window[0] == numbers.rank());
}

}  // namespace

Kernel copy_kernel(const Graph& graph, const Operation& operation) {
  if (operation.kind->name == "concatenate") return concatenate_kernel(graph, operation);
  if (operation.kind->name == "pad") return pad_kernel(graph, operation);
  return {};
}

Kernel row_kernel(const Graph& graph, const Operation& operation) {
  const bool gathers = operation.kind->name == "gather";
  if (!gathers && operation.kind->name != "scatter") return {};
  const int other = gathers ? operation.results[0] : operation.operands[2];
  const Call call = graph.call(operation);
  if (!takes_rows(graph, operation, indexing_of(call), other)) return {};
  if (!gathers && (call.word("body") != "add" || call.operands[0].element != Element::kF32))
    return {};
  const Shape& table = call.operands[0].shape;
  const int64_t last = table[0] - 1, size = element_count(table) / std::max<int64_t>(1, table[0]);
  const int64_t count = element_count(call.operands[1].shape);
  const bool is_signed = call.operands[1].element != Element::kU32;
  const auto row_of = [is_signed](const Word* numbers, int64_t i) {
    return is_signed ? int64_t{static_cast<std::int32_t>(numbers[i])} : int64_t{numbers[i]};
  };
  if (gathers) {
    return {.run = [=, &operation](Pointers pointers, int) {
      const Word* rows = pointer<Word>(pointers, operation.operands[0]);
      const Word* numbers = pointer<Word>(pointers, operation.operands[1]);
      Word* to = pointer<Word>(pointers, operation.results[0]);
      for (int64_t i = 0; i < count; ++i) {
        to = std::copy_n(rows + std::clamp<int64_t>(row_of(numbers, i), 0, last) * size, size, to);
      }
    }};
  }
  return {.in_place = {{operation.results[0], operation.operands[0]}},
          .run = [=, &operation](Pointers pointers, int) {
            const float* from = pointer<float>(pointers, operation.operands[0]);
            const Word* numbers = pointer<Word>(pointers, operation.operands[1]);
            const float* updates = pointer<float>(pointers, operation.operands[2]);
            float* sums = pointer<float>(pointers, operation.results[0]);
            if (sums != from) std::copy_n(from, (last + 1) * size, sums);
            for (int64_t i = 0; i < count; ++i, updates += size) {
              const int64_t row = row_of(numbers, i);
              if (row < 0 || row > last) continue;
              for (int64_t k = 0; k < size; ++k) sums[row * size + k] += updates[k];
            }
          }};
}

Kernel random_kernel(const Graph& graph, const Operation& operation) {
  if (operation.kind->name != "rng_bit_generator") return {};
  const int64_t count = element_count(graph.type(operation.results[1]).shape);
  return {.run = [=, &operation](Pointers pointers, int threads) {
    std::array<Word, 4> state;
    std::copy_n(pointer<Word>(pointers, operation.operands[0]), 4, state.begin());
    Word* bits = pointer<Word>(pointers, operation.results[1]);
    constexpr int64_t kBlocks = 4096;  // in one part
    const int64_t blocks = (count + 3) / 4;
    for_each_part(threads, ceil_div(blocks, kBlocks), [&](int64_t part) {
      const int64_t end = std::min(blocks, (part + 1) * kBlocks);
      for (int64_t block = part * kBlocks; block < end; ++block) {
        const auto words = random_block(state, static_cast<std::uint64_t>(block));
        std::copy_n(words.begin(), std::min<int64_t>(4, count - 4 * block), bits + 4 * block);
      }
    });
    const auto after = random_state_after(state, static_cast<std::uint64_t>(count));
    std::ranges::copy(after, pointer<Word>(pointers, operation.results[0]));
  }};
}

}  // namespace systole::graph
