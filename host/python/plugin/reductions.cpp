// Sums over dimensions, biases, softmax and its losses, as loops on this processor.
#include <algorithm>
#include <cmath>
#include <limits>

#include "host/python/plugin/lines.h"

namespace systole::tensorflow {
namespace {

struct Sum {
  static constexpr double kFirst = 0;
  static double add(double sum, double x) { return sum + x; }
  static double finish(double sum, std::int64_t) { return sum; }
};
struct Mean : Sum {
  static double finish(double sum, std::int64_t elements) {
    return sum / static_cast<double>(elements);
  }
};
struct Max {
  static constexpr double kFirst = -std::numeric_limits<double>::infinity();
  static double add(double most, double x) { return x > most || std::isnan(x) ? x : most; }
  static double finish(double most, std::int64_t) { return most; }
};
struct Prod {
  static constexpr double kFirst = 1;
  static double add(double product, double x) { return product * x; }
  static double finish(double product, std::int64_t) { return product; }
};

// Of x along the dimensions where `kept` has 1. In double, so that long sums lose nothing, and in
// parts that do not depend on the threads: the bits are the same on any number.
template <typename Operation>
std::vector<double> reduce(const Tensor& x, const Shape& kept, int threads) {
  const Lines lines(x.shape(), {&kept});
  const std::int64_t size = count(kept);
  const std::int64_t parts =
      lines.parts(std::clamp<std::int64_t>(x.size() / (16 * size + 1), 1, 16));
  const float* from = x.values<float>().data();
  std::vector<double> results(static_cast<std::size_t>(parts * size), Operation::kFirst);
  graph::for_each_part(threads, parts, [&](std::int64_t part) {
    double* own = results.data() + part * size;
    lines.each(part, parts, [&](std::int64_t first, const auto& offsets, std::int64_t length) {
      double* to = own + offsets[0];
      if (lines.step(0) == 0) {
        double result = *to;
        for (std::int64_t i = 0; i < length; ++i) result = Operation::add(result, from[first + i]);
        *to = result;
      } else {
        for (std::int64_t i = 0; i < length; ++i) to[i] = Operation::add(to[i], from[first + i]);
      }
    });
  });
  for (std::int64_t i = size; i < parts * size; ++i) {
    results[i % size] = Operation::add(results[i % size], results[i]);
  }
  results.resize(static_cast<std::size_t>(size));
  return results;
}

template <typename Operation>
class Reduce {
 public:
  explicit Reduce(const Construction& made) : keeps_(made.flag("keep_dims")) {}

  void compute(const Context& context) const {
    const Tensor x = context.input(0);
    Shape kept = x.shape();
    std::vector<bool> is_reduced(kept.size());
    for (const std::int64_t axis : context.input(1).integers()) {
      const std::int64_t place = axis < 0 ? axis + x.rank() : axis;
      if (place < 0 || place >= x.rank()) {
        refuse("{} has no dimension {}", x.shape(), axis);
      }
      is_reduced[place] = true;
      kept[place] = 1;
    }
    Shape shape;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (keeps_ || !is_reduced[i]) shape.push_back(kept[i]);
    }
    const Tensor y = context.output(0, TF_FLOAT, shape);
    const std::int64_t elements = y.size() == 0 ? 0 : x.size() / y.size();
    std::ranges::transform(
        reduce<Operation>(x, kept, context.threads()), y.values<float>().begin(),
        [&](double sum) { return static_cast<float>(Operation::finish(sum, elements)); });
  }

 private:
  bool keeps_;
};

void need_channels_last(const Construction& made) {
  if (made.text("data_format") != "NHWC") {
    refuse("data_format NCHW is not supported: use channels_last");
  }
}

struct BiasAdd {
  explicit BiasAdd(const Construction& made) { need_channels_last(made); }
  void compute(const Context& context) const {
    const Tensor x = context.input(0), bias = context.input(1);
    if (bias.rank() != 1 || x.rank() < 2 || x.shape().back() != bias.size()) {
      refuse("{} has no bias {}", x.shape(), bias.shape());
    }
    const Tensor y = context.output_over({0}, 0, x.shape());
    apply(context.threads(), Lines(x.shape(), {&x.shape(), &bias.shape()}),
          x.values<float>().data(), bias.values<float>().data(), y.values<float>().data(),
          std::plus<>());
  }
};

struct BiasAddGrad {
  explicit BiasAddGrad(const Construction& made) { need_channels_last(made); }
  void compute(const Context& context) const {
    const Tensor gradient = context.input(0);
    if (gradient.rank() < 2) {
      refuse("{} has no bias", gradient.shape());
    }
    const Shape channels{gradient.shape().back()};
    const Tensor y = context.output(0, TF_FLOAT, channels);
    std::ranges::transform(reduce<Sum>(gradient, channels, context.threads()),
                           y.values<float>().begin(),
                           [](double sum) { return static_cast<float>(sum); });
  }
};

// Writes softmax of one row; returns log of the sum of exp(x), from the row's maximum on.
struct Row {
  float most, log_sum;
};
Row softmax(std::span<const float> x, std::span<float> y) {
  const float most = std::ranges::max(x);
  float sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += y[i] = std::exp(x[i] - most);
  for (float& value : y) value /= sum;
  return {most, std::log(sum)};
}

// Calls row(x, y) for rows of the last dimension.
template <typename Work>
void each_row(const Tensor& x, const Tensor& y, const Work& row) {
  const auto columns = static_cast<std::size_t>(x.rank() == 0 ? 1 : x.shape().back());
  for (std::size_t i = 0; columns > 0 && i < x.values<float>().size(); i += columns) {
    row(i / columns, x.values<float>().subspan(i, columns), y.values<float>().subspan(i, columns));
  }
}

template <bool kLogarithm>
struct Softmax {
  void compute(const Context& context) const {
    const Tensor x = context.input(0), y = context.output(0, TF_FLOAT, x.shape());
    each_row(x, y, [](std::size_t, std::span<const float> from, std::span<float> to) {
      const auto [most, log_sum] = softmax(from, to);
      if (!kLogarithm) return;
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] - most - log_sum;
    });
  }
};

