#include "host/compiler/program/memory_plan.h"

#include <algorithm>
#include <map>

#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

constexpr std::int64_t kAlignment = 64;

std::int64_t aligned(std::int64_t bytes, std::int64_t alignment = kAlignment) {
  return ceil_div(bytes, alignment) * alignment;
}

/// A tensor of the shared part, needed from unit `first` to unit `last`.
struct Tensor {
  int value = -1;
  Format format = Format::kWord;
  std::int64_t bytes = 0;
  std::size_t first = 0, last = 0;
  std::int64_t offset = 0;
};

class Planner {
 public:
  Planner(const LoweredGraph& lowered, const DeviceSizes& sizes)
      : lowered_(lowered),
        sizes_(sizes),
        // A word of a wide bus's vector streams is one beat where tensors begin with beats.
        alignment_(sizes.beat_bytes() > sizes.array_size ? std::max(kAlignment, sizes.beat_bytes())
                                                         : kAlignment),
        slack_(std::int64_t{8} * sizes.array_size * 4) {
    plan_.places.resize(lowered.graph->value_count());
  }

  MemoryPlan plan() {
    for (const int value : lowered_.state) plan_.state_bytes = place(value, plan_.state_bytes);
    share_state();
    for (const int value : lowered_.constants) {
      plan_.state_bytes = place(value, plan_.state_bytes);
    }
    place_ones();
    for (const Unit& unit : lowered_.units) {
      const KernelCode* code = unit.kernel();
      if (code == nullptr) continue;
      for (const Section* section : code->sections()) {
        plan_.program_bytes += code_bytes(*section) + constant_bytes(*section);
      }
    }
    plan_.program_bytes = aligned(plan_.program_bytes, alignment_);
    plan_work();
    std::int64_t end = plan_.step();
    for (const auto* fed : {&lowered_.batch, &lowered_.drawn}) {
      for (const int value : *fed) end = place(value, end);
    }
    plan_.table = end;
    end += aligned(std::ssize(lowered_.table) * 4, alignment_);
    plan_.fed_bytes = end - plan_.step();
    for (const auto& [name, value] : lowered_.results) end = place(value, end);
    place_parts();
    plan_.step_bytes = end - plan_.step();
    return std::move(plan_);
  }

 private:
  std::int64_t bytes(int value, Format format) const {
    const auto elements = graph::element_count(lowered_.graph->type(value).shape);
    return aligned(elements * bytes_of(format) + slack_, alignment_);
  }

  // Places a value's forms one after the other; returns the end.
  std::int64_t place(int value, std::int64_t end) {
    for (const Format format : kAllFormats) {
      if (!lowered_.stored[value].has(format)) continue;
      plan_.places[value].of(format) = end;
      end += bytes(value, format);
    }
    return end;
  }

  // Whether a value's form lies in another's.
  bool is_part(int value, Format format) const {
    const auto part = lowered_.parts.find(value);
    return part != lowered_.parts.end() && lowered_.stored[part->second.whole].has(format);
  }
  void place_parts() {
    for (const auto& [value, part] : lowered_.parts) {
      for (const Format format : kAllFormats) {
        if (!is_part(value, format)) continue;
        plan_.places[value].of(format) =
            plan_.places[part.whole].of(format) + part.first * bytes_of(format);
      }
    }
  }

  void share_state() {
    for (const Unit& unit : lowered_.units) {
      for (const int value : unit.writes) {
        const int input = lowered_.replaced_by(value);
        if (input >= 0) plan_.places[value] = plan_.places[input];
      }
    }
  }

  void place_ones() {
    for (const Unit& unit : lowered_.units) {
      if (plan_.ones >= 0 || unit.product() == nullptr || !unit.product()->adds_terms) continue;
      plan_.ones = plan_.state_bytes;
      plan_.state_bytes += aligned(sizes_.bank_rows * bytes_of(Format::kTerms), alignment_);
    }
  }

