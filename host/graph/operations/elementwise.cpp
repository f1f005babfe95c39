#include <algorithm>
#include <cmath>
#include <type_traits>

#include "host/graph/functions.h"
#include "host/graph/gradient.h"
#include "host/graph/operations/operations.h"
#include "host/graph/ops.h"

// An elementwise operation is one function of elements for float, double and integers; the
// evaluator's loops and the oracle are both made from it.
namespace systole::graph {
namespace {

using std::int32_t, std::uint32_t, std::int64_t;

template <typename T>
constexpr bool kFloating = std::is_floating_point_v<T>;

// Integers wrap; C++ defines that for unsigned ones only.
template <typename T, typename F>
T wrapping(T a, T b, const F& f) {
  if constexpr (kFloating<T>) {
    return f(a, b);
  } else {
    return static_cast<T>(f(static_cast<uint32_t>(a), static_cast<uint32_t>(b)));
  }
}

constexpr auto kAdd = []<typename T>(T a, T b) { return wrapping(a, b, std::plus<>()); };
constexpr auto kSubtract = []<typename T>(T a, T b) { return wrapping(a, b, std::minus<>()); };
constexpr auto kMultiply = []<typename T>(T a, T b) { return wrapping(a, b, std::multiplies<>()); };
constexpr auto kDivide = []<typename T>(T a, T b) -> T {
  if constexpr (kFloating<T>) {
    return a / b;
  } else {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return static_cast<T>(0U - static_cast<uint32_t>(a));
    return a / b;
  }
};
// NaN wins, as in StableHLO.
constexpr auto kMaximum = []<typename T>(T a, T b) -> T {
  if constexpr (kFloating<T>) return a > b || a != a ? a : b;
  return a > b ? a : b;
};
constexpr auto kMinimum = []<typename T>(T a, T b) -> T {
  if constexpr (kFloating<T>) return a < b || a != a ? a : b;
  return a < b ? a : b;
};
constexpr auto kNegate = []<typename T>(T x) -> T {
  if constexpr (kFloating<T>) return -x;
  return static_cast<T>(0U - static_cast<uint32_t>(x));
};
constexpr auto kAbs = []<typename T>(T x) -> T {
  if constexpr (kFloating<T>) return std::fabs(x);
  return x < 0 ? static_cast<T>(0U - static_cast<uint32_t>(x)) : x;
};
constexpr auto kSign = []<typename T>(T x) -> T {
  const T one = x < T{0} ? static_cast<T>(-1) : static_cast<T>(1);
  return x == T{0} || x != x ? x : one;
};
constexpr auto kFloor = [](auto x) { return std::floor(x); };
constexpr auto kCeil = [](auto x) { return std::ceil(x); };
constexpr auto kRoundToEven = [](auto x) { return std::nearbyint(x); };
constexpr auto kRoundFromZero = [](auto x) { return std::round(x); };
constexpr auto kSine = [](auto x) { return std::sin(x); };
constexpr auto kCosine = [](auto x) { return std::cos(x); };
constexpr auto kErf = [](auto x) { return std::erf(x); };
constexpr auto kErfc = [](auto x) { return std::erfc(x); };
constexpr auto kErfInv = [](auto x) { return inverse_error_function(x); };
// With the sign of the first; of an integer and 0 the first, as XLA has it.
constexpr auto kRemainder = []<typename T>(T a, T b) -> T {
  if constexpr (kFloating<T>) {
    return std::fmod(a, b);
  } else {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return T{0};
    return a % b;
  }
};
constexpr auto kIsFinite = [](auto x) { return x - x == 0; };
constexpr auto kExponential = [](auto x) { return exponential(x); };
constexpr auto kExponentialMinusOne = [](auto x) { return exponential_minus_one(x); };
constexpr auto kLog = [](auto x) { return logarithm(x); };
constexpr auto kLogPlusOne = [](auto x) { return log_plus_one(x); };
constexpr auto kSqrt = [](auto x) { return std::sqrt(x); };
constexpr auto kRsqrt = []<typename T>(T x) { return T{1} / std::sqrt(x); };
constexpr auto kTanh = [](auto x) { return hyperbolic_tangent(x); };
constexpr auto kLogistic = [](auto x) { return logistic(x); };
constexpr auto kPower = [](auto x, auto y) { return std::pow(x, y); };
constexpr auto kAnd = []<typename T>(T a, T b) { return static_cast<T>(a & b); };
constexpr auto kOr = []<typename T>(T a, T b) { return static_cast<T>(a | b); };
constexpr auto kXor = []<typename T>(T a, T b) { return static_cast<T>(a ^ b); };
constexpr auto kNot = [](uint32_t x) { return ~x; };
constexpr auto kNotTrue = [](uint32_t x) { return x == 0; };
constexpr auto kShiftLeft = []<typename T>(T a, T b) -> T {
  const auto by = static_cast<uint32_t>(b);
  return by < 32 ? static_cast<T>(static_cast<uint32_t>(a) << by) : T{0};
};
constexpr auto kShiftRight = []<typename T>(T a, T b) -> T {
  const auto by = static_cast<uint32_t>(b);
  return by < 32 ? static_cast<T>(static_cast<uint32_t>(a) >> by) : T{0};
};
constexpr auto kClamp = []<typename T>(T low, T x, T high) {
  return kMinimum(kMaximum(low, x), high);
};
constexpr auto kSelect = []<typename T>(uint32_t predicate, T a, T b) { return predicate ? a : b; };

// ---- Types ----

std::vector<Type> infer_same(const Call& call) {
  for (const Type& type : call.operands) {
    call.need(type == call.operands[0], "the operands' types differ");
  }
  return {call.operands[0]};
}

std::vector<Type> infer_float(const Call& call) {
  call.need_elements(0, is_float(call.operands[0].element), "a float");
  return infer_same(call);
}

std::vector<Type> infer_number(const Call& call) {
  call.need_elements(0, call.operands[0].element != Element::kPred, "a number");
  return infer_same(call);
}

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

// ---- Loops and oracles, from the functions above ----

// A result may share an operand's memory: each element is read before it is written, which the
// compiler cannot assume.
template <typename... T, typename R, typename F>
void run(F f, const void* const* operands, R* result, int64_t count) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto values = std::make_tuple(static_cast<const T*>(operands[I])...);
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) result[i] = static_cast<R>(f(std::get<I>(values)[i]...));
  }(std::index_sequence_for<T...>());
}

