#pragma once

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// x - log(sum(exp(x))) along the last dimension; subtracts the maximum first, as a constant.
Value log_softmax(Value x);

/// exp(x - max) / sum(exp(x - max)) along a dimension; the maximum is a constant.
Value softmax(Value x, std::int64_t dimension);

/// x Phi(x), Phi the normal distribution's: x (1 + erf(x / sqrt(2))) / 2.
///
/// Source   Hendrycks and Gimpel, arXiv 1606.08415; exact, as Keras has it by default
Value gelu(Value x);

/// An activation, as layers take it. A new one is a line:
///
///     const Function kSilu{"silu", [](Value x) { return x * logistic(x); }};
struct Function {
  std::string_view name = "linear";
  Value (*apply)(Value) = [](Value x) { return x; };

  Value operator()(Value x) const { return apply(x); }
  bool operator==(const Function& other) const { return name == other.name; }

  static const Function kLinear, kRelu, kGelu, kTanh, kSigmoid, kSoftmax;
};

inline constexpr Function Function::kLinear;
inline constexpr Function Function::kRelu{"relu",
                                          [](Value x) { return maximum(x, constant_like(x, 0)); }};
inline constexpr Function Function::kGelu{"gelu", [](Value x) { return gelu(x); }};
inline constexpr Function Function::kTanh{"tanh", [](Value x) { return tanh(x); }};
inline constexpr Function Function::kSigmoid{"sigmoid", [](Value x) { return logistic(x); }};
inline constexpr Function Function::kSoftmax{"softmax",
                                             [](Value x) { return exponential(log_softmax(x)); }};

/// "Dense", or "Dense(relu)".
std::string description_with(std::string_view kind, const Function& activation);

/// y = f(x), as a layer of its own.
struct Activation {
  Function function = Function::kLinear;

  static std::string kind() { return "Activation"; }
  std::string description() const;
  Value operator()(Builder&, Value x) const { return function(x); }
};

struct Relu {
  static std::string kind() { return "Relu"; }
  Value operator()(Builder&, Value x) const { return Function::kRelu(x); }
};

struct Gelu {
  static std::string kind() { return "Gelu"; }
  Value operator()(Builder&, Value x) const { return gelu(x); }
};

}  // namespace systole::nn
