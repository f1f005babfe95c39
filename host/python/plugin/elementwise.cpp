// Elementwise operations of a training step, as loops on this processor.
#include <algorithm>
#include <cmath>

#include "host/python/plugin/lines.h"

namespace systole::tensorflow {
namespace {

template <typename In, typename Out, auto kFunction>
struct Unary {
  void compute(const Context& context) const {
    const Tensor x = context.input(0);
    const Tensor y = std::is_same_v<In, Out> ? context.output_over({0}, 0, x.shape())
                                             : context.output(0, kType<Out>, x.shape());
    const In* from = x.values<In>().data();
    Out* to = y.values<Out>().data();
    Lines(x.shape(), {&x.shape()})
        .each_on(context.threads(), [&](std::int64_t first, const auto&, std::int64_t length) {
          std::transform(from + first, from + first + length, to + first, kFunction);
        });
  }
};

template <typename In, typename Out, auto kFunction>
struct Binary {
  void compute(const Context& context) const {
    const Tensor a = context.input(0), b = context.input(1);
    const Shape shape = broadcast(a.shape(), b.shape());
    const Tensor y = std::is_same_v<In, Out> ? context.output_over({0, 1}, 0, shape)
                                             : context.output(0, kType<Out>, shape);
    apply(context.threads(), Lines(shape, {&a.shape(), &b.shape()}), a.values<In>().data(),
          b.values<In>().data(), y.values<Out>().data(), kFunction);
  }
};

// Writes a where `which` says so, and b elsewhere; `chosen` is the shape that `which` has for that.
template <typename T>
void select(const Context& context, const Tensor& which, const Shape& chosen, const Tensor& a,
            const Tensor& b) {
  const Shape shape = broadcast(chosen, broadcast(a.shape(), b.shape()));
  const Tensor y = context.output(0, kType<T>, shape);
  const Lines lines(shape, {&chosen, &a.shape(), &b.shape()});
  lines.each([&](std::int64_t first, const auto& offsets, std::int64_t length) {
    const bool* takes = which.values<bool>().data() + offsets[0];
    const T* from_a = a.values<T>().data() + offsets[1];
    const T* from_b = b.values<T>().data() + offsets[2];
    for (std::int64_t i = 0; i < length; ++i) {
      y.values<T>()[first + i] =
          takes[i * lines.step(0)] ? from_a[i * lines.step(1)] : from_b[i * lines.step(2)];
    }
  });
}

template <typename T>
struct SelectV2 {
  void compute(const Context& context) const {
    const Tensor which = context.input(0);
    select<T>(context, which, which.shape(), context.input(1), context.input(2));
  }
};

// tf.compat.v1.where: a condition of one dimension chooses rows, and nothing else broadcasts.
template <typename T>
struct Select {
  void compute(const Context& context) const {
    const Tensor which = context.input(0), a = context.input(1), b = context.input(2);
    Shape chosen = which.shape();
    const bool rows = chosen.size() == 1 && a.rank() > 0 && chosen[0] == a.shape()[0];
    if (a.shape() != b.shape() || (chosen != a.shape() && !chosen.empty() && !rows)) {
      refuse("a condition {} does not choose from {} and {}", chosen, a.shape(), b.shape());
    }
    if (rows) chosen.resize(a.shape().size(), 1);
    select<T>(context, which, chosen, a, b);
  }
};

struct AddN {
  void compute(const Context& context) const {
    const Tensor first = context.input(0);
    const Tensor y = context.output(0, TF_FLOAT, first.shape());
    std::ranges::copy(first.values<float>(), y.values<float>().begin());
    for (int i = 1; i < context.inputs(); ++i) {
      const Tensor x = context.input(i);
      std::ranges::transform(y.values<float>(), x.values<float>(), y.values<float>().begin(),
                             std::plus<>());
    }
  }
};

template <typename T, auto kFunction>
void add_unary(const char* operation) {
  add_typed_kernel<T, Unary<T, T, kFunction>>(operation);
}
template <typename T, auto kFunction>
void add_binary(const char* operation) {
  add_typed_kernel<T, Binary<T, T, kFunction>>(operation);
}
template <typename T, auto kFunction>
void add_comparison(const char* operation) {
  add_typed_kernel<T, Binary<T, bool, kFunction>>(operation);
}

// int32 lies in host memory, as TensorFlow's own kernels have it: it counts dimensions.
template <typename From, typename To>
void add_cast(std::initializer_list<const char*> on_host = {}) {
  for (const TF_DataType from : types_of<From>()) {
    for (const TF_DataType to : types_of<To>()) {
      if (from == to) continue;
      add_kernel<Unary<From, To, [](From x) { return static_cast<To>(x); }>>(
          "Cast", {{"SrcT", from}, {"DstT", to}}, on_host);
    }
  }
}

template <typename T>
void add_arithmetic() {
  add_binary<T, [](T a, T b) { return static_cast<T>(a + b); }>("AddV2");
  add_binary<T, [](T a, T b) { return static_cast<T>(a - b); }>("Sub");
  add_binary<T, [](T a, T b) { return static_cast<T>(a * b); }>("Mul");
  add_unary<T, [](T x) { return static_cast<T>(-x); }>("Neg");
  add_unary<T, [](T) { return T{0}; }>("ZerosLike");
  add_unary<T, [](T) { return T{1}; }>("OnesLike");
  add_comparison<T, [](T a, T b) { return a == b; }>("Equal");
  add_comparison<T, [](T a, T b) { return a != b; }>("NotEqual");
  add_comparison<T, [](T a, T b) { return a < b; }>("Less");
  add_comparison<T, [](T a, T b) { return a <= b; }>("LessEqual");
  add_comparison<T, [](T a, T b) { return a > b; }>("Greater");
  add_comparison<T, [](T a, T b) { return a >= b; }>("GreaterEqual");
}

// What chooses, fills or copies elements has each type.
template <typename T>
void add_selections() {
  add_typed_kernel<T, SelectV2<T>>("SelectV2");
  add_typed_kernel<T, Select<T>>("Select");
}

// NaN stays NaN, as in TensorFlow.
float larger(float a, float b) { return a > b || std::isnan(a) ? a : b; }
float smaller(float a, float b) { return a < b || std::isnan(a) ? a : b; }

}  // namespace

void add_elementwise() {
  add_arithmetic<float>();
  add_arithmetic<std::int64_t>();
  add_selections<float>();
  add_selections<std::int64_t>();
  add_selections<bool>();

  add_binary<float, [](float a, float b) { return a / b; }>("RealDiv");
  add_binary<float, [](float a, float b) { return b == 0 ? 0 : a / b; }>("DivNoNan");
  add_binary<float, larger>("Maximum");
  add_binary<float, smaller>("Minimum");
  add_binary<float, [](float a, float b) { return std::pow(a, b); }>("Pow");
  add_binary<float, [](float a, float b) { return (a - b) * (a - b); }>("SquaredDifference");

  add_unary<float, [](float x) { return std::abs(x); }>("Abs");
  add_unary<float, [](float x) { return std::exp(x); }>("Exp");
  add_unary<float, [](float x) { return std::expm1(x); }>("Expm1");
  add_unary<float, [](float x) { return std::log(x); }>("Log");
  add_unary<float, [](float x) { return std::log1p(x); }>("Log1p");
  add_unary<float, [](float x) { return std::sqrt(x); }>("Sqrt");
  add_unary<float, [](float x) { return 1 / std::sqrt(x); }>("Rsqrt");
  add_unary<float, [](float x) { return x * x; }>("Square");
  add_unary<std::int64_t, [](std::int64_t x) { return x * x; }>("Square");
  add_unary<float, [](float x) { return 1 / x; }>("Reciprocal");
  add_unary<float, [](float x) { return std::tanh(x); }>("Tanh");
  add_unary<float, [](float x) { return 1 / (1 + std::exp(-x)); }>("Sigmoid");
  add_unary<float, [](float x) { return larger(x, 0); }>("Relu");

  // Gradients: of (the result, its gradient), and for ReluGrad of (the gradient, the operand).
  add_binary<float, [](float g, float x) { return x > 0 ? g : 0; }>("ReluGrad");
  add_binary<float, [](float y, float g) { return g * y * (1 - y); }>("SigmoidGrad");
  add_binary<float, [](float y, float g) { return g * (1 - y * y); }>("TanhGrad");
  add_binary<float, [](float y, float g) { return g * 0.5f / y; }>("SqrtGrad");
  add_binary<float, [](float y, float g) { return g * -0.5f * y * y * y; }>("RsqrtGrad");

  add_kernel<Unary<bool, bool, [](bool x) { return !x; }>>("LogicalNot", {});
  add_kernel<Binary<bool, bool, [](bool a, bool b) { return a && b; }>>("LogicalAnd", {});
  add_kernel<Binary<bool, bool, [](bool a, bool b) { return a || b; }>>("LogicalOr", {});

  add_cast<float, float>();
  add_cast<float, std::int64_t>();
  add_cast<std::int64_t, float>();
  add_cast<bool, float>();
  add_cast<bool, std::int64_t>();
  add_cast<float, bool>();
  add_cast<std::int64_t, bool>();
  add_cast<std::int32_t, float>({"x"});
  add_cast<std::int32_t, std::int64_t>({"x"});
  add_cast<std::int64_t, std::int32_t>({"y"});
  add_cast<float, std::int32_t>({"y"});
  add_float_kernel<AddN>("AddN");
}

}  // namespace systole::tensorflow