template <auto kFunction, typename R, typename... T>
Loop loop_of() {
  return [](const void* const* operands, void* result, int64_t count) {
    run<T...>(kFunction, operands, static_cast<R*>(result), count);
  };
}

template <auto kFunction, typename T, int kOperands>
Loop same_loop() {
  if constexpr (kOperands == 1) return loop_of<kFunction, T, T>();
  if constexpr (kOperands == 2) return loop_of<kFunction, T, T, T>();
  if constexpr (kOperands == 3) return loop_of<kFunction, T, T, T, T>();
}

// Calls work with a value of the element's arithmetic type; double for the oracle.
template <bool kFloats, bool kIntegers, typename Work>
auto with_type(Element element, bool in_double, const Work& work) {
  if constexpr (kFloats && !kIntegers) {
    return in_double ? work(double{}) : work(float{});
  } else if constexpr (kFloats) {
    if (is_float(element)) return in_double ? work(double{}) : work(float{});
    return element == Element::kS32 || element == Element::kS8 ? work(int32_t{}) : work(uint32_t{});
  } else {
    return element == Element::kS32 || element == Element::kS8 ? work(int32_t{}) : work(uint32_t{});
  }
}

template <auto kFunction, int kOperands, bool kFloats, bool kIntegers>
Loop element_loop(const Call& call) {
  return with_type<kFloats, kIntegers>(call.operands[0].element, false, []<typename T>(T) -> Loop {
    if constexpr (std::is_same_v<T, double>) {
      return nullptr;
    } else {
      return same_loop<kFunction, T, kOperands>();
    }
  });
}

template <typename T>
T as(double value) {
  if constexpr (kFloating<T>) {
    return static_cast<T>(value);
  } else {
    return static_cast<T>(static_cast<int64_t>(value));
  }
}

template <typename Work>
std::vector<Literal> each(const Type& type, const Work& work) {
  Literal result{type, std::vector<double>(element_count(type.shape))};
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    result.values[i] = static_cast<double>(work(static_cast<int64_t>(i)));
    if (!is_float(type.element)) result.values[i] = round_to(type.element, result.values[i]);
  }
  return {result};
}

template <auto kFunction, int kOperands, bool kFloats, bool kIntegers>
std::vector<Literal> evaluate(const Call& call, std::span<const Literal> x) {
  return with_type<kFloats, kIntegers>(call.operands[0].element, true, [&]<typename T>(T) {
    return each(call.operands[0], [&](int64_t i) {
      if constexpr (kOperands == 1) return kFunction(as<T>(x[0].at(i)));
      if constexpr (kOperands == 2) return kFunction(as<T>(x[0].at(i)), as<T>(x[1].at(i)));
      if constexpr (kOperands == 3) {
        return kFunction(as<T>(x[0].at(i)), as<T>(x[1].at(i)), as<T>(x[2].at(i)));
      }
    });
  });
}

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
constexpr auto kToByte = [](float x) -> int32_t {
  return static_cast<int32_t>(x != x ? 0.0f : std::clamp(x, -128.0f, 127.0f));
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
  return to == Element::kS32 ? loop_of<kToSigned, int32_t, float>()
                             : loop_of<kToByte, int32_t, float>();
}

