#include "host/cpu/loop.h"

#include <algorithm>
#include <cstring>

#include "host/cpu/combine.h"
#include "host/cpu/parallel.h"
#include "systole/support/ceil_div.h"

namespace systole::graph {
namespace {

using std::int64_t;
using Word = std::uint32_t;

constexpr int64_t kBlock = 256;       // elements of a slot: about sixteen slots fit the L1 cache
constexpr int64_t kPadding = 16;      // keeps slots in different cache sets
constexpr int64_t kPart = 16 * 1024;  // elements worth a thread

void narrow(Element element, Word* words, int64_t count) {
  if (element == Element::kBf16) {
    for (int64_t i = 0; i < count; ++i) {
      const Word word = words[i];
      const bool is_nan = (word & 0x7fff'ffffU) > 0x7f80'0000U;
      words[i] = is_nan ? word : (word + 0x7fffU + (word >> 16 & 1U)) & 0xffff'0000U;
    }
  } else if (element == Element::kS8) {
    for (int64_t i = 0; i < count; ++i) {
      words[i] = static_cast<Word>(int32_t{static_cast<std::int8_t>(words[i])});
    }
  } else if (element == Element::kU8) {
    for (int64_t i = 0; i < count; ++i) words[i] &= 0xffU;
  }
}

}  // namespace

struct FusedLoop::State {
  enum class Source : std::uint8_t { kConstant, kDense, kView, kRegister, kWritten };
  struct Slot {
    Source source = Source::kRegister;
    Word word = 0;   // of a constant
    int value = -1;  // in memory
    int64_t offset = 0;
    Integers strides = {};              // of a view
    bool repeats = false;               // the same in every block
    int first_use = -1, last_use = -1;  // steps
    std::size_t buffer = 0;
  };
  struct Step {
    Loop loop = nullptr;  // null: a copy
    Element element = Element::kF32;
    std::vector<int> operands;
    int result = -1;
  };
  struct Sum {
    Combine combine = Combine::kAdd;
    int slot = -1, value = -1;
    Integers strides;
    float start = 0;
    bool at_once = false;  // one part writes each result
    int64_t kept = 1;      // results
    std::vector<float> partial = {};
  };

  Shape shape;
  int64_t count = 0, block = kBlock, part = kPart, parts = 1;
  std::size_t buffers = 0;
  std::vector<Slot> slots;
  std::vector<Step> steps;
  std::vector<Sum> sums;

  // Calls work(offset in the block, elements, their place by these strides) for each run along the
  // last dimension.
  template <typename Work>
  void for_each_run(const Integers& strides, int64_t start, int64_t length,
                    const Work& work) const {
    if (shape.empty()) return work(int64_t{0}, length, int64_t{0});
    std::array<int64_t, 16> index{};
    const std::size_t rank = shape.size();
    int64_t place = 0, rest = start;
    for (std::size_t d = rank; d-- > 0;) {
      index[d] = rest % shape[d];
      rest /= shape[d];
      place += index[d] * strides[d];
    }
    for (int64_t done = 0; done < length;) {
      const int64_t run = std::min(length - done, shape[rank - 1] - index[rank - 1]);
      work(done, run, place);
      done += run;
      std::size_t d = rank - 1;
      index[d] += run;
      place += run * strides[d];
      while (d > 0 && index[d] == shape[d]) {
        place += strides[d - 1] - index[d] * strides[d];
        index[d] = 0;
        ++index[--d];
      }
    }
  }

  void fill(const Slot& slot, const Word* from, int64_t start, int64_t length, Word* to) const {
    const int64_t step = slot.strides.empty() ? 0 : slot.strides.back();
    for_each_run(slot.strides, start, length, [&](int64_t at, int64_t run, int64_t place) {
      const Word* x = from + slot.offset + place;
      Word* y = to + at;
      if (step == 1) {
        for (int64_t i = 0; i < run; ++i) y[i] = x[i];
      } else if (step == 0) {
        std::fill_n(y, run, *x);
      } else {
        for (int64_t i = 0; i < run; ++i) y[i] = x[i * step];
      }
    });
  }

