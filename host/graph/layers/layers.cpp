#include "host/graph/layers/layers.h"

#include <algorithm>
#include <cmath>

namespace systole::graph {
namespace {

Initial glorot_uniform(std::int64_t inputs, std::int64_t outputs) {
  return {Initial::Kind::kUniform, std::sqrt(6.0 / static_cast<double>(inputs + outputs))};
}

Value bias(Model& model, std::int64_t units) { return model.weight("bias", {units}, {}); }

// The border on either side of one dimension.
std::pair<std::int64_t, std::int64_t> border(Padding padding, std::int64_t input, std::int64_t size,
                                             std::int64_t stride) {
  if (padding == Padding::kValid) return {0, 0};
  const std::int64_t windows = (input + stride - 1) / stride;
  const std::int64_t missing = std::max<std::int64_t>(0, (windows - 1) * stride + size - input);
  return {missing / 2, missing - missing / 2};
}

void need_images(Value x, std::string_view layer) {
  if (x.type().rank() == 4) return;
  throw GraphError(fmt::format("{}: {} takes [batch, height, width, channels], not {}",
                               x.graph().scope(), layer, to_string(x.type())));
}

WindowOptions pooling(Value x, Size2D pool, Padding padding) {
  const auto [top, bottom] = border(padding, x.dimension(1), pool.height, pool.height);
  const auto [left, right] = border(padding, x.dimension(2), pool.width, pool.width);
  return {.size = {1, pool.height, pool.width, 1},
          .strides = {1, pool.height, pool.width, 1},
          .low = {0, top, left, 0},
          .high = {0, bottom, right, 0}};
}

Value per_channel(Value v, Value x) { return broadcast_to(v, x.shape()); }

}  // namespace

Value log_softmax(Value x) {
  const std::int64_t last = x.type().rank() - 1;
  const auto along = [&](Value v) { return repeat(v, x.shape(), {last}); };
  const Value shifted = x - along(x.graph().detach(max(x, {last})));
  return shifted - along(log(sum(exponential(shifted), {last})));
}

Value softmax(Value x) { return exponential(log_softmax(x)); }

Value Dense::operator()(Model& model, Value x) const {
  return model.layer("dense", [&] {
    const std::int64_t inputs = x.dimension(-1);
    const Value y =
        matmul(x, model.weight("weight", {inputs, units}, glorot_uniform(inputs, units)));
    return activation(has_bias ? y + bias(model, units) : y);
  });
}

Value Conv2D::operator()(Model& model, Value x) const {
  return model.layer("conv2d", [&] {
    need_images(x, "Conv2D");
    const std::int64_t channels = x.dimension(3), area = kernel.height * kernel.width;
    const Initial he{Initial::Kind::kNormal, std::sqrt(2.0 / static_cast<double>(area * channels))};
    const Value w = model.weight("weight", {kernel.height, kernel.width, channels, filters},
                                 he_normal ? he : glorot_uniform(area * channels, area * filters));
    const auto [top, bottom] = border(padding, x.dimension(1), kernel.height, strides.height);
    const auto [left, right] = border(padding, x.dimension(2), kernel.width, strides.width);
    const Value y = convolution(
        x, w, "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
        {.strides = {strides.height, strides.width}, .low = {top, left}, .high = {bottom, right}});
    return activation(y + bias(model, filters));
  });
}

Value MaxPooling2D::operator()(Model& model, Value x) const {
  return model.layer("max_pooling2d", [&] {
    need_images(x, "MaxPooling2D");
    return reduce_window(x, constant_like(x, -INFINITY), "maximum", pooling(x, pool, padding));
  });
}

Value AveragePooling2D::operator()(Model& model, Value x) const {
  return model.layer("average_pooling2d", [&] {
    need_images(x, "AveragePooling2D");
    const WindowOptions window = pooling(x, pool, padding);
    const Value zero = constant_like(x, 0);
    const Value ones = broadcast_to(constant_like(x, 1), {1, x.dimension(1), x.dimension(2), 1});
    return reduce_window(x, zero, "add", window) / reduce_window(ones, zero, "add", window);
  });
}

Value BatchNormalization::operator()(Model& model, Value x) const {
  return model.layer("batch_normalization", [&] {
    const Shape channels = {x.dimension(-1)};
    const Initial zero{}, one{.scale = 1};
    const Value gamma = model.weight("gamma", channels, one);
    const Value beta = model.weight("beta", channels, zero);
    const Type moving{Element::kF32, channels};
    const Value moving_mean = model.state("moving_mean", moving, zero);
    const Value moving_variance = model.state("moving_variance", moving, one);
    Value average = moving_mean, variance = moving_variance;
    if (model.training()) {
      const Integers places = counting(x.type().rank() - 1);
      average = mean(x, places);
      const Value difference = x - per_channel(average, x);
      variance = mean(difference * difference, places);
      model.update(moving_mean, moving_mean * momentum + average * (1 - momentum));
      model.update(moving_variance, moving_variance * momentum + variance * (1 - momentum));
    }
    const Value scale = gamma * rsqrt(variance + epsilon);
    return (x - per_channel(average, x)) * per_channel(scale, x) + per_channel(beta, x);
  });
}

Value Dropout::operator()(Model& model, Value x) const {
  if (!model.training() || rate == 0) return x;
  return model.layer("dropout", [&] {
    const Value state = model.state("random", {Element::kU32, {4}}, {Initial::Kind::kUniform, 0});
    const RandomBits random = rng_bit_generator(state, x.shape());
    model.update(state, random.state);
    const Value kept = compare(random.bits, "GE", std::floor(rate * 0x1p32));
    return select(kept, x * (1 / (1 - rate)), constant_like(x, 0));
  });
}

Value Flatten::operator()(Model& model, Value x) const {
  return model.layer("flatten", [&] {
    const std::int64_t batch = x.dimension(0);
    return reshape(x, {batch, element_count(x.shape()) / std::max<std::int64_t>(1, batch)});
  });
}

Value Activate::operator()(Model& model, Value x) const {
  return model.layer("activation", [&] { return activation(x); });
}

Value Embedding::operator()(Model& model, Value numbers) const {
  return model.layer("embedding", [&] {
    const Value table = model.weight("table", {words, units}, {Initial::Kind::kUniform, 0.05});
    return take_rows(table, numbers);
  });
}

Value Gru::operator()(Model& model, Value x, Value live) const {
  return model.layer("gru", [&] {
    const std::int64_t inputs = x.dimension(2), steps = x.dimension(0), batch = x.dimension(1);
    const Value w = model.weight("weight", {inputs, 3 * units}, glorot_uniform(inputs, 3 * units));
    const Value u =
        model.weight("recurrent.weight", {units, 3 * units}, glorot_uniform(units, 3 * units));
    const Value projected = matmul(x, w) + model.weight("bias", {3 * units}, {});
    const Value recurrent_bias = model.weight("recurrent.bias", {3 * units}, {});
    const auto gate = [&](Value v, std::int64_t i) {
      return take(v, 1, i * units, (i + 1) * units);
    };
    Value h = broadcast_to(constant_like(x, 0), {batch, units});
    std::vector<Value> states;
    for (std::int64_t t = 0; t < steps; ++t) {
      const Value p = take(projected, 0, t);
      const Value r = matmul(h, u) + recurrent_bias;
      const Value update = logistic(gate(p, 0) + gate(r, 0));
      const Value reset = logistic(gate(p, 1) + gate(r, 1));
      const Value candidate = tanh(gate(p, 2) + reset * gate(r, 2));
      const Value next = update * h + (1 - update) * candidate;
      h = live ? select(repeat(take(live, 0, t), h.shape(), {1}), next, h) : next;
      states.push_back(reshape(h, {1, batch, units}));
    }
    return concatenate(states, 0);
  });
}

Value Attention::operator()(Model& model, Value query, Value values, Value live) const {
  return model.layer("attention", [&] {
    const auto project = [&](std::string_view name, Value x, std::int64_t outputs) {
      const std::int64_t inputs = x.dimension(-1);
      return matmul(x, model.weight(name, {inputs, outputs}, glorot_uniform(inputs, outputs)));
    };
    const Value keys = project("key.weight", values, units) + model.weight("key.bias", {units}, {});
    const Value inside = tanh(keys + project("query.weight", query, units));
    const Value scores = reshape(project("score.weight", inside, 1), live.shape());
    const Value hidden = select(live, scores, constant_like(scores, -1e9));
    const Value weights = transpose(softmax(transpose(hidden, {1, 0})), {1, 0});
    return sum(values * repeat(weights, values.shape(), {2}), {0});
  });
}

}  // namespace systole::graph