std::vector<Literal> evaluate_convert(const Call& call, std::span<const Literal> x) {
  const Type& type = call.get<Type>("type");
  const bool saturates = is_float(call.operands[0].element) && is_integer(type.element);
  const double low = type.element == Element::kU32  ? 0
                     : type.element == Element::kS8 ? -128
                                                    : -0x1p31;
  const double high = type.element == Element::kU32  ? 0x1p32 - 1
                      : type.element == Element::kS8 ? 127
                                                     : 0x1p31 - 1;
  return each(type, [&](int64_t i) {
    const double value = x[0].at(i);
    if (!saturates) return value;
    return std::isnan(value) ? 0 : std::clamp(value, low, high);
  });
}

// The same 32 bits as another type.
std::vector<Type> infer_bitcast(const Call& call) {
  const auto is_word = [](Element e) {
    return e == Element::kF32 || e == Element::kS32 || e == Element::kU32;
  };
  const Type& type = call.get<Type>("type");
  call.need(is_word(call.operands[0].element) && is_word(type.element), "only 32 bits become {}",
            to_string(type.element));
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

// ---- Gradients ----

using B = Backward;

void d_add(B& b) { b.give(0, b.d()), b.give(1, b.d()); }
void d_subtract(B& b) {
  b.give(0, b.d());
  if (b.wants(1)) b.give(1, -b.d());
}
void d_multiply(B& b) {
  if (b.wants(0)) b.give(0, b.d() * b.operand(1));
  if (b.wants(1)) b.give(1, b.d() * b.operand(0));
}
void d_divide(B& b) {
  const Value d_a = b.d() / b.operand(1);
  b.give(0, d_a);
  if (b.wants(1)) b.give(1, -(d_a * b.result()));
}
// If both are equal, the second operand gets the whole gradient: max(x, 0) has slope 0 at 0.
// Compares with the result, so the first operand need not be kept.
void give_winner(B& b, std::string_view first_wins) {
  const Value first = compare(b.result(), first_wins, b.operand(1));
  const Value zero = constant_like(b.d(), 0);
  if (b.wants(0)) b.give(0, select(first, b.d(), zero));
  if (b.wants(1)) b.give(1, select(first, zero, b.d()));
}
void d_maximum(B& b) { give_winner(b, "GT"); }
void d_minimum(B& b) { give_winner(b, "LT"); }
void d_negate(B& b) { b.give(0, -b.d()); }
void d_abs(B& b) { b.give(0, b.d() * sign(b.operand(0))); }
void d_none(B&) {}  // flat almost everywhere
void d_exponential(B& b) { b.give(0, b.d() * b.result()); }
void d_exponential_minus_one(B& b) { b.give(0, b.d() * (b.result() + 1)); }
void d_log(B& b) { b.give(0, b.d() / b.operand(0)); }
void d_log_plus_one(B& b) { b.give(0, b.d() / (b.operand(0) + 1)); }
void d_sqrt(B& b) { b.give(0, b.d() * 0.5 / b.result()); }
void d_rsqrt(B& b) { b.give(0, b.d() * -0.5 * b.result() / b.operand(0)); }
void d_tanh(B& b) { b.give(0, b.d() * (1 - b.result() * b.result())); }
void d_logistic(B& b) { b.give(0, b.d() * b.result() * (1 - b.result())); }
void d_sine(B& b) { b.give(0, b.d() * cosine(b.operand(0))); }
void d_cosine(B& b) { b.give(0, -(b.d() * sine(b.operand(0)))); }
// erf' is 2 / sqrt(pi) e^(-x^2)
constexpr double kErfSlope = 2 * std::numbers::inv_sqrtpi;
Value bell(Value x) { return exponential(-(x * x)); }
void d_erf(B& b) { b.give(0, b.d() * kErfSlope * bell(b.operand(0))); }
void d_erfc(B& b) { b.give(0, b.d() * -kErfSlope * bell(b.operand(0))); }
void d_erf_inv(B& b) { b.give(0, b.d() * (1 / kErfSlope) / bell(b.result())); }
// a - b trunc(a / b)
void d_remainder(B& b) {
  b.give(0, b.d());
  if (!b.wants(1)) return;
  const Value whole = (b.operand(0) - b.result()) / b.operand(1);
  b.give(1, -(b.d() * whole));
}
void d_power(B& b) {
  const Value x = b.operand(0), y = b.operand(1);
  if (b.wants(0)) b.give(0, b.d() * y * power(x, y - 1));
  if (b.wants(1)) b.give(1, b.d() * b.result() * log(x));
}
void d_select(B& b) {
  const Value zero = broadcast_to(constant_like(b.d(), 0), b.d().shape());
  if (b.wants(1)) b.give(1, select(b.operand(0), b.d(), zero));
  if (b.wants(2)) b.give(2, select(b.operand(0), zero, b.d()));
}
void d_clamp(B& b) {
  const Value zero = broadcast_to(constant_like(b.d(), 0), b.d().shape());
  const Value above = compare(b.operand(1), "GT", b.operand(0));
  const Value below = compare(b.operand(1), "LT", b.operand(2));
  if (b.wants(1)) b.give(1, select(above, select(below, b.d(), zero), zero));
  if (b.wants(0)) b.give(0, select(above, zero, b.d()));
  if (b.wants(2)) b.give(2, select(below, zero, b.d()));
}
void d_convert(B& b) { b.give(0, convert(b.d(), b.operand(0).type().element)); }

// ---- The table's entries ----

template <auto kFunction, int kOperands, bool kFloats, bool kIntegers>
OperationKind entry(std::string_view name, std::vector<Type> (*infer)(const Call&),
                    void (*gradient)(B&)) {
  return {.name = name,
          .operands = kOperands,
          .infer = infer,
          .evaluate = evaluate<kFunction, kOperands, kFloats, kIntegers>,
          .gradient = gradient,
          .loop = element_loop<kFunction, kOperands, kFloats, kIntegers>};
}
template <auto kFunction>
OperationKind float_function(std::string_view name, void (*gradient)(B&)) {
  return entry<kFunction, 1, true, false>(name, infer_float, gradient);
}
template <auto kFunction, int kOperands>
OperationKind number_function(std::string_view name, void (*gradient)(B&)) {
  return entry<kFunction, kOperands, true, true>(name, infer_number, gradient);
}
template <auto kFunction, int kOperands>
OperationKind bit_function(std::string_view name, std::vector<Type> (*infer)(const Call&)) {
  return entry<kFunction, kOperands, false, true>(name, infer, nullptr);
}

}  // namespace