  // Adds whole rows to one, four at a time: each sum then waits for memory a quarter as often.
  void accumulate_rows(const auto& f, const float* x, int64_t rows, float* __restrict y) const {
    const int64_t run = shape[1];
    int64_t row = 0;
    for (; row + 4 <= rows; row += 4, x += 4 * run) {
      for (int64_t i = 0; i < run; ++i) {
        y[i] = f(f(f(f(y[i], x[i]), x[run + i]), x[2 * run + i]), x[3 * run + i]);
      }
    }
    for (; row < rows; ++row, x += run) {
      for (int64_t i = 0; i < run; ++i) y[i] = f(y[i], x[i]);
    }
  }

  void accumulate(const Sum& sum, const float* x, int64_t start, int64_t length, float* to) const {
    const int64_t step = sum.strides.empty() ? 0 : sum.strides.back();
    with(sum.combine, [&](const auto& f) {
      if (sum.strides == Integers{0, 1} && start % shape[1] == 0 && length % shape[1] == 0) {
        return accumulate_rows(f, x, length / shape[1], to);
      }
      for_each_run(sum.strides, start, length, [&](int64_t at, int64_t run, int64_t place) {
        const float* from = x + at;
        float* y = to + place;
        if (step == 0) {
          *y = combine_run(f, from, run, *y);
        } else if (step == 1) {
          for (int64_t i = 0; i < run; ++i) y[i] = f(y[i], from[i]);
        } else {
          for (int64_t i = 0; i < run; ++i) y[i * step] = f(y[i * step], from[i]);
        }
      });
    });
  }

  void run_part(Pointers pointers, int64_t number) {
    const int64_t begin = number * part, end = std::min(count, begin + part);
    thread_local std::vector<Word> memory;
    thread_local std::vector<Word*> place;
    const auto stride = static_cast<std::size_t>(block + kPadding);
    memory.resize(buffers * stride);
    place.resize(slots.size());
    for (std::size_t s = 0; s < slots.size(); ++s) {
      place[s] = memory.data() + slots[s].buffer * stride;
      if (slots[s].source == Source::kConstant) std::fill_n(place[s], block, slots[s].word);
      if (slots[s].source == Source::kView && slots[s].repeats) {
        fill(slots[s], pointer<Word>(pointers, slots[s].value), begin,
             std::min(block, count - begin), place[s]);
      }
    }
    for (Sum& sum : sums) {
      if (sum.at_once) continue;
      std::fill_n(sum.partial.data() + number * sum.kept, sum.kept, identity(sum.combine));
    }
    for (Sum& sum : sums) {
      if (!sum.at_once) continue;
      const int64_t run = shape.back();
      std::fill_n(pointer<float>(pointers, sum.value) + begin / run, (end - begin) / run,
                  sum.start);
    }
    for (int64_t start = begin; start < end; start += block) {
      const int64_t length = std::min(block, end - start);
      run_block(pointers, number, start, length, place);
    }
  }

  // Prefetches: the steps read too many streams for the processor to predict.
  void fetch_ahead(const Word* next) const {
    constexpr int64_t kLine = 16;
    for (int64_t i = 0; i < block; i += kLine) __builtin_prefetch(next + i);
  }

