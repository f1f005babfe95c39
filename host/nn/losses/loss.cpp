#include "host/nn/losses/loss.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/cpu/program.h"
#include "host/nn/layers/activation.h"

namespace systole::nn {
namespace {

constexpr double kSmallest = 1e-7;

std::int64_t last_of(Value x) { return x.type().rank() - 1; }

// The mean over rows of -sum of t log p.
Value cross_entropy(Value log_p, Value targets) {
  return -mean(sum(targets * log_p, {last_of(log_p)}), graph::counting(last_of(log_p)));
}

// The index of the first largest element.
Value largest(Value x) {
  const std::int64_t last = last_of(x);
  const Value is_largest = compare(x, "EQ", repeat(max(x, {last}), x.shape(), {last}));
  const Value numbers = iota(x.graph(), x.type(), last);
  const Value none = constant_like(x, static_cast<double>(x.dimension(last)));
  return reduce(select(is_largest, numbers, none), none, "minimum", {last});
}

Value hits(Value outputs, Value targets) {
  const bool are_labels = targets.type().element == graph::Element::kS32;
  const Value hits = are_labels
                         ? compare(convert(largest(outputs), graph::Element::kS32), "EQ", targets)
                         : compare(largest(outputs), "EQ", largest(targets));
  return convert(hits, graph::Element::kF32);
}

// The mean of x over rows with a label other than padding.
Value masked_mean(Value x, Value labels, std::int32_t padding) {
  const Value counts = convert(compare(labels, "NE", padding), graph::Element::kF32);
  return sum(x * counts) / sum(counts);
}

Score evaluate(const Loss& loss, const Tensor& outputs, const graph::Type& type,
               const void* targets) {
  graph::Graph graph;
  const Value y = graph.input("y", {graph::Element::kF32, {outputs.rows, outputs.row_size}});
  const Value t = graph.input("t", type);
  graph.output("loss", std::visit([&](const auto& one) { return one(y, t); }, loss));
  graph.output("accuracy", accuracy(y, t));
  const void* inputs[] = {outputs.values.data(), targets};
  float score[2];
  void* results[] = {score, score + 1};
  graph::CpuProgram(graph, 1).run(inputs, results);
  return {.loss = score[0], .accuracy = score[1]};
}

}  // namespace

Value dense_targets(Value outputs, Value targets) {
  if (targets.type().element != graph::Element::kS32) return targets;
  const std::int64_t last = last_of(outputs);
  const Value classes = iota(outputs.graph(), {graph::Element::kS32, outputs.shape()}, last);
  const Value is_class = compare(classes, "EQ", repeat(targets, outputs.shape(), {last}));
  return convert(is_class, outputs.type().element);
}

Value SoftmaxCrossEntropy::operator()(Value logits, Value targets) const {
  return cross_entropy(log_softmax(logits), dense_targets(logits, targets));
}

void CategoricalCrossEntropy::check() const {
  if (!(label_smoothing >= 0 && label_smoothing < 1)) {
    throw std::invalid_argument(
        fmt::format("CategoricalCrossEntropy: label_smoothing {} is not in 0..1", label_smoothing));
  }
}

std::string CategoricalCrossEntropy::describe() const {
  return fmt::format("categorical cross-entropy{}{}", from_logits ? " of logits" : "",
                     label_smoothing > 0 ? fmt::format(", smoothing {}", label_smoothing) : "");
}

Value CategoricalCrossEntropy::operator()(Value outputs, Value targets) const {
  Value t = dense_targets(outputs, targets);
  if (label_smoothing > 0) {
    const auto classes = static_cast<double>(outputs.dimension(-1));
    t = t * (1.0 - label_smoothing) + label_smoothing / classes;
  }
  if (from_logits) return cross_entropy(log_softmax(outputs), t);
  const std::int64_t last = last_of(outputs);
  const Value shares = outputs / repeat(sum(outputs, {last}), outputs.shape(), {last});
  return cross_entropy(
      log(clamp(constant_like(shares, kSmallest), shares, constant_like(shares, 1 - kSmallest))),
      t);
}

Value MeanSquaredError::operator()(Value outputs, Value targets) const {
  const Value difference = outputs - dense_targets(outputs, targets);
  return mean(difference * difference, graph::counting(outputs.type().rank()));
}

Value MaskedCrossEntropy::operator()(Value logits, Value labels) const {
  const Value picked = sum(dense_targets(logits, labels) * log_softmax(logits), {last_of(logits)});
  return -masked_mean(picked, labels, padding);
}

Value accuracy(Value outputs, Value targets) {
  const Value found = hits(outputs, targets);
  return mean(found, graph::counting(found.type().rank()));
}

Value accuracy(Value outputs, Value labels, std::int32_t padding) {
  return masked_mean(hits(outputs, labels), labels, padding);
}

Score evaluate(const Loss& loss, const Tensor& outputs, std::span<const std::int32_t> labels) {
  need_labels(labels, outputs.rows, outputs.row_size);
  return evaluate(loss, outputs, {graph::Element::kS32, {outputs.rows}}, labels.data());
}

Score evaluate(const Loss& loss, const Tensor& outputs, const Tensor& targets) {
  if (outputs.rows != targets.rows || outputs.row_size != targets.row_size || outputs.rows < 1) {
    throw std::invalid_argument(fmt::format("a loss of outputs {} x {} got targets {} x {}",
                                            outputs.rows, outputs.row_size, targets.rows,
                                            targets.row_size));
  }
  return evaluate(loss, outputs, {graph::Element::kF32, {outputs.rows, outputs.row_size}},
                  targets.values.data());
}

}  // namespace systole::nn
