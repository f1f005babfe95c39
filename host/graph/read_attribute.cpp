#include "host/graph/read_attribute.h"

#include <bit>
#include <charconv>

namespace systole::graph {
namespace {

class AttributeReader {
 public:
  explicit AttributeReader(Scanner& in) : in_(in) {}

  Attribute read(const AttributeSpec& spec) {
    switch (spec.form) {
      case Form::kInteger: {
        const std::int64_t number = in_.integer();
        in_.expect(":", "i64");
        return number;
      }
      case Form::kIntegers: {
        in_.expect("array", "<", "i64");
        if (in_.accept(":")) return in_.integers(">");
        in_.expect(">");
        return Integers{};
      }
      case Form::kPairs:
        return spec.kind == "group" ? read_group() : read_pairs();
      case Form::kKeyword: {
        in_.expect("#stablehlo", "<", spec.kind);
        std::string word(in_.name());
        in_.expect(">");
        return word;
      }
      case Form::kDimensions:
        return read_dimensions(spec);
      case Form::kConvolution:
        return read_convolution();
      case Form::kLiteral:
        return read_literal();
      case Form::kType:
      case Form::kRegion:
        break;
    }
    in_.fail("this attribute is implicit and not written");
  }

 private:
  Dimensions read_dimensions(const AttributeSpec& spec) {
    Dimensions dimensions;
    in_.expect(fmt::format("#stablehlo.{}", spec.kind), "<");
    in_.list(">", [&] {
      const std::string name(in_.name());
      in_.expect("=");
      dimensions.lists.emplace_back(name,
                                    in_.accept("[") ? in_.integers() : Integers{in_.integer()});
    });
    return dimensions;
  }

  std::string read_convolution() {
    in_.expect("#stablehlo.conv", "<");
    std::string text = read_convolution_dimensions(in_);
    in_.expect(">");
    return text;
  }

  struct Dense {
    std::vector<std::string_view> numbers;
    std::vector<std::size_t> places;
    Shape shape;  // from the brackets
    bool is_list = false;
    std::string_view bytes;  // "0x...", instead of numbers
  };

  void read_list(Dense& dense, std::size_t depth) {
    constexpr std::size_t kDeepest = 16;
    if (depth > kDeepest) in_.fail("brackets nest too deep");
    if (!in_.accept("[")) {
      if (depth < dense.shape.size()) in_.fail("expected '['");
      dense.places.push_back(in_.place());
      dense.numbers.push_back(in_.number());
      return;
    }
    const bool is_new = depth == dense.shape.size() && dense.numbers.empty();
    if (is_new) {
      dense.shape.push_back(-1);
    } else if (depth >= dense.shape.size()) {
      in_.fail("expected a number");
    }
    std::int64_t count = 0;
    in_.list("]", [&] {
      read_list(dense, depth + 1);
      ++count;
    });
    if (dense.shape[depth] >= 0 && dense.shape[depth] != count)
      in_.fail("this row has another length");
    dense.shape[depth] = count;
  }

  Dense read_dense() {
    Dense dense;
    in_.expect("dense", "<");
    if (in_.accept(">")) {
      dense.is_list = true;
      return dense;
    }
    if (in_.sees("\"")) {
      dense.places.push_back(in_.place());
      dense.bytes = in_.string();
      in_.expect(">");
      return dense;
    }
    dense.is_list = in_.sees("[");
    read_list(dense, 0);
    in_.expect(">");
    return dense;
  }

  Integers read_pairs() {
    const std::size_t place = in_.place();
    const Dense dense = read_dense();
    in_.expect(":");
    std::string_view element;
    const Shape shape = in_.shape(element);
    if (element != "i64" || shape.size() != 2 || shape[1] != 2 || shape[0] > 64 ||
        (dense.is_list && !dense.numbers.empty() && dense.shape != shape) ||
        (dense.numbers.empty() && shape[0] != 0)) {
      in_.fail_at(place, "expected pairs of i64");
    }
    Integers numbers;
    for (std::size_t i = 0; i < dense.numbers.size(); ++i) {
      numbers.push_back(parse<std::int64_t>(dense, i));
    }
    if (!dense.is_list) numbers.assign(2 * shape[0], numbers[0]);
    return numbers;
  }

  Integers read_group() {
    constexpr std::size_t kMost = 4096;
    const std::size_t place = in_.place();
    const Dense dense = read_dense();
    in_.expect(":");
    std::string_view element;
    const Shape shape = in_.shape(element);
    const auto count = dense.numbers.size();
    if (element != "i64" || count == 0 || count > kMost ||
        shape != Shape{1, static_cast<std::int64_t>(count)} ||
        (dense.is_list ? dense.shape != shape : count != 1)) {
      in_.fail_at(place, "expected one group of all cores: dense<[[0, 1]]> : tensor<1x2xi64>");
    }
    Integers numbers;
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(parse<std::int64_t>(dense, i));
    return numbers;
  }

