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
        in_.expect(":");
        in_.expect("i64");
        return number;
      }
      case Form::kIntegers: {
        Integers numbers;
        in_.expect("array");
        in_.expect("<");
        in_.expect("i64");
        if (in_.accept(":")) {
          in_.list(">", [&] { numbers.push_back(in_.integer()); });
        } else {
          in_.expect(">");
        }
        return numbers;
      }
      case Form::kPairs:
        return read_pairs();
      case Form::kKeyword: {
        in_.expect("#stablehlo");
        in_.expect("<");
        in_.expect(spec.kind);
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
    in_.expect(fmt::format("#stablehlo.{}", spec.kind));
    in_.expect("<");
    in_.list(">", [&] {
      const std::size_t place = in_.place();
      const std::string name(in_.name());
      if (name.find("batching") != std::string::npos && spec.kind != "dot") {
        in_.fail_at(place, fmt::format("{} is not supported", name));
      }
      in_.expect("=");
      Integers numbers;
      if (in_.accept("[")) {
        in_.list("]", [&] { numbers.push_back(in_.integer()); });
      } else {
        numbers.push_back(in_.integer());
      }
      dimensions.lists.emplace_back(name, std::move(numbers));
    });
    return dimensions;
  }

  std::string read_convolution() {
    std::string text;
    in_.expect("#stablehlo.conv");
    in_.expect("<");
    for (const std::string_view before : {"[", "x[", "->["}) {
      in_.expect(before);
      text += before;
      text += in_.until(']');
      in_.expect("]");
      text += "]";
    }
    in_.expect(">");
    return text;
  }

  struct Dense {
    std::vector<std::string_view> numbers;
    std::vector<std::size_t> places;
    Shape shape;  // from the brackets
    bool is_list = false;
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
    in_.expect("dense");
    in_.expect("<");
    if (in_.accept(">")) {
      dense.is_list = true;
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
    if (!dense.is_list) numbers.assign(static_cast<std::size_t>(2 * shape[0]), numbers[0]);
    return numbers;
  }

  Literal read_literal() {
    const std::size_t place = in_.place();
    const Dense dense = read_dense();
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
      value = std::bit_cast<float>(element == Element::kBf16 ? word << 16 : word);
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

Attribute read_attribute(Scanner& in, const AttributeSpec& spec) {
  return AttributeReader(in).read(spec);
}

}  // namespace systole::graph
