#include "host/graph/print_philox.h"

#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <vector>

namespace systole::graph {
namespace {

struct Tensor {
  std::string name, type;
};

std::string type_of(std::int64_t count, std::string_view element) {
  return fmt::format("tensor<{}x{}>", count, element);
}

/// Lines of one operation each.
class Lines {
 public:
  explicit Lines(std::string prefix) : prefix_(std::move(prefix)) {}

  Tensor add(std::string_view operation, const std::vector<Tensor>& operands, std::string type,
             const std::string& properties = {}, std::string name = {}) {
    if (name.empty()) name = fmt::format("{}.{}", prefix_, next_++);
    std::vector<std::string> names, types;
    for (const Tensor& operand : operands) {
      names.push_back(operand.name);
      types.push_back(operand.type);
    }
    text_ += fmt::format("    {} = \"stablehlo.{}\"({}){} : ({}) -> {}\n", name, operation,
                         fmt::join(names, ", "),
                         properties.empty() ? "" : fmt::format(" <{{{}}}>", properties),
                         fmt::join(types, ", "), type);
    return {std::move(name), std::move(type)};
  }
  const std::string& text() const { return text_; }

 private:
  std::string prefix_, text_;
  int next_ = 0;
};

/// Arithmetic on vectors of ui64; but for the counter and products, each holds a word of 32 bits.
class Vectors {
 public:
  Vectors(Lines& lines, std::int64_t count) : lines_(lines), type_(type_of(count, "ui64")) {}

  const std::string& type() const { return type_; }
  Tensor constant(std::uint64_t value) {
    return lines_.add("constant", {}, type_, fmt::format("value = dense<{}> : {}", value, type_));
  }
  Tensor add(const Tensor& a, const Tensor& b) { return binary("add", a, b); }
  Tensor multiply(const Tensor& a, const Tensor& b) { return binary("multiply", a, b); }
  Tensor mix(const Tensor& a, const Tensor& b) { return binary("xor", a, b); }
  Tensor low(const Tensor& x) { return binary("and", x, constant(0xffff'ffffU)); }
  Tensor high(const Tensor& x) { return binary("shift_right_logical", x, constant(32)); }
  Tensor join(const Tensor& low, const Tensor& high) {
    return binary("or", binary("shift_left", high, constant(32)), low);
  }
  Tensor repeat(const Tensor& one) {
    return lines_.add("broadcast_in_dim", {one}, type_, "broadcast_dimensions = array<i64: 0>");
  }
  Tensor counting() { return lines_.add("iota", {}, type_, "iota_dimension = 0 : i64"); }

 private:
  Tensor binary(std::string_view operation, const Tensor& a, const Tensor& b) {
    return lines_.add(operation, {a, b}, type_);
  }

  Lines& lines_;
  std::string type_;
};

Tensor slice(Lines& lines, const Tensor& x, std::int64_t from, std::int64_t to,
             std::string_view element) {
  return lines.add("slice", {x}, type_of(to - from, element),
                   fmt::format("limit_indices = array<i64: {}>, start_indices = array<i64: {}>, "
                               "strides = array<i64: 1>",
                               to, from));
}

using Words = std::array<Tensor, 4>;

Words philox(Vectors& all, Words counter, std::array<Tensor, 2> key) {
  const std::array factor = {all.constant(0xd2511f53U), all.constant(0xcd9e8d57U)};
  const std::array weyl = {all.constant(0x9e3779b9U), all.constant(0xbb67ae85U)};
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const Tensor first = all.multiply(factor[0], counter[0]);
    const Tensor second = all.multiply(factor[1], counter[2]);
    counter = {all.mix(all.mix(all.high(second), counter[1]), key[0]), all.low(second),
               all.mix(all.mix(all.high(first), counter[3]), key[1]), all.low(first)};
    for (std::size_t i = 0; i < 2; ++i) key[i] = all.low(all.add(key[i], weyl[i]));
  }
  return counter;
}

}  // namespace

std::string print_philox(const std::string& state, const std::string& bits, const Shape& shape,
                         const std::string& after, const std::string& prefix) {
  const std::int64_t count = element_count(shape), blocks = (count + 3) / 4;
  Lines lines(prefix);
  Vectors one(lines, 1), all(lines, blocks);
  Words words;
  for (std::int64_t i = 0; i < 4; ++i) {
    const Tensor word = slice(lines, {state, type_of(4, "ui32")}, i, i + 1, "ui32");
    words[static_cast<std::size_t>(i)] = lines.add("convert", {word}, one.type());
  }
  const Tensor first = one.join(words[2], words[3]);
  const Tensor counter = all.add(all.repeat(first), all.counting());
  const Tensor zero = all.constant(0);
  const Words random = philox(all, {all.low(counter), all.high(counter), zero, zero},
                              {all.repeat(words[0]), all.repeat(words[1])});

  std::vector<Tensor> columns;
  for (const Tensor& word : random) {
    columns.push_back(lines.add("reshape", {word}, fmt::format("tensor<{}x1xui64>", blocks)));
  }
  const Tensor rows = lines.add("concatenate", columns, fmt::format("tensor<{}x4xui64>", blocks),
                                "dimension = 1 : i64");
  const Tensor flat = lines.add("reshape", {rows}, type_of(4 * blocks, "ui64"));
  const Tensor own =
      lines.add("convert", {slice(lines, flat, 0, count, "ui64")}, type_of(count, "ui32"));
  lines.add("reshape", {own}, to_string(Type{Element::kU32, shape}), {}, bits);

  const Tensor end = one.add(first, one.constant(static_cast<std::uint64_t>(blocks)));
  const Tensor next = lines.add("concatenate", {words[0], words[1], one.low(end), one.high(end)},
                                type_of(4, "ui64"), "dimension = 0 : i64");
  lines.add("convert", {next}, type_of(4, "ui32"), {}, after);
  return lines.text();
}

}  // namespace systole::graph
