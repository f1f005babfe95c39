#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "host/graph/operations/elementwise.h"
#include "host/graph/operations/operations.h"
#include "host/graph/ops.h"

// Operations on bits, comparisons, choices, and conversions between types.
namespace systole::graph {
namespace {

using namespace elements;
using std::int32_t, std::uint32_t, std::int64_t;

constexpr auto kIsFinite = [](auto x) { return x - x == 0; };
constexpr auto kAnd = []<typename T>(T a, T b) { return static_cast<T>(a & b); };
constexpr auto kOr = []<typename T>(T a, T b) { return static_cast<T>(a | b); };
constexpr auto kXor = []<typename T>(T a, T b) { return static_cast<T>(a ^ b); };
constexpr auto kNot = [](uint32_t x) { return ~x; };
constexpr auto kNotTrue = [](uint32_t x) { return x == 0; };
constexpr auto kShiftLeft = []<typename T>(T a, T b) -> T {
  const auto by = static_cast<uint32_t>(b);
  return by < 32 ? static_cast<T>(static_cast<uint32_t>(a) << by) : T{0};
};
// Of the element's bits; a byte has eight.
template <int kBits>
constexpr uint32_t bits_of(uint32_t x) {
  return kBits == 8 ? x & 0xffU : x;
}
template <int kBits>
constexpr auto kShiftRight =
    [](uint32_t a, uint32_t by) -> uint32_t { return by < kBits ? bits_of<kBits>(a) >> by : 0; };
// Of the sign, whatever the type.
template <int kBits>
constexpr auto kShiftRightSigned = [](uint32_t a, uint32_t by) -> uint32_t {
  const auto value = static_cast<int32_t>(a << (32 - kBits)) >> (32 - kBits);
  return static_cast<uint32_t>(value >> std::min(by, 31U));
};
constexpr auto kSelect = []<typename T>(uint32_t predicate, T a, T b) { return predicate ? a : b; };

template <int kBits>
constexpr auto kPopulation =
    [](uint32_t x) -> uint32_t { return static_cast<uint32_t>(std::popcount(bits_of<kBits>(x))); };
template <int kBits>
constexpr auto kLeadingZeros = [](uint32_t x) -> uint32_t {
  return static_cast<uint32_t>(std::countl_zero(bits_of<kBits>(x)) - (32 - kBits));
};

// ---- Types ----

std::vector<Type> infer_bits(const Call& call) {
  call.need_elements(0, !is_float(call.operands[0].element), "an integer or a predicate");
  return infer_same(call);
}

std::vector<Type> infer_integer(const Call& call) {
  call.need_elements(0, is_integer(call.operands[0].element), "an integer");
  return infer_same(call);
}

std::vector<Type> infer_is_finite(const Call& call) {
  return {{Element::kPred, infer_float(call)[0].shape}};
}

constexpr std::string_view kDirections[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};

std::vector<Type> infer_compare(const Call& call) {
  const std::string& direction = call.word("comparison_direction");
  call.need(std::ranges::find(kDirections, direction) != std::end(kDirections),
            "unknown direction {}: choose from EQ, NE, LT, LE, GT, GE", direction);
  return {{Element::kPred, infer_same(call)[0].shape}};
}

std::vector<Type> infer_select(const Call& call) {
  call.need_elements(0, call.operands[0].element == Element::kPred, "a predicate");
  call.need(call.operands[1] == call.operands[2], "the values' types differ");
  call.need(call.operands[0].shape == call.operands[1].shape,
            "the predicate's shape is not the values'");
  return {call.operands[1]};
}

std::vector<Type> infer_convert(const Call& call) {
  const Type& type = call.get<Type>("type");
  call.need(type.shape == call.operands[0].shape, "it would change the shape to {}",
            to_string(type.shape));
  return {type};
}

// ---- Loops and oracles ----

// Calls work with a direction's comparison.
template <typename Work>
auto with_direction(std::string_view direction, const Work& work) {
  if (direction == "EQ") return work(std::equal_to<>());
  if (direction == "NE") return work(std::not_equal_to<>());
  if (direction == "LT") return work(std::less<>());
  if (direction == "LE") return work(std::less_equal<>());
  if (direction == "GT") return work(std::greater<>());
  return work(std::greater_equal<>());
}

Loop compare_loop(const Call& call) {
  return with_direction(call.word("comparison_direction"), [&]<typename C>(C) {
    return with_type<true, true>(call.operands[0].element, false,
                                 []<typename T>(T) { return loop_of<C{}, uint32_t, T, T>(); });
  });
}

std::vector<Literal> evaluate_compare(const Call& call, std::span<const Literal> x) {
  return with_direction(call.word("comparison_direction"), [&](auto holds) {
    return each({Element::kPred, call.operands[0].shape},
                [&](int64_t i) { return holds(x[0].at(i), x[1].at(i)); });
  });
}

Loop is_finite_loop(const Call&) { return loop_of<kIsFinite, uint32_t, float>(); }

std::vector<Literal> evaluate_is_finite(const Call& call, std::span<const Literal> x) {
  return each({Element::kPred, call.operands[0].shape},
              [&](int64_t i) { return kIsFinite(x[0].at(i)); });
}

Loop not_loop(const Call& call) {
  return call.operands[0].element == Element::kPred ? loop_of<kNotTrue, uint32_t, uint32_t>()
                                                    : loop_of<kNot, uint32_t, uint32_t>();
}

std::vector<Literal> evaluate_not(const Call& call, std::span<const Literal> x) {
  const bool is_predicate = call.operands[0].element == Element::kPred;
  return each(call.operands[0],
              [&](int64_t i) { return is_predicate ? 1 - x[0].at(i) : -1 - x[0].at(i); });
}

// Values of every type are words here.
Loop select_loop(const Call&) { return loop_of<kSelect, uint32_t, uint32_t, uint32_t, uint32_t>(); }

std::vector<Literal> evaluate_select(const Call& call, std::span<const Literal> x) {
  return each(call.operands[1],
              [&](int64_t i) { return x[0].at(i) != 0 ? x[1].at(i) : x[2].at(i); });
}

constexpr auto kCopy = [](uint32_t x) { return x; };
constexpr auto kToFloat = [](auto x) { return static_cast<float>(x); };
constexpr auto kNotZero = [](auto x) { return x != 0; };
// Values out of range saturate and NaN becomes 0, as in the oracle.
constexpr auto kToSigned = [](float x) -> int32_t {
  const float inside = x != x ? 0.0f : std::clamp(x, -0x1p31f, 0x1.fffffep30f);
  return x >= 0x1p31f ? std::numeric_limits<int32_t>::max() : static_cast<int32_t>(inside);
};
constexpr auto kToUnsigned = [](float x) -> uint32_t {
  const float inside = x != x ? 0.0f : std::clamp(x, 0.0f, 0x1.fffffep31f);
  return x >= 0x1p32f ? std::numeric_limits<uint32_t>::max() : static_cast<uint32_t>(inside);
};
template <int kLeast, int kMost>
constexpr auto kToByte = [](float x) -> int32_t {
  return static_cast<int32_t>(x != x ? 0.0f : std::clamp(x, float{kLeast}, float{kMost}));
};

Loop convert_loop(const Call& call) {
  const Element from = call.operands[0].element, to = call.get<Type>("type").element;
  const bool is_signed = from == Element::kS32 || from == Element::kS8;
  if (is_float(to)) {
    if (is_float(from)) return loop_of<kCopy, uint32_t, uint32_t>();
    return is_signed ? loop_of<kToFloat, float, int32_t>() : loop_of<kToFloat, float, uint32_t>();
  }
  if (to == Element::kPred) {
    return is_float(from) ? loop_of<kNotZero, uint32_t, float>()
                          : loop_of<kNotZero, uint32_t, uint32_t>();
  }
  if (!is_float(from)) return loop_of<kCopy, uint32_t, uint32_t>();
  if (to == Element::kU32) return loop_of<kToUnsigned, uint32_t, float>();
  if (to == Element::kS32) return loop_of<kToSigned, int32_t, float>();
  return to == Element::kS8 ? loop_of<kToByte<-128, 127>, int32_t, float>()
                            : loop_of<kToByte<0, 255>, int32_t, float>();
}

std::vector<Literal> evaluate_convert(const Call& call, std::span<const Literal> x) {
  const Type& type = call.get<Type>("type");
  const bool saturates = is_float(call.operands[0].element) && is_integer(type.element);
  const bool is_signed = type.element == Element::kS32 || type.element == Element::kS8;
  const double values = is_byte(type.element) ? 0x1p8 : 0x1p32;
  const double low = is_signed ? -values / 2 : 0, high = low + values - 1;
  return each(type, [&](int64_t i) {
    const double value = x[0].at(i);
    if (!saturates) return value;
    return std::isnan(value) ? 0 : std::clamp(value, low, high);
  });
}

// The same bits as another type of as many.
std::vector<Type> infer_bitcast(const Call& call) {
  const auto is_word = [](Element e) {
    return e == Element::kF32 || e == Element::kS32 || e == Element::kU32;
  };
  const Type& type = call.get<Type>("type");
  const Element from = call.operands[0].element;
  call.need((is_word(from) && is_word(type.element)) || (is_byte(from) && is_byte(type.element)),
            "only an integer or a f32 of as many bits becomes {}", to_string(type.element));
  return infer_convert(call);
}

Loop bitcast_loop(const Call&) { return loop_of<kCopy, uint32_t, uint32_t>(); }

std::vector<Literal> evaluate_bitcast(const Call& call, std::span<const Literal> x) {
  const Type& type = call.get<Type>("type");
  const bool from_float = call.operands[0].element == Element::kF32;
  return each(type, [&](int64_t i) -> double {
    const double value = x[0].at(i);
    const uint32_t bits = from_float ? std::bit_cast<uint32_t>(static_cast<float>(value))
                                     : static_cast<uint32_t>(static_cast<int64_t>(value));
    if (type.element == Element::kF32) return std::bit_cast<float>(bits);
    return type.element == Element::kS32 ? static_cast<double>(static_cast<int32_t>(bits)) : bits;
  });
}

// What depends on how many bits an element has.
template <auto kWide, auto kNarrow, typename... T>
Loop sized_loop(const Call& call) {
  return is_byte(call.operands[0].element) ? loop_of<kNarrow, uint32_t, T...>()
                                           : loop_of<kWide, uint32_t, T...>();
}

uint32_t word_of(double value) { return static_cast<uint32_t>(static_cast<int64_t>(value)); }

template <auto kWide, auto kNarrow, typename... T>
std::vector<Literal> evaluate_sized(const Call& call, std::span<const Literal> x) {
  const bool is_narrow = is_byte(call.operands[0].element);
  return each(call.operands[0], [&](int64_t i) {
    if constexpr (sizeof...(T) == 1) {
      return is_narrow ? kNarrow(word_of(x[0].at(i))) : kWide(word_of(x[0].at(i)));
    } else {
      const uint32_t a = word_of(x[0].at(i)), b = word_of(x[1].at(i));
      return is_narrow ? kNarrow(a, b) : kWide(a, b);
    }
  });
}

// ---- Gradients ----

using B = Backward;

void d_select(B& b) {
  const Value zero = broadcast_to(constant_like(b.d(), 0), b.d().shape());
  if (b.wants(1)) b.give(1, select(b.operand(0), b.d(), zero));
  if (b.wants(2)) b.give(2, select(b.operand(0), zero, b.d()));
}
void d_convert(B& b) { b.give(0, convert(b.d(), b.operand(0).type().element)); }

// ---- The table's entries ----

template <auto kFunction, int kOperands>
OperationKind bit_function(std::string_view name, std::vector<Type> (*infer)(const Call&)) {
  return entry<kFunction, kOperands, false, true>(name, infer, nullptr);
}

template <auto kWide, auto kNarrow, typename... T>
OperationKind sized_function(std::string_view name) {
  return {.name = name,
          .operands = sizeof...(T),
          .infer = infer_integer,
          .evaluate = evaluate_sized<kWide, kNarrow, T...>,
          .loop = sized_loop<kWide, kNarrow, T...>};
}

}  // namespace

std::span<const OperationKind> word_kinds() {
  static const std::vector<OperationKind> kKinds = {
      {.name = "is_finite",
       .infer = infer_is_finite,
       .evaluate = evaluate_is_finite,
       .loop = is_finite_loop},
      sized_function<kPopulation<32>, kPopulation<8>, uint32_t>("popcnt"),
      sized_function<kLeadingZeros<32>, kLeadingZeros<8>, uint32_t>("count_leading_zeros"),
      bit_function<kAnd, 2>("and", infer_bits),
      bit_function<kOr, 2>("or", infer_bits),
      bit_function<kXor, 2>("xor", infer_bits),
      {.name = "not", .infer = infer_bits, .evaluate = evaluate_not, .loop = not_loop},
      bit_function<kShiftLeft, 2>("shift_left", infer_integer),
      sized_function<kShiftRight<32>, kShiftRight<8>, uint32_t, uint32_t>("shift_right_logical"),
      sized_function<kShiftRightSigned<32>, kShiftRightSigned<8>, uint32_t, uint32_t>(
          "shift_right_arithmetic"),
      {.name = "compare",
       .operands = 2,
       .attributes = {{"comparison_direction", Form::kKeyword, "comparison_direction"}},
       .infer = infer_compare,
       .evaluate = evaluate_compare,
       .loop = compare_loop},
      {.name = "select",
       .operands = 3,
       .infer = infer_select,
       .evaluate = evaluate_select,
       .gradient = d_select,
       .loop = select_loop},
      {.name = "convert",
       .attributes = {{"type", Form::kType}},
       .infer = infer_convert,
       .evaluate = evaluate_convert,
       .gradient = d_convert,
       .loop = convert_loop},
      {.name = "bitcast_convert",
       .attributes = {{"type", Form::kType}},
       .infer = infer_bitcast,
       .evaluate = evaluate_bitcast,
       .loop = bitcast_loop},
  };
  return kKinds;
}

}  // namespace systole::graph
