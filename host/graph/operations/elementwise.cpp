#include "host/graph/operations/elementwise.h"

#include <cmath>
#include <functional>
#include <numbers>

#include "host/graph/functions.h"
#include "host/graph/operations/operations.h"
#include "host/graph/ops.h"

// Arithmetic, and functions of numbers.
namespace systole::graph {
namespace {

using namespace elements;
using std::int32_t, std::uint32_t, std::int64_t;

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
constexpr auto kClamp = []<typename T>(T low, T x, T high) {
  return kMinimum(kMaximum(low, x), high);
};
// ---- Types ----

std::vector<Type> infer_number(const Call& call) {
  call.need_elements(0, call.operands[0].element != Element::kPred, "a number");
  return infer_same(call);
}

// ---- Gradients ----

using B = Backward;

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
void d_none(B&) {}  // flat almost everywhere
void d_angle(B& b) {
  const Value y = b.operand(0), x = b.operand(1), d = b.d() / (x * x + y * y);
  if (b.wants(0)) b.give(0, d * x);
  if (b.wants(1)) b.give(1, -(d * y));
}
// erf' is 2 / sqrt(pi) e^(-x^2)
constexpr double kErfSlope = 2 * std::numbers::inv_sqrtpi;
Value bell(Value x) { return exponential(-(x * x)); }
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
void d_clamp(B& b) {
  const Value zero = broadcast_to(constant_like(b.d(), 0), b.d().shape());
  const Value above = compare(b.operand(1), "GT", b.operand(0));
  const Value below = compare(b.operand(1), "LT", b.operand(2));
  if (b.wants(1)) b.give(1, select(above, select(below, b.d(), zero), zero));
  if (b.wants(0)) b.give(0, select(above, zero, b.d()));
  if (b.wants(2)) b.give(2, select(below, zero, b.d()));
}
// ---- The table's entries ----

template <auto kFunction>
OperationKind float_function(std::string_view name, void (*gradient)(B&)) {
  return entry<kFunction, 1, true, false>(name, infer_float, gradient);
}
template <auto kFunction, int kOperands>
OperationKind number_function(std::string_view name, void (*gradient)(B&)) {
  return entry<kFunction, kOperands, true, true>(name, infer_number, gradient);
}
}  // namespace

std::span<const OperationKind> elementwise_kinds() {
  static const std::vector<OperationKind> kKinds = {
      number_function<kAdd, 2>("add", [](B& b) { b.give(0, b.d()), b.give(1, b.d()); }),
      number_function<kSubtract, 2>("subtract", d_subtract),
      number_function<kMultiply, 2>("multiply", d_multiply),
      number_function<kDivide, 2>("divide", d_divide),
      number_function<kMaximum, 2>("maximum", [](B& b) { give_winner(b, "GT"); }),
      number_function<kMinimum, 2>("minimum", [](B& b) { give_winner(b, "LT"); }),
      number_function<kNegate, 1>("negate", [](B& b) { b.give(0, -b.d()); }),
      number_function<kAbs, 1>("abs", [](B& b) { b.give(0, b.d() * sign(b.operand(0))); }),
      number_function<kSign, 1>("sign", d_none),
      number_function<kClamp, 3>("clamp", d_clamp),
      float_function<[](auto x) { return std::floor(x); }>("floor", d_none),
      float_function<[](auto x) { return std::ceil(x); }>("ceil", d_none),
      float_function<[](auto x) { return std::nearbyint(x); }>("round_nearest_even", d_none),
      float_function<[](auto x) { return std::round(x); }>("round_nearest_afz", d_none),
      float_function<[](auto x) { return std::sin(x); }>(
          "sine", [](B& b) { b.give(0, b.d() * cosine(b.operand(0))); }),
      float_function<[](auto x) { return std::cos(x); }>(
          "cosine", [](B& b) { b.give(0, -(b.d() * sine(b.operand(0)))); }),
      float_function<[](auto x) { return std::tan(x); }>(
          "tan", [](B& b) { b.give(0, b.d() * (1 + b.result() * b.result())); }),
      entry<[](auto y, auto x) { return std::atan2(y, x); }, 2, true, false>("atan2", infer_float,
                                                                             d_angle),
      float_function<[](auto x) { return std::cbrt(x); }>(
          "cbrt", [](B& b) { b.give(0, b.d() / (3 * (b.result() * b.result()))); }),
      float_function<[](auto x) { return std::erf(x); }>(
          "erf", [](B& b) { b.give(0, b.d() * kErfSlope * bell(b.operand(0))); }),
      float_function<[](auto x) { return std::erfc(x); }>(
          "erfc", [](B& b) { b.give(0, b.d() * -kErfSlope * bell(b.operand(0))); }),
      float_function<[](auto x) { return inverse_error_function(x); }>(
          "erf_inv", [](B& b) { b.give(0, b.d() * (1 / kErfSlope) / bell(b.result())); }),
      number_function<kRemainder, 2>("remainder", d_remainder),
      float_function<[](auto x) { return exponential(x); }>(
          "exponential", [](B& b) { b.give(0, b.d() * b.result()); }),
      float_function<[](auto x) { return exponential_minus_one(x); }>(
          "exponential_minus_one", [](B& b) { b.give(0, b.d() * (b.result() + 1)); }),
      float_function<[](auto x) { return logarithm(x); }>(
          "log", [](B& b) { b.give(0, b.d() / b.operand(0)); }),
      float_function<[](auto x) { return log_plus_one(x); }>(
          "log_plus_one", [](B& b) { b.give(0, b.d() / (b.operand(0) + 1)); }),
      float_function<[](auto x) { return std::sqrt(x); }>(
          "sqrt", [](B& b) { b.give(0, b.d() * 0.5 / b.result()); }),
      float_function<[]<typename T>(T x) { return T{1} / std::sqrt(x); }>(
          "rsqrt", [](B& b) { b.give(0, b.d() * -0.5 * b.result() / b.operand(0)); }),
      float_function<[](auto x) { return hyperbolic_tangent(x); }>(
          "tanh", [](B& b) { b.give(0, b.d() * (1 - b.result() * b.result())); }),
      float_function<[](auto x) { return logistic(x); }>(
          "logistic", [](B& b) { b.give(0, b.d() * b.result() * (1 - b.result())); }),
      entry<[](auto x, auto y) { return std::pow(x, y); }, 2, true, false>("power", infer_float,
                                                                           d_power),
  };
  return kKinds;
}

}  // namespace systole::graph
