#include "host/graph/sort.h"

#include <array>
#include <bit>

#include "host/graph/ops.h"

namespace systole::graph {
namespace {

using Values = std::vector<Value>;

// Rows of a power of two; the last value has each element's place before sorting.
class Network {
 public:
  Network(const Before& before, std::int64_t size) : before_(before), size_(size) {}

  Values sort(Values rows) const {
    const std::int64_t length = rows[0].dimension(-1);
    for (std::int64_t block = 2; block <= length; block *= 2) {
      rows = exchange(rows, block / 2, true);
      for (std::int64_t distance = block / 4; distance > 0; distance /= 2) {
        rows = exchange(rows, distance, false);
      }
    }
    return rows;
  }

 private:
  // Elements `distance` apart, or of two halves of which the second is `mirrored`, in their order.
  Values exchange(const Values& rows, std::int64_t distance, bool mirrored) const {
    const Shape shape = rows[0].shape();
    const Shape paired{shape[0], shape[1] / (2 * distance), 2, distance};
    Values first, second;
    for (const Value& row : rows) {
      const Value pairs = reshape(row, paired);
      first.push_back(take(pairs, 2, 0, 1));
      const Value other = take(pairs, 2, 1, 2);
      second.push_back(mirrored ? reverse(other, {3}) : other);
    }
    const Value swaps = comes_before(second, first);
    Values result;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Value low = select(swaps, second[i], first[i]);
      const Value high = select(swaps, first[i], second[i]);
      const Value back = mirrored ? reverse(high, {3}) : high;
      result.push_back(reshape(concatenate(std::array{low, back}, 2), shape));
    }
    return result;
  }

  // By `before_`, then by place; what only fills a row up comes last.
  Value comes_before(const Values& a, const Values& b) const {
    Graph& graph = a[0].graph();
    const std::span<const Value> first = std::span(a).first(a.size() - 1);
    const std::span<const Value> second = std::span(b).first(b.size() - 1);
    const Value earlier = compare(a.back(), "LT", b.back());
    const Value not_after = graph.add("not", {before_(second, first)});
    const Value orders =
        graph.add("or", {before_(first, second), graph.add("and", {not_after, earlier})});
    if (std::has_single_bit(static_cast<std::uint64_t>(size_))) return orders;
    const Value is_real = compare(a.back(), "LT", static_cast<double>(size_));
    const Value is_other_real = compare(b.back(), "LT", static_cast<double>(size_));
    return graph.add("and",
                     {is_real, graph.add("or", {graph.add("not", {is_other_real}), orders})});
  }

  const Before& before_;
  std::int64_t size_;
};

}  // namespace

std::vector<Value> sort(std::span<const Value> values, std::int64_t dimension,
                        const Before& before) {
  const Shape shape = values[0].shape();
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (dimension < 0 || dimension >= rank) {
    throw GraphError(fmt::format("sort: there is no dimension {} of {}", dimension, rank));
  }
  const std::int64_t size = shape[static_cast<std::size_t>(dimension)];
  const std::int64_t count = element_count(shape);
  if (size < 2 || count == 0) return {values.begin(), values.end()};
  Integers order = counting(rank);
  std::swap(order[static_cast<std::size_t>(dimension)], order.back());
  const auto length = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)));
  Values rows;
  Shape moved;
  for (const Value value : values) {
    if (value.shape() != shape) throw GraphError("sort: the operands' shapes differ");
    const Value last = transpose(value, order);
    moved = last.shape();
    const Value row = reshape(last, {count / size, size});
    rows.push_back(length == size ? row
                                  : pad(row, constant(row.graph(), {row.type().element, {}}, 0),
                                        {0, 0}, {0, length - size}));
  }
  rows.push_back(iota(values[0].graph(), {Element::kS32, {count / size, length}}, 1));
  rows = Network(before, size).sort(std::move(rows));
  rows.pop_back();
  for (Value& row : rows) row = transpose(reshape(take(row, 1, 0, size), moved), order);
  return rows;
}

Value total_order(Value x) {
  const Value wide = x.type().element == Element::kF32 ? x : convert(x, Element::kF32);
  const Value bits = x.graph().add("bitcast_convert", {wide}, {Type{Element::kS32, wide.shape()}});
  const Value flipped =
      x.graph().add("xor", {bits, broadcast_to(constant_like(bits, 0x7fff'ffff), bits.shape())});
  return select(compare(bits, "LT", 0), flipped, bits);
}

}  // namespace systole::graph