  void plan_work() {
    std::vector<Tensor> tensors = live_tensors();
    std::ranges::sort(tensors, [](const Tensor& a, const Tensor& b) {
      return std::pair(-a.bytes, a.value) < std::pair(-b.bytes, b.value);
    });
    std::vector<Tensor> placed;
    for (Tensor& tensor : tensors) {
      tensor.offset = first_gap(tensor, placed);
      plan_.work_bytes = std::max(plan_.work_bytes, tensor.offset + tensor.bytes);
      placed.push_back(tensor);
      plan_.places[tensor.value].of(tensor.format) = plan_.work() + tensor.offset;
    }
  }

  std::vector<Tensor> live_tensors() const {
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < lowered_.units.size(); ++i) {
      for (const int value : lowered_.units[i].writes) {
        const MemoryPlan::Place& place = plan_.places[value];
        if (is_result(value)) continue;
        for (const Format format : kAllFormats) {
          if (!lowered_.stored[value].has(format) || place.of(format) >= 0) continue;
          const int whole = is_part(value, format) ? lowered_.parts.at(value).whole : value;
          const bool stays = is_read_late(value);
          tensors.push_back(
              {.value = whole,
               .format = format,
               .bytes = bytes(whole, format),
               .first = stays ? 0 : i,
               .last = stays || feeds_result(value) ? lowered_.units.size() : last_use(value, i)});
        }
      }
    }
    // A product's result and its copy in another format are one value, written by two units; so is
    // what several units write parts of.
    std::map<std::pair<int, Format>, Tensor> whole;
    for (const Tensor& tensor : tensors) {
      Tensor& all = whole.try_emplace({tensor.value, tensor.format}, tensor).first->second;
      all.first = std::min(all.first, tensor.first);
      all.last = std::max(all.last, tensor.last);
    }
    std::vector<Tensor> unique;
    for (const auto& [which, tensor] : whole) unique.push_back(tensor);
    return unique;
  }

  // By an update, or the sum over cores before it, which may run while the next step is under way.
  bool is_read_late(int value) const {
    return std::ranges::any_of(lowered_.units, [&](const Unit& unit) {
      const bool is_late = !unit.replaces.empty() || unit.columns.count > 0;
      return is_late && std::ranges::count(unit.reads, value) != 0;
    });
  }

  // Nobody waits for a loss, so nobody may wait for what it reads.
  bool feeds_result(int value) const {
    return std::ranges::any_of(lowered_.units, [&](const Unit& unit) {
      return std::ranges::count(unit.reads, value) != 0 &&
             std::ranges::all_of(unit.writes, [&](int written) { return is_result(written); });
    });
  }

  bool is_result(int value) const {
    return std::ranges::any_of(lowered_.results,
                               [&](const auto& result) { return result.second == value; });
  }

  std::size_t last_use(int value, std::size_t written) const {
    for (std::size_t i = lowered_.units.size(); i-- > written;) {
      if (std::ranges::count(lowered_.units[i].reads, value) != 0) return end_of(i);
    }
    return end_of(written);
  }

  // Kernels up to the next product run while a product does, so they do not take its memory.
  std::size_t end_of(std::size_t unit) const {
    const auto& units = lowered_.units;
    if (units[unit].product() == nullptr) return unit;
    while (unit + 1 < units.size() && units[unit + 1].product() == nullptr) ++unit;
    return unit;
  }

  // The lowest place that is free while the tensor lives.
  static std::int64_t first_gap(const Tensor& tensor, const std::vector<Tensor>& placed) {
    std::vector<const Tensor*> others;
    for (const Tensor& other : placed) {
      if (other.first <= tensor.last && tensor.first <= other.last) others.push_back(&other);
    }
    std::ranges::sort(others, {}, &Tensor::offset);
    std::int64_t offset = 0;
    for (const Tensor* other : others) {
      if (other->offset - offset >= tensor.bytes) break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    return offset;
  }

  const LoweredGraph& lowered_;
  DeviceSizes sizes_;
  std::int64_t alignment_;  ///< of tensors
  std::int64_t slack_;
  MemoryPlan plan_;
};

}  // namespace

std::int64_t code_bytes(const Section& section) {
  return aligned(std::ssize(section.program.code) * 8);
}
std::int64_t constant_bytes(const Section& section) {
  return aligned(std::ssize(section.program.constants) * 4);
}

MemoryPlan plan_memory(const LoweredGraph& lowered, const DeviceSizes& sizes) {
  return Planner(lowered, sizes).plan();
}

}  // namespace systole::lowering
