#include "host/graph/collectives.h"

#include <algorithm>
#include <functional>

#include "host/graph/cores.h"
#include "host/graph/ops.h"

namespace systole::graph {
namespace {

constexpr double kHalf = 65536;  // integers go in two halves, each exact in f32

Value bits(Value x, Element element) {
  return x.graph().add("bitcast_convert", {x}, {Type{element, x.shape()}});
}

Value word(Value x, std::string_view operation, std::int64_t number) {
  const Value all = broadcast_to(constant_like(x, static_cast<double>(number)), x.shape());
  return x.graph().add(operation, {x, all});
}

/// Sums over cores of a value of any type, by those of f32.
Value in_floats(Value x, const std::function<Value(Value)>& add_up) {
  const Element element = x.type().element;
  switch (element) {
    case Element::kF32:
      return add_up(x);
    case Element::kBf16:
      return convert(add_up(convert(x, Element::kF32)), element);
    case Element::kS8:
    case Element::kU8:
      return convert(in_floats(convert(x, Element::kS32), add_up), element);
    case Element::kPred:
      return compare(add_up(convert(x, Element::kF32)), "GT", 0);
    case Element::kU32:
      return bits(in_floats(bits(x, Element::kS32), add_up), element);
    case Element::kS32:
      break;
  }
  const Value high = add_up(convert(word(x, "shift_right_logical", 16), Element::kF32));
  const Value low = add_up(convert(word(x, "and", 0xffff), Element::kF32));
  return convert(high, element) * kHalf + convert(low, element);
}

/// x at a place among `slots` along a dimension; -0 elsewhere, which changes no sum.
Value in_slot(Value x, std::int64_t dimension, std::int64_t slot, std::int64_t slots) {
  Integers low(x.shape().size(), 0), high = low;
  const auto d = static_cast<std::size_t>(dimension);
  low[d] = slot * x.shape()[d];
  high[d] = (slots - 1 - slot) * x.shape()[d];
  return pad(x, constant_like(x, -0.0), low, high);
}

/// x with a first dimension of one.
Value in_row(Value x) {
  Shape shape = x.shape();
  shape.insert(shape.begin(), 1);
  return reshape(x, shape);
}

Value none_of(Value x, const Shape& shape) {
  return constant(x.graph(), {x.type().element, shape}, -0.0);
}

}  // namespace

CoreGroup::CoreGroup(CorePlace place) : CoreGroup(place, {counting(place.cores)}) {}

CoreGroup::CoreGroup(CorePlace place, std::vector<Integers> groups)
    : place_(place), groups_(std::ssize(groups)) {
  Integers all;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    all.insert(all.end(), groups[i].begin(), groups[i].end());
    const auto found = std::ranges::find(groups[i], place.core);
    if (found == groups[i].end()) continue;
    own_ = static_cast<std::int64_t>(i);
    index_ = found - groups[i].begin();
    members_ = groups[i];
  }
  std::ranges::sort(all);
  const bool fits =
      all == counting(place.cores) && std::ranges::all_of(groups, [&](const Integers& group) {
        return group.size() == members_.size();
      });
  if (fits) return;
  std::string text;
  for (const Integers& group : groups) text += (text.empty() ? "" : ", ") + to_string(group);
  throw GraphError(fmt::format(
      "the groups {} of {} cores are not supported: groups have one size and each core once", text,
      place.cores));
}

Value CoreGroup::sum_words(Value x) const {
  if (groups_ == 1) return all_reduce(x, place_.cores);
  return take(all_reduce(in_slot(in_row(x), 0, own_, groups_), place_.cores), 0, own_);
}

Value CoreGroup::sum(Value x) const {
  if (size() == 1) return x;
  return in_floats(x, [&](Value words) { return sum_words(words); });
}

Value CoreGroup::gather(Value x, std::int64_t dimension) const {
  if (size() == 1) return x;
  return in_floats(
      x, [&](Value words) { return sum_words(in_slot(words, dimension, index_, size())); });
}

std::vector<Value> CoreGroup::all(Value x) const {
  const Value rows = gather(in_row(x), 0);
  std::vector<Value> values;
  for (std::int64_t i = 0; i < size(); ++i) values.push_back(take(rows, 0, i));
  return values;
}

Value CoreGroup::part(Value x, std::int64_t dimension) const {
  const std::int64_t all = x.dimension(dimension);
  if (all % size() != 0) {
    throw GraphError(fmt::format("dimension {} of {} does not split among {} cores", dimension,
                                 to_string(x.type()), size()));
  }
  const std::int64_t each = all / size();
  return take(x, dimension, index_ * each, (index_ + 1) * each);
}

Value CoreGroup::exchange(Value x, std::int64_t split, std::int64_t joined) const {
  std::vector<Value> parts;
  for (const Value member : all(x)) parts.push_back(part(member, split));
  return concatenate(parts, joined);
}

Value CoreGroup::broadcast(Value x) const {
  if (size() == 1) return x;
  return in_floats(
      x, [&](Value words) { return sum_words(index_ == 0 ? words : none_of(words, x.shape())); });
}

Value permute(CorePlace place, const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs,
              Value x) {
  std::int64_t sends = -1, receives = -1;
  std::vector<bool> from(static_cast<std::size_t>(place.cores)), to = from;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto once = [&](std::vector<bool>& seen, std::int64_t core) {
      const bool is_there = core >= 0 && core < place.cores;
      if (!is_there || seen[static_cast<std::size_t>(core)]) {
        throw GraphError(fmt::format("core {} of {} {}", core, place.cores,
                                     is_there ? "sends or receives twice" : "does not exist"));
      }
      seen[static_cast<std::size_t>(core)] = true;
    };
    once(from, pairs[i].first);
    once(to, pairs[i].second);
    if (pairs[i].first == place.core) sends = static_cast<std::int64_t>(i);
    if (pairs[i].second == place.core) receives = static_cast<std::int64_t>(i);
  }
  const Value zero = broadcast_to(constant_like(x, 0), x.shape());
  if (pairs.empty()) return zero;
  const Value moved = in_floats(x, [&](Value words) {
    const auto count = std::ssize(pairs);
    const Value row = in_row(words);
    Shape all = row.shape();
    all[0] = count;
    const Value sum =
        all_reduce(sends < 0 ? none_of(row, all) : in_slot(row, 0, sends, count), place.cores);
    return take(sum, 0, std::max<std::int64_t>(receives, 0));
  });
  return receives < 0 ? zero : moved;
}

}  // namespace systole::graph
