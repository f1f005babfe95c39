#include "host/graph/layers/training.h"

#include <cmath>

#include "host/graph/gradient.h"

namespace systole::graph {
namespace {

Value one_hot(Value labels, const Shape& shape) {
  const std::int64_t last = static_cast<std::int64_t>(shape.size()) - 1;
  const Value classes = iota(labels.graph(), {labels.type().element, shape}, last);
  return compare(classes, "EQ", repeat(labels, shape, {last}));
}

Value decayed(const Update& update, double weight_decay) {
  const Value w = update.variable.value;
  return weight_decay == 0 ? w : w - update.learning_rate * weight_decay * w;
}

}  // namespace

Value softmax_cross_entropy(Value logits, Value labels) {
  const Graph::Scope scope(logits.graph(), "softmax_cross_entropy");
  const Value log_shares = log_softmax(logits);
  const Value at_labels =
      select(one_hot(labels, logits.shape()), log_shares, constant_like(logits, 0));
  return -mean(sum(at_labels, {logits.type().rank() - 1}), counting(logits.type().rank() - 1));
}

Value mean_squared_error(Value outputs, Value targets) {
  const Graph::Scope scope(outputs.graph(), "mean_squared_error");
  const Value difference = outputs - targets;
  return mean(difference * difference, counting(outputs.type().rank()));
}

Value accuracy(Value outputs, Value labels) {
  const Graph::Scope scope(outputs.graph(), "accuracy");
  const std::int64_t last = outputs.type().rank() - 1;
  const Shape& shape = outputs.shape();
  const Type places{Element::kS32, shape};
  const Value largest = compare(outputs, "EQ", repeat(max(outputs, {last}), shape, {last}));
  const Value all = iota(outputs.graph(), places, last);
  const Value none = constant_like(all, static_cast<double>(outputs.dimension(last)));
  const Value first = reduce(select(largest, all, none), none, "minimum", {last});
  return mean(convert(compare(first, "EQ", labels), Element::kF32), counting(last));
}

Value Update::slot(std::string_view name) const {
  return model.state(fmt::format("{}.{}", variable.name, name), variable.value.type(), {});
}

Value Sgd::operator()(const Update& update) const {
  const Value w = decayed(update, weight_decay);
  const Value step = update.learning_rate * update.gradient;
  if (momentum == 0) return w - step;
  const Value old = update.slot("velocity");
  const Value velocity = old * momentum - step;
  update.model.update(old, velocity);
  return w + (nesterov ? velocity * momentum - step : velocity);
}

Value Adam::operator()(const Update& update) const {
  const Value g = update.gradient;
  const Value old_m = update.slot("m"), old_v = update.slot("v");
  const Value m = old_m + (g - old_m) * (1 - beta1);
  const Value v = old_v + (g * g - old_v) * (1 - beta2);
  update.model.update(old_m, m);
  update.model.update(old_v, v);
  // 1 - beta^step, without the cancellation.
  const auto rest = [&](double beta) {
    return -exponential_minus_one(update.step * std::log(beta));
  };
  const Value rate = update.learning_rate * sqrt(rest(beta2)) / rest(beta1);
  return decayed(update, weight_decay) - rate * m / (sqrt(v) + epsilon);
}

std::vector<Value> clip_norm(std::span<const Value> gradients, double limit) {
  Value squares = {};
  for (const Value gradient : gradients) {
    const Value part = sum(gradient * gradient);
    squares = squares ? squares + part : part;
  }
  std::vector<Value> clipped;
  for (const Value gradient : gradients) {
    const Value norm = maximum(sqrt(squares), constant_like(squares, limit));
    clipped.push_back(gradient * (limit / norm));
  }
  return clipped;
}

void finish_step(Model& model, Value loss, const StepOptions& options) {
  Graph& graph = model.graph();
  const Type scalar{Element::kF32, {}};
  const Value rate = graph.input("learning_rate", scalar), step = graph.input("step", scalar);
  graph.output("loss", loss);
  std::vector<Value> trained;
  for (const Variable& variable : model.variables()) {
    if (variable.trained) trained.push_back(variable.value);
  }
  std::vector<Value> found = gradients(loss, trained);
  if (options.clip > 0) found = clip_norm(found, options.clip);
  const Graph::Scope scope(graph, "update");
  const std::size_t count = model.variables().size();
  for (std::size_t i = 0, next = 0; i < count; ++i) {
    const Variable variable = model.variables()[i];  // a copy: optimizers add variables
    if (!variable.trained) continue;
    model.update(variable.value, options.optimizer({model, variable, found[next++], rate, step}));
  }
  for (const Variable& variable : model.variables()) {
    if (variable.updated) graph.update(variable.value, variable.name + ".next", variable.updated);
  }
}

}  // namespace systole::graph