std::span<const OperationKind> elementwise_kinds() {
  static const std::vector<OperationKind> kKinds = {
      number_function<kAdd, 2>("add", d_add),
      number_function<kSubtract, 2>("subtract", d_subtract),
      number_function<kMultiply, 2>("multiply", d_multiply),
      number_function<kDivide, 2>("divide", d_divide),
      number_function<kMaximum, 2>("maximum", d_maximum),
      number_function<kMinimum, 2>("minimum", d_minimum),
      number_function<kNegate, 1>("negate", d_negate),
      number_function<kAbs, 1>("abs", d_abs),
      number_function<kSign, 1>("sign", d_none),
      number_function<kClamp, 3>("clamp", d_clamp),
      float_function<kFloor>("floor", d_none),
      float_function<kCeil>("ceil", d_none),
      float_function<kRoundToEven>("round_nearest_even", d_none),
      float_function<kRoundFromZero>("round_nearest_afz", d_none),
      float_function<kSine>("sine", d_sine),
      float_function<kCosine>("cosine", d_cosine),
      float_function<kErf>("erf", d_erf),
      float_function<kErfc>("erfc", d_erfc),
      float_function<kErfInv>("erf_inv", d_erf_inv),
      number_function<kRemainder, 2>("remainder", d_remainder),
      {.name = "is_finite",
       .infer = infer_is_finite,
       .evaluate = evaluate_is_finite,
       .loop = is_finite_loop},
      float_function<kExponential>("exponential", d_exponential),
      float_function<kExponentialMinusOne>("exponential_minus_one", d_exponential_minus_one),
      float_function<kLog>("log", d_log),
      float_function<kLogPlusOne>("log_plus_one", d_log_plus_one),
      float_function<kSqrt>("sqrt", d_sqrt),
      float_function<kRsqrt>("rsqrt", d_rsqrt),
      float_function<kTanh>("tanh", d_tanh),
      float_function<kLogistic>("logistic", d_logistic),
      entry<kPower, 2, true, false>("power", infer_float, d_power),
      bit_function<kAnd, 2>("and", infer_bits),
      bit_function<kOr, 2>("or", infer_bits),
      bit_function<kXor, 2>("xor", infer_bits),
      {.name = "not", .infer = infer_bits, .evaluate = evaluate_not, .loop = not_loop},
      bit_function<kShiftLeft, 2>("shift_left", infer_integer),
      bit_function<kShiftRight, 2>("shift_right_logical", infer_integer),
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