  Literal read_literal() {
    const std::size_t place = in_.place();
    if (in_.sees("dense_resource")) {
      in_.fail("values in a resource are not supported: print them within the text");
    }
    const Dense dense = read_dense();
    if (!dense.bytes.empty()) return read_bytes(dense);
    in_.expect(":");
    Literal literal{in_.type(), {}};
    if (dense.is_list ? dense.shape != literal.type.shape && !dense.numbers.empty()
                      : dense.numbers.size() != 1) {
      in_.fail_at(place,
                  fmt::format("the number of values does not fit {}", to_string(literal.type)));
    }
    for (std::size_t i = 0; i < dense.numbers.size(); ++i) {
      literal.values.push_back(parse_value(literal.type.element, dense, i));
    }
    return literal;
  }

  // The elements as they lie in memory, two digits a byte; a predicate takes one.
  Literal read_bytes(const Dense& dense) {
    in_.expect(":");
    Literal literal{in_.type(), {}};
    const Element element = literal.type.element;
    const std::size_t size = is_byte(element) || element == Element::kPred ? 1
                             : element == Element::kBf16                   ? 2
                                                                           : 4;
    const std::string_view text = dense.bytes;
    const auto count = static_cast<std::size_t>(element_count(literal.type.shape));
    const bool is_splat = text.size() == 2 + 2 * size;
    if (!text.starts_with("0x") || (text.size() != 2 + 2 * size * count && !is_splat)) {
      in_.fail_at(dense.places[0],
                  fmt::format("the number of bytes does not fit {}", to_string(literal.type)));
    }
    for (std::size_t i = 2; i < text.size(); i += 2 * size) {
      std::uint32_t word = 0;
      for (std::size_t byte = 0; byte < size; ++byte) {
        std::uint32_t value = 0;
        const char* digits = text.data() + i + 2 * byte;
        const auto parsed = std::from_chars(digits, digits + 2, value, 16);
        if (parsed.ptr != digits + 2) in_.fail_at(dense.places[0], "expected hexadecimal digits");
        word |= value << (8 * byte);
      }
      literal.values.push_back(value_of(element, word));
    }
    return literal;
  }

  template <typename T>
  T parse(const Dense& dense, std::size_t i, int base = 10) {
    std::string_view digits = dense.numbers[i];
    T result{};
    std::from_chars_result parsed{};
    if constexpr (std::is_floating_point_v<T>) {
      parsed = std::from_chars(digits.data(), digits.data() + digits.size(), result);
    } else {
      parsed = std::from_chars(digits.data(), digits.data() + digits.size(), result, base);
    }
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) {
      in_.fail_at(dense.places[i], fmt::format("'{}' is not a number in range", digits));
    }
    return result;
  }

  double parse_value(Element element, const Dense& dense, std::size_t i) {
    const std::string_view digits = dense.numbers[i];
    if (element == Element::kPred) {
      if (digits != "true" && digits != "false")
        in_.fail_at(dense.places[i], "expected true or false");
      return digits == "true" ? 1 : 0;
    }
    double value = 0;
    if (!is_float(element)) {
      value = static_cast<double>(parse<std::int64_t>(dense, i));
    } else if (digits.starts_with("0x")) {
      Dense bits = dense;
      bits.numbers[i].remove_prefix(2);
      const auto word = parse<std::uint32_t>(bits, i, 16);
      if (element == Element::kBf16 && word > 0xffff)
        in_.fail_at(dense.places[i], "bf16 has 16 bits");
      value = value_of(element, word);
    } else {
      value = round_to(element, parse<float>(dense, i));
    }
    if (round_to(element, value) != value && value == value) {
      in_.fail_at(dense.places[i],
                  fmt::format("{} is not a value of {}", digits, to_string(element)));
    }
    return value;
  }

  Scanner& in_;
};

}  // namespace

double value_of(Element element, std::uint32_t bits) {
  switch (element) {
    case Element::kF32:
      return std::bit_cast<float>(bits);
    case Element::kBf16:
      return std::bit_cast<float>(bits << 16);
    case Element::kS32:
      return static_cast<std::int32_t>(bits);
    case Element::kU32:
      return bits;
    case Element::kS8:
      return static_cast<std::int8_t>(bits);
    case Element::kU8:
      return static_cast<std::uint8_t>(bits);
    case Element::kPred:
      return bits != 0 ? 1 : 0;
  }
  return 0;
}

std::string read_convolution_dimensions(Scanner& in) {
  std::string text;
  for (const std::string_view before : {"[", "x[", "->["}) {
    in.expect(before);
    text += before;
    text += in.until(']');
    in.expect("]");
    text += "]";
  }
  return text;
}

Attribute read_attribute(Scanner& in, const AttributeSpec& spec) {
  return AttributeReader(in).read(spec);
}

}  // namespace systole::graph
