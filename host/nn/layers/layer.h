#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>

#include "host/nn/layers/builder.h"

namespace systole::nn {

/// A layer computes a batch's outputs in operations of the graph, and need not know about
/// gradients, devices or batch sizes: Dense{.units = 10}, or any function of this type.
///
/// Shapes   x and the result are [rows, the sample's dimensions]
/// Errors   std::invalid_argument for samples that it cannot take, with their shape
template <typename T>
concept LayerExpression = requires(const T& layer, Builder& builder, Value x) {
  { layer(builder, x) } -> std::same_as<Value>;
};

/// Any layer as a value, so that a model is a list of them. A layer may have a kind(), "Dense", for
/// summary(), and a description(): the kind and the options that shapes do not show, so that layers
/// with equal descriptions and shapes train alike.
class Layer {
 public:
  template <LayerExpression T>
  Layer(T layer) {  // implicit on purpose: Sequential{Dense{...}, Relu{}}
    if constexpr (requires { layer.kind(); }) kind_ = layer.kind();
    description_ = kind_;
    if constexpr (requires { layer.description(); }) description_ = layer.description();
    write_ = std::move(layer);
  }

  Value operator()(Builder& builder, Value x) const { return write_(builder, x); }
  const std::string& kind() const { return kind_; }
  const std::string& description() const { return description_; }

 private:
  std::string kind_ = "Layer", description_;
  std::function<Value(Builder&, Value)> write_;
};

/// What the parameters of layer `number` of a chain are named by: "1.dense".
std::string scope_name(std::size_t number, const Layer& layer);

/// The dimensions of a sample of x.
inline Shape sample_shape(Value x) { return {x.shape().begin() + 1, x.shape().end()}; }

}  // namespace systole::nn
