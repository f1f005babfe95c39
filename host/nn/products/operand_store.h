#pragma once

#include <compare>
#include <deque>
#include <map>
#include <set>
#include <string>

#include "host/nn/products/product.h"

namespace systole::nn {

/// Elements of a value, or images of a batch; none: all.
struct OperandRange {
  std::int64_t first = 0, count = 0;
  friend auto operator<=>(const OperandRange&, const OperandRange&) = default;
};

/// What the graphs of one network have on its device together: parameters by name, their gradients
/// in the order of a run, and operands that a graph needs for a part of its run.
///
/// Limits   graphs run one after the other, and a name means the same in all of them
/// Timing   the first free operand of a size is taken, so a run finds every matrix where it was in
///          the run before; steps of a loop find theirs where the step before had them
class OperandStore {
 public:
  struct Kept {
    Operand operand;
    std::uint64_t version = 0;  ///< of the values; 0: none yet
  };

  Kept& input(const std::string& name, const OperandRange& range) { return inputs_[{name, range}]; }
  GradientBuffers& gradient(std::size_t index) { return gradients_[index]; }

  std::size_t take(std::int64_t size) {
    std::set<std::size_t>& free = free_[size];
    if (free.empty()) {
      operands_.emplace_back();
      return operands_.size() - 1;
    }
    const std::size_t place = *free.begin();
    free.erase(free.begin());
    return place;
  }
  void give_back(std::int64_t size, std::size_t place) { free_[size].insert(place); }
  Operand& operator[](std::size_t place) { return operands_[place]; }

 private:
  std::map<std::pair<std::string, OperandRange>, Kept> inputs_;
  std::map<std::size_t, GradientBuffers> gradients_;
  std::deque<Operand> operands_;
  std::map<std::int64_t, std::set<std::size_t>> free_;
};

}  // namespace systole::nn