// Losses of rows of logits, and the logits' gradients.
template <typename Label>
struct SparseCrossEntropy {
  void compute(const Context& context) const {
    const Tensor x = context.input(0), labels = context.input(1);
    if (x.rank() != 2 || labels.shape() != Shape{x.shape()[0]}) {
      refuse("logits {} and labels {} do not fit", x.shape(), labels.shape());
    }
    if (x.shape()[1] == 0) {
      refuse("logits {} have no class", x.shape());
    }
    const Tensor loss = context.output(0, TF_FLOAT, labels.shape());
    const Tensor gradient = context.output(1, TF_FLOAT, x.shape());
    each_row(x, gradient, [&](std::size_t i, std::span<const float> from, std::span<float> to) {
      const Label label = labels.values<Label>()[i];
      if (label < 0 || label >= static_cast<Label>(from.size())) {
        refuse("label {} of row {} is none of 0 to {}", label, i, from.size() - 1);
      }
      const auto [most, log_sum] = softmax(from, to);
      loss.values<float>()[i] = log_sum - (from[label] - most);
      to[label] -= 1;
    });
  }
};

struct CrossEntropy {
  void compute(const Context& context) const {
    const Tensor x = context.input(0), labels = context.input(1);
    if (x.rank() != 2 || labels.shape() != x.shape()) {
      refuse("logits {} and labels {} do not fit", x.shape(), labels.shape());
    }
    const Tensor loss = context.output(0, TF_FLOAT, {x.shape()[0]});
    std::ranges::fill(loss.values<float>(), 0.0f);
    const Tensor gradient = context.output(1, TF_FLOAT, x.shape());
    each_row(x, gradient, [&](std::size_t i, std::span<const float> from, std::span<float> to) {
      const auto wanted = labels.values<float>().subspan(i * from.size(), from.size());
      const auto [most, log_sum] = softmax(from, to);
      float sum = 0;
      for (std::size_t c = 0; c < to.size(); ++c) {
        sum += wanted[c] * (log_sum - (from[c] - most));
        to[c] -= wanted[c];
      }
      loss.values<float>()[i] = sum;
    });
  }
};

template <typename Index>
struct ArgMax {
  void compute(const Context& context) const {
    const Tensor x = context.input(0);
    const Shape axes = context.input(1).integers();
    const std::int64_t axis = axes[0] < 0 ? axes[0] + x.rank() : axes[0];
    if (axis < 0 || axis >= x.rank()) {
      refuse("{} has no dimension {}", x.shape(), axes[0]);
    }
    Shape shape = x.shape();
    shape.erase(shape.begin() + axis);
    const Tensor y = context.output(0, kType<Index>, shape);
    const std::int64_t candidates = x.shape()[axis];
    if (candidates == 0) {
      refuse("dimension {} of {} is empty", axis, x.shape());
    }
    const std::int64_t inner = count(std::span(x.shape()).subspan(axis + 1));
    for (std::int64_t i = 0; i < y.size(); ++i) {
      const float* from = x.values<float>().data() + i / inner * inner * candidates + i % inner;
      std::int64_t best = 0;
      for (std::int64_t k = 1; k < candidates; ++k) {
        if (from[k * inner] > from[best * inner]) best = k;
      }
      y.values<Index>()[i] = static_cast<Index>(best);
    }
  }
};

}  // namespace

void add_reductions() {
  add_float_kernel<Reduce<Sum>>("Sum", {"reduction_indices"});
  add_float_kernel<Reduce<Mean>>("Mean", {"reduction_indices"});
  add_float_kernel<Reduce<Max>>("Max", {"reduction_indices"});
  add_float_kernel<Reduce<Prod>>("Prod", {"reduction_indices"});
  add_float_kernel<BiasAdd>("BiasAdd");
  add_float_kernel<BiasAddGrad>("BiasAddGrad");
  add_float_kernel<Softmax<false>>("Softmax");
  add_float_kernel<Softmax<true>>("LogSoftmax");
  add_float_kernel<CrossEntropy>("SoftmaxCrossEntropyWithLogits");
  for (const TF_DataType type : kFloats) {
    add_kernel<SparseCrossEntropy<std::int32_t>>("SparseSoftmaxCrossEntropyWithLogits",
                                                 {{"T", type}, {"Tlabels", TF_INT32}});
    add_kernel<SparseCrossEntropy<std::int64_t>>("SparseSoftmaxCrossEntropyWithLogits",
                                                 {{"T", type}, {"Tlabels", TF_INT64}});
    add_kernel<ArgMax<std::int64_t>>("ArgMax", {{"T", type}, {"output_type", TF_INT64}},
                                     {"dimension"});
    add_kernel<ArgMax<std::int32_t>>("ArgMax", {{"T", type}, {"output_type", TF_INT32}},
                                     {"dimension", "output"});
  }
}

}  // namespace systole::tensorflow
