#include "host/python/plugin/lines.h"

#include <algorithm>

namespace systole::tensorflow {

Shape broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      refuse("shapes {} and {} do not fit", a, b);
    }
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

Lines::Lines(const Shape& shape, std::initializer_list<const Shape*> operands)
    : strides_(operands.size()) {
  std::vector<std::int64_t> steps(operands.size(), 1);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t extent = shape[shape.size() - 1 - i];
    if (extent == 1) continue;
    std::vector<std::int64_t> strides;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Shape& own = *operands.begin()[k];
      const std::int64_t dimension = i < own.size() ? own[own.size() - 1 - i] : 1;
      strides.push_back(dimension == 1 ? 0 : steps[k]);
      steps[k] *= dimension;
    }
    bool joins = !extents_.empty();
    for (std::size_t k = 0; joins && k < strides.size(); ++k) {
      joins = strides[k] == strides_[k].back() * extents_.back();
    }
    if (joins) {
      extents_.back() *= extent;
      continue;
    }
    extents_.push_back(extent);
    for (std::size_t k = 0; k < strides.size(); ++k) strides_[k].push_back(strides[k]);
  }
  if (extents_.empty()) {
    extents_ = {1};
    for (Shape& strides : strides_) strides = {0};
  }
  std::ranges::reverse(extents_);
  for (Shape& strides : strides_) std::ranges::reverse(strides);
}

Shape Lines::place_of(std::int64_t line) const {
  Shape place(extents_.size());
  for (std::size_t d = extents_.size() - 1; d-- > 0;) {
    place[d] = line % extents_[d];
    line /= extents_[d];
  }
  return place;
}

Lines::Offsets Lines::offsets_of(const Shape& place, std::int64_t first) const {
  Offsets offsets{};
  for (std::size_t k = 0; k < strides_.size(); ++k) {
    offsets[k] = first * step(k);
    for (std::size_t d = 0; d + 1 < extents_.size(); ++d) offsets[k] += place[d] * strides_[k][d];
  }
  return offsets;
}

void Lines::next(Shape& place, Offsets& offsets) const {
  for (std::size_t d = extents_.size() - 1; d-- > 0;) {
    for (std::size_t k = 0; k < strides_.size(); ++k) offsets[k] += strides_[k][d];
    if (++place[d] < extents_[d]) return;
    for (std::size_t k = 0; k < strides_.size(); ++k) offsets[k] -= strides_[k][d] * extents_[d];
    place[d] = 0;
  }
}

}  // namespace systole::tensorflow
