#pragma once

#include <compare>
#include <deque>
#include <map>
#include <set>
#include <string>

#include "host/nn/products/product.h"

namespace systole::nn {

/// A range of a value's elements or a batch's images; count 0: all.
struct OperandRange {
  std::int64_t first = 0, count = 0;
  friend auto operator<=>(const OperandRange&, const OperandRange&) = default;
};

/// The device memory that one network's graphs share: parameters by name, their gradients in the
/// order of a run, and operands that a graph needs during part of its run.
///
/// Limits   graphs run one at a time; a name means the same in all of them
/// Timing   take lends the first free operand of a size, so each run, and each step of a loop,
///          finds its matrices at the addresses of the one before
class OperandStore {
 public:
  struct Kept {
    Operand operand;
    std::uint64_t version = 0;  ///< of the values held; 0: none yet
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
