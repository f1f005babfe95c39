#include "host/compiler/schedule/memory_uses.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace systole {
namespace {

void raise(Step::After& after, const Step::After& other) {
  for (std::size_t i = 0; i < after.size(); ++i) after[i] = std::max(after[i], other[i]);
}

template <typename Parts>
void split(Parts& parts, std::uint64_t address) {
  const auto next = parts.upper_bound(address);
  parts.emplace_hint(next, address, std::prev(next)->second);
}

/// The bytes of a row that a span inside a matrix uses; nothing where its rows are others.
template <typename Matrix>
std::optional<MemorySpan> columns_in(const Matrix& matrix, const MemorySpan& span) {
  if (span.first < matrix.first || span.end > matrix.end) return {};
  const std::uint64_t bytes =
      span.stride == 0 ? span.end - span.first : (span.end - span.first) % span.stride;
  const std::uint64_t column = (span.first - matrix.first) % matrix.stride;
  if (span.stride != 0 && span.stride != matrix.stride) return {};
  if (bytes == 0 || column + bytes > matrix.stride) return {};
  return MemorySpan{column, column + bytes};
}

}  // namespace

void MemoryUses::follow_columns(std::uint64_t first, std::uint64_t end, std::uint64_t stride) {
  const bool is_known = std::ranges::any_of(matrices_, [&](const Matrix& matrix) {
    return matrix.first == first && matrix.end == end && matrix.stride == stride;
  });
  if (!is_known) matrices_.push_back({.first = first, .end = end, .stride = stride});
}

template <typename Self, typename Work>
void MemoryUses::in_parts(Self& self, const MemorySpan& span, const Work& work) {
  if (span.first >= span.end) return;
  bool is_inside = false;
  for (auto& matrix : self.matrices_) {
    if (span.end <= matrix.first || matrix.end <= span.first) continue;
    const std::optional<MemorySpan> columns = columns_in(matrix, span);
    work(matrix.columns, columns.value_or(MemorySpan{0, matrix.stride}));
    is_inside = is_inside || columns.has_value();
  }
  // Whoever looks for this use there overlaps the matrix, too.
  if (!is_inside) work(self.parts_, span);
}

Step::After MemoryUses::before(Engine engine, std::span<const MemorySpan> reads,
                               std::span<const MemorySpan> writes) const {
  Step::After readers = Step::kNoStep;
  Step::After writers = Step::kNoStep;
  const auto meet = [&](const MemorySpan& span, bool is_written) {
    in_parts(*this, span, [&](const Parts& parts, const MemorySpan& here) {
      auto part = std::prev(parts.upper_bound(here.first));
      for (; part != parts.end() && part->first < here.end; ++part) {
        raise(writers, part->second.written);
        if (is_written) raise(readers, part->second.read);
      }
    });
  };
  for (const MemorySpan& span : reads) meet(span, false);
  for (const MemorySpan& span : writes) meet(span, true);
  // An engine's steps read in order before later ones of it write.
  readers[engine] = Step::kNothing;
  if (engine != kVectors) writers[engine] = Step::kNothing;
  raise(readers, writers);
  return readers;
}

void MemoryUses::note(Engine engine, std::int32_t step, std::span<const MemorySpan> reads,
                      std::span<const MemorySpan> writes) {
  const auto use = [&](const MemorySpan& span, auto member) {
    in_parts(*this, span, [&](Parts& parts, const MemorySpan& here) {
      split(parts, here.first);
      split(parts, here.end);
      for (auto part = parts.find(here.first); part != parts.end() && part->first < here.end;
           ++part) {
        (part->second.*member)[engine] = step;
      }
    });
  };
  for (const MemorySpan& span : reads) use(span, &Use::read);
  for (const MemorySpan& span : writes) use(span, &Use::written);
}

}  // namespace systole
