#include "host/runtime/memory_uses.h"

#include <algorithm>
#include <iterator>

namespace systole {
namespace {

void raise(Step::After& after, const Step::After& other) {
  for (std::size_t i = 0; i < after.size(); ++i) after[i] = std::max(after[i], other[i]);
}

}  // namespace

Step::After MemoryUses::before(Engine engine, std::span<const MemorySpan> reads,
                               std::span<const MemorySpan> writes) const {
  Step::After readers = Step::kNoStep;
  Step::After writers = Step::kNoStep;
  const auto meet = [&](const MemorySpan& span, bool is_written) {
    if (span.first >= span.end) return;
    auto part = std::prev(parts_.upper_bound(span.first));
    for (; part != parts_.end() && part->first < span.end; ++part) {
      raise(writers, part->second.written);
      if (is_written) raise(readers, part->second.read);
    }
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
    if (span.first >= span.end) return;
    split(span.first);
    split(span.end);
    for (auto part = parts_.find(span.first); part != parts_.end() && part->first < span.end;
         ++part) {
      (part->second.*member)[engine] = step;
    }
  };
  for (const MemorySpan& span : reads) use(span, &Use::read);
  for (const MemorySpan& span : writes) use(span, &Use::written);
}

void MemoryUses::split(std::uint64_t address) {
  const auto next = parts_.upper_bound(address);
  parts_.emplace_hint(next, address, std::prev(next)->second);
}

}  // namespace systole
