#include "host/compiler/program/kernel_order.h"

#include <algorithm>
#include <utility>

namespace systole::lowering {
namespace {

/// About what it takes to bring a program.
constexpr std::int64_t kProgramClocks = 300;

bool overlap(std::span<const MemorySpan> some, std::span<const MemorySpan> others) {
  return std::ranges::any_of(some, [&](const MemorySpan& one) {
    return std::ranges::any_of(others, [&](const MemorySpan& other) {
      return one.first < other.end && other.first < one.end;
    });
  });
}

}  // namespace

std::int64_t KernelOrder::ready(const KernelPart& part) const {
  return lowering_.streams().times().ready(kVectors,
                                           uses_.before(kVectors, part.reads, part.writes));
}

void KernelOrder::add(std::vector<KernelPart> parts) {
  for (KernelPart& part : parts) {
    // A filled gap takes its program's place, which later parts rely on.
    if (part.programs > 0) fill(ready(part));
    loaded_ = kNoKernel;
    place(std::move(part));
  }
}

void KernelOrder::add_later(std::vector<KernelPart> parts, std::size_t kernel) {
  if (programs_.size() <= kernel) programs_.resize(kernel + 1);
  std::int64_t clocks = 0;
  for (const KernelPart& part : parts) clocks += part.clocks;
  for (KernelPart& part : parts) {
    const auto end = part.commands.begin() + static_cast<std::ptrdiff_t>(part.programs);
    if (part.programs > 0) set_program(kernel, {part.commands.begin(), end});
    part.commands.erase(part.commands.begin(), end);
    part.programs = 0;
    const std::int64_t when = ready(part);
    waiting_.push_back(
        {.part = std::move(part), .kernel = kernel, .kernel_clocks = clocks, .ready = when});
  }
}

// A step's program has that step's scalars, so the parts of the step before come first.
void KernelOrder::set_program(std::size_t kernel, std::vector<device::CommandWord> program) {
  if (programs_[kernel] == program) return;
  const auto is_its = [&](const Waiting& waiting) { return waiting.kernel == kernel; };
  while (std::ranges::any_of(waiting_, is_its)) place_waiting(next(is_its));
  if (loaded_ == kernel) loaded_ = kNoKernel;
  programs_[kernel] = std::move(program);
}

void KernelOrder::settle(std::span<const MemorySpan> reads, std::span<const MemorySpan> writes) {
  const auto conflicts = [&](const Waiting& waiting) {
    return overlap(waiting.part.writes, reads) || overlap(waiting.part.writes, writes) ||
           overlap(waiting.part.reads, writes);
  };
  if (std::ranges::none_of(waiting_, conflicts)) return;
  for (std::size_t chosen = next(conflicts); chosen < waiting_.size(); chosen = next(conflicts)) {
    place_waiting(chosen);
  }
}

void KernelOrder::settle() {
  const auto any = [](const Waiting&) { return true; };
  while (!waiting_.empty()) place_waiting(next(any));
}

// What fits before `until`, if the engine has nothing else to do.
void KernelOrder::fill(std::int64_t until) {
  const auto fits = [&](const Waiting& waiting) {
    return std::max(free(), waiting.ready) + waiting.part.clocks + 2 * kProgramClocks <= until;
  };
  for (std::size_t chosen = next(fits); chosen < waiting_.size(); chosen = next(fits)) {
    place_waiting(chosen);
  }
}

// Of those that are ready when the engine is free the smallest kernel's first, else the first to be
// ready; waiting_.size() if none may come.
template <typename May>
std::size_t KernelOrder::next(const May& may) const {
  std::size_t chosen = waiting_.size();
  const auto rank = [&](const Waiting& waiting) {
    return std::pair(std::max(waiting.ready, free()), waiting.kernel_clocks);
  };
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (!may(waiting_[i])) continue;
    if (chosen == waiting_.size() || rank(waiting_[i]) < rank(waiting_[chosen])) chosen = i;
  }
  return chosen;
}

void KernelOrder::place_waiting(std::size_t number) {
  Waiting waiting = std::move(waiting_[number]);
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(number));
  if (std::exchange(loaded_, waiting.kernel) != waiting.kernel) {
    const auto& programs = programs_[waiting.kernel];
    auto& commands = waiting.part.commands;
    commands.insert(commands.begin(), programs.begin(), programs.end());
  }
  place(std::move(waiting.part));
}

void KernelOrder::LinkTimes::use(std::int64_t start, std::int64_t end) {
  if (!first) first = start;
  longest = std::max(longest, start - last);
  last = end;
}

std::int64_t KernelOrder::longest_stretch() const {
  std::int64_t longest = 0;
  for (const LinkTimes& link : {above_, below_}) {
    if (!link.first) continue;
    const std::int64_t around = lowering_.streams().times().clocks() - link.last + *link.first;
    longest = std::max({longest, link.longest, around});
  }
  return longest;
}

void KernelOrder::place(KernelPart part) {
  Step step;
  step.command = part.commands.back();
  part.commands.pop_back();
  step.before = std::move(part.commands);
  step.after = uses_.before(kVectors, part.reads, part.writes);
  step.clocks = std::max<std::int64_t>(1, part.clocks);
  const std::int32_t number = lowering_.add_vector(step, part.writes);
  if (part.meets_above) above_.use(free() - step.clocks, free());
  if (part.meets_below) below_.use(free() - step.clocks, free());
  summed_.insert(summed_.end(), part.reads.begin(), part.reads.end());
  if (part.signals) uses_.note(kVectors, number, std::exchange(summed_, {}), part.writes);
}

}  // namespace systole::lowering