  void run_block(Pointers pointers, int64_t number, int64_t start, int64_t length,
                 std::vector<Word*>& place) {
    for (std::size_t s = 0; s < slots.size(); ++s) {
      const Slot& slot = slots[s];
      if (slot.source == Source::kDense || slot.source == Source::kWritten) {
        place[s] = pointer<Word>(pointers, slot.value) + start;
        if (slot.source == Source::kDense && start + block < count) fetch_ahead(place[s] + block);
      } else if (slot.source == Source::kView && !slot.repeats) {
        fill(slot, pointer<Word>(pointers, slot.value), start, length, place[s]);
      }
    }
    for (const Step& step : steps) {
      Word* result = place[step.result];
      std::array<const void*, 3> operands{};
      for (std::size_t i = 0; i < step.operands.size(); ++i) {
        operands[i] = place[step.operands[i]];
      }
      if (step.loop == nullptr) {
        std::memmove(result, operands[0], static_cast<std::size_t>(length) * sizeof(Word));
        continue;
      }
      step.loop(operands.data(), result, length);
      if (step.element == Element::kBf16 || is_byte(step.element)) {
        narrow(step.element, result, length);
      }
    }
    for (Sum& sum : sums) {
      const auto* x = reinterpret_cast<const float*>(place[sum.slot]);
      float* to = sum.at_once ? pointer<float>(pointers, sum.value)
                              : sum.partial.data() + number * sum.kept;
      accumulate(sum, x, start, length, to);
    }
  }

  void finish_sums(Pointers pointers) {
    for (Sum& sum : sums) {
      if (sum.at_once) continue;
      float* result = pointer<float>(pointers, sum.value);
      std::fill_n(result, sum.kept, sum.start);
      with(sum.combine, [&](const auto& f) {
        for (int64_t p = 0; p < parts; ++p) {
          const float* from = sum.partial.data() + p * sum.kept;
          for (int64_t k = 0; k < sum.kept; ++k) result[k] = f(result[k], from[k]);
        }
      });
    }
  }

  // Merges neighbouring dimensions that every access traverses contiguously.
  void merge_dimensions() {
    std::vector<Integers*> all;
    for (Slot& slot : slots) {
      if (slot.source == Source::kView) all.push_back(&slot.strides);
    }
    for (Sum& sum : sums) all.push_back(&sum.strides);
    for (std::size_t d = shape.size(); d-- > 0;) {
      const bool is_one = shape[d] == 1;
      const bool merges =
          !is_one && d + 1 < shape.size() && std::ranges::all_of(all, [&](Integers* s) {
            return (*s)[d] == (*s)[d + 1] * shape[d + 1];
          });
      if (!is_one && !merges) continue;
      if (merges) shape[d + 1] *= shape[d];
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
      for (Integers* s : all) s->erase(s->begin() + static_cast<std::ptrdiff_t>(d));
    }
  }

  // A step's result reuses a slot after its last read, so that a block stays in the L1 cache;
  // values loaded before the steps keep their slots.
  void share_buffers() {
    std::vector<std::size_t> free;
    for (Slot& slot : slots) {
      if (slot.source == Source::kConstant || slot.source == Source::kView) slot.buffer = buffers++;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      Slot& result = slots[steps[i].result];
      if (result.source == Source::kRegister) {
        if (free.empty()) free.push_back(buffers++);
        result.buffer = free.back();
        free.pop_back();
      }
      for (const Slot& slot : slots) {
        if (slot.source == Source::kRegister && slot.last_use == static_cast<int>(i)) {
          free.push_back(slot.buffer);
        }
      }
    }
  }

  void plan() {
    share_buffers();
    count = element_count(shape);
    merge_dimensions();
    if (count == 0) {
      parts = 0;
      return;
    }
    const int64_t run = shape.empty() ? 1 : shape.back();
    block = run <= kBlock ? kBlock / run * run : kBlock;
    int64_t step = block;
    for (Slot& slot : slots) {
      const auto outer =
          std::span(slot.strides).first(slot.strides.empty() ? 0 : slot.strides.size() - 1);
      slot.repeats = slot.source == Source::kView && run <= kBlock &&
                     std::ranges::all_of(outer, [](int64_t s) { return s == 0; });
    }
    int64_t most_parts = ceil_div(count, kPart);
    for (Sum& sum : sums) {
      sum.kept = 1;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (sum.strides[d] != 0) sum.kept *= shape[d];
      }
      sum.at_once = shape.size() == 2 && sum.strides == Integers{1, 0};
      if (sum.at_once && run > kBlock) step = run;  // whole rows
      if (!sum.at_once) {
        most_parts = std::min({most_parts, int64_t{64},
                               std::max<int64_t>(1, count / std::max<int64_t>(1, sum.kept))});
      }
    }
    most_parts = std::max<int64_t>(1, most_parts);
    part = std::max<int64_t>(1, ceil_div(ceil_div(count, most_parts), step)) * step;
    parts = std::max<int64_t>(1, ceil_div(count, part));
    for (Sum& sum : sums) {
      if (!sum.at_once) sum.partial.resize(parts * sum.kept);
    }
  }
};

FusedLoop::FusedLoop(Shape shape) : state_(std::make_shared<State>()) {
  state_->shape = std::move(shape);
}

int FusedLoop::constant(std::uint32_t word) {
  state_->slots.push_back({.source = State::Source::kConstant, .word = word});
  return static_cast<int>(state_->slots.size()) - 1;
}

int FusedLoop::read(const Access& access) {
  const bool dense = access.offset == 0 && access.strides == row_major_strides(state_->shape);
  state_->slots.push_back({.source = dense ? State::Source::kDense : State::Source::kView,
                           .value = access.value,
                           .offset = access.offset,
                           .strides = access.strides});
  return static_cast<int>(state_->slots.size()) - 1;
}

int FusedLoop::apply(Loop loop, Element element, const std::vector<int>& operands, int written) {
  state_->slots.push_back(
      {.source = written < 0 ? State::Source::kRegister : State::Source::kWritten,
       .value = written});
  const int result = static_cast<int>(state_->slots.size()) - 1;
  state_->steps.push_back(
      {.loop = loop, .element = element, .operands = operands, .result = result});
  return result;
}

void FusedLoop::keep(int slot, int written) { apply(nullptr, Element::kF32, {slot}, written); }

void FusedLoop::reduce(Combine combine, int slot, const Integers& kept, int written, float start) {
  state_->sums.push_back(
      {.combine = combine, .slot = slot, .value = written, .strides = kept, .start = start});
}

Kernel FusedLoop::finish() && {
  using Source = State::Source;
  State& state = *state_;
  Kernel kernel;
  const auto use = [&](int slot, int step) {
    auto& s = state.slots[slot];
    if (s.first_use < 0) s.first_use = step;
    s.last_use = step;
  };
  for (std::size_t i = 0; i < state.steps.size(); ++i) {
    for (const int operand : state.steps[i].operands) use(operand, static_cast<int>(i));
    use(state.steps[i].result, static_cast<int>(i));
  }
  const int after = static_cast<int>(state.steps.size());
  for (const auto& sum : state.sums) {
    use(sum.slot, after);
    kernel.writes.push_back(sum.value);
  }
  for (const auto& slot : state.slots) {
    if (slot.source == Source::kDense || slot.source == Source::kView)
      kernel.reads.push_back(slot.value);
    if (slot.source == Source::kWritten) kernel.writes.push_back(slot.value);
  }
  // A result may take the memory of a value that is read at the same places and not afterwards.
  for (const auto& written : state.slots) {
    if (written.source != Source::kWritten) continue;
    for (const auto& read : state.slots) {
      if (read.source == Source::kDense && read.last_use <= written.first_use &&
          std::ranges::count(kernel.reads, read.value) == 1) {
        kernel.in_place.emplace_back(written.value, read.value);
      }
    }
  }
  state.plan();
  kernel.run = [state = state_](Pointers pointers, int threads) {
    for_each_part(threads, state->parts,
                  [&](int64_t number) { state->run_part(pointers, number); });
    state->finish_sums(pointers);
  };
  return kernel;
}

}  // namespace systole::graph
