#include "host/nn/training/replicas.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <numeric>

#include "host/distribute/ordered_sum.h"

namespace systole::nn {

/// One core's report of a step.
struct Replicas::Report {
  std::int64_t rows = 0;
  double loss = 0, accuracy = 0;
  std::uint64_t cycles = 0;
  std::int64_t fed_bytes = 0;
};

// A rank that throws tells the others, which would otherwise wait for it.
template <typename Work>
decltype(auto) Replicas::in_step_with_ranks(const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    strategy_->ranks().leave(error.what());
    throw;
  }
}

Replicas::Replicas(const std::vector<Layer>& layers)
    : layers_(std::make_shared<const std::vector<Layer>>(layers)) {
  replicas_.emplace_back(layers_);
}

void Replicas::open(Strategy strategy, DataType precision, std::uint64_t seed) {
  strategy_ = std::move(strategy);
  const auto cores = static_cast<std::size_t>(strategy_->local_cores());
  replicas_.clear();  // each layer keeps its memory on its device
  while (replicas_.size() < cores) replicas_.emplace_back(layers_);
  inputs_.assign(cores, {});
  for (std::size_t core = 0; core < cores; ++core) {
    const int number = strategy_->first_core() + static_cast<int>(core);
    // The first core behaves like a single device.
    const std::uint64_t own =
        number == 0 ? seed : Generator(seed, static_cast<std::uint64_t>(number)).next();
    replicas_[core].open(strategy_->device(static_cast<int>(core)), precision, own);
  }
}

void Replicas::build(const Shape& input_shape, std::uint64_t seed) {
  for (Replica& replica : replicas_) replica.build(input_shape, seed);
  time_ = {};
  time_.core_cycles.resize(strategy_->cores());
  std::string layers = to_string(input_shape);
  for (const Replica::Stage& stage : master().stages()) {
    layers += fmt::format(" - {} {}", stage.kind, to_string(stage.output_shape));
  }
  in_step_with_ranks([&] {
    need_agreement(
        strategy_->ranks(), "the model",
        fmt::format("{}, {}, seed {}", layers, to_string(master().multiplier().precision()), seed));
  });
}

const Tensor& Replicas::rows_of(int core, const Tensor& inputs, const RowRange& rows) {
  if (rows.count == inputs.rows) return inputs;
  Tensor& part = inputs_[core];
  part.resize(rows.count, inputs.row_size);
  std::copy_n(inputs.values.begin() + rows.first * inputs.row_size, part.values.size(),
              part.values.begin());
  return part;
}

// Each core copies what changed in the master and converts it once for its device. This comes
// before any core works, since a layer of the master may update its own state.
void Replicas::follow_master() {
  if (replicas_.size() == 1) return;
  const auto masters = master().parameters();
  strategy_->run([&](int core) {
    if (core == 0) return;
    const auto own = replicas_[core].parameters();
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i]->version == masters[i]->version) continue;
      std::ranges::copy(masters[i]->value, own[i]->value.begin());
      own[i]->version = masters[i]->version;
    }
  });
}

const Tensor& Replicas::forward(const Tensor& inputs) {
  const Strategy& strategy = *strategy_;
  if (strategy.cores() == 1) return replicas_.front().forward(inputs);
  return in_step_with_ranks([&]() -> const Tensor& {
    follow_master();
    std::vector<const Tensor*> parts(replicas_.size(), nullptr);
    strategy.run([&](int core) {
      const RowRange rows = strategy.rows_of(core, inputs.rows);
      if (rows.count == 0) return;
      const auto index = static_cast<std::size_t>(core);
      parts[index] = &replicas_[index].forward(rows_of(core, inputs, rows));
    });
    outputs_.resize(inputs.rows, size_of(master().stages().back().output_shape));
    std::int64_t first = inputs.rows, count = 0;
    for (int core = 0; core < strategy.local_cores(); ++core) {
      const RowRange rows = strategy.rows_of(core, inputs.rows);
      first = std::min(first, rows.first);
      count += rows.count;
      const Tensor* part = parts[core];
      if (part == nullptr) continue;
      std::ranges::copy(part->values, outputs_.values.begin() + rows.first * outputs_.row_size);
    }
    gather_in_place(strategy.ranks(), std::as_writable_bytes(std::span(outputs_.values)),
                    static_cast<std::size_t>(first * outputs_.row_size) * sizeof(float),
                    static_cast<std::size_t>(count * outputs_.row_size) * sizeof(float));
    return outputs_;
  });
}

Replica::Batch Replicas::part_of(int core, const Tensor& inputs,
                                 std::span<const std::int32_t> labels, std::int64_t step) {
  const RowRange rows = strategy_->rows_of(core, inputs.rows);
  return {.inputs = rows_of(core, inputs, rows),
          .labels = labels.subspan(rows.first, static_cast<std::size_t>(rows.count)),
          .step = step,
          .first_row = rows.first};
}

Score Replicas::gradients(const Tensor& inputs, std::span<const std::int32_t> labels,
                          const Loss& loss, std::int64_t step) {
  const Strategy& strategy = *strategy_;
  return in_step_with_ranks([&] {
    if (static_cast<std::int64_t>(labels.size()) != inputs.rows) {
      throw std::invalid_argument(
          fmt::format("a batch of {} samples got {} labels", inputs.rows, labels.size()));
    }
    follow_master();
    std::vector<Report> reports(replicas_.size());
    strategy.run([&](int core) {
      const RowRange rows = strategy.rows_of(core, inputs.rows);
      if (rows.count == 0) return;
      const Device& device = strategy.device(core);
      const std::uint64_t before = device.counters().cycles();
      const Score score = replicas_[core].gradients(part_of(core, inputs, labels, step), loss);
      reports[core] = {.rows = rows.count,
                       .loss = score.loss,
                       .accuracy = score.accuracy,
                       .cycles = device.counters().cycles() - before,
                       .fed_bytes = replicas_[core].fed_bytes()};
    });
    const Score score = merge(gather<Report>(strategy.ranks(), reports), inputs.rows);
    if (strategy.cores() > 1) sum_over_cores(inputs.rows);
    return score;
  });
}

Score Replicas::merge(std::span<const Report> reports, std::int64_t rows) {
  const auto reported =
      std::accumulate(reports.begin(), reports.end(), std::int64_t{0},
                      [](std::int64_t sum, const Report& report) { return sum + report.rows; });
  if (reported != rows) {
    throw RankError(
        fmt::format("a batch of {} samples was trained on {} of them: the ranks' data "
                    "differ",
                    rows, reported));
  }
  ++time_.steps;
  std::uint64_t slowest = 0;
  std::int64_t fed_bytes = 0;  // over one link for each core
  for (std::size_t core = 0; core < reports.size(); ++core) {
    time_.core_cycles[core] += reports[core].cycles;
    slowest = std::max(slowest, reports[core].cycles);
    fed_bytes = std::max(fed_bytes, reports[core].fed_bytes);
  }
  time_.slowest_cycles += slowest;
  time_.infeed_bytes += fed_bytes;
  if (reports.size() == 1) return {.loss = reports[0].loss, .accuracy = reports[0].accuracy};
  Score sum;
  for (const Report& report : reports) {
    sum.loss += report.loss * static_cast<double>(report.rows);
    sum.accuracy += report.accuracy * static_cast<double>(report.rows);
  }
  const auto samples = static_cast<double>(rows);
  return {.loss = sum.loss / samples, .accuracy = sum.accuracy / samples};
}

void Replicas::count_steps(std::int64_t steps, std::uint64_t cycles, std::int64_t fed_bytes) {
  time_.steps += steps;
  time_.core_cycles[0] += cycles;
  time_.slowest_cycles += cycles;
  time_.infeed_bytes += steps * fed_bytes;
}

void Replicas::sum_over_cores(std::int64_t rows) {
  const Strategy& strategy = *strategy_;
  std::vector<std::span<Parameter* const>> parameters;
  for (const Replica& replica : replicas_) parameters.push_back(replica.parameters());
  const auto sum = [&](std::size_t index, std::vector<float> Parameter::* values) {
    std::vector<WeightedValues> parts;
    for (std::size_t core = 0; core < replicas_.size(); ++core) {
      const RowRange part = strategy.rows_of(static_cast<int>(core), rows);
      if (part.count == 0) continue;
      parts.push_back({.weight = static_cast<float>(part.count) / static_cast<float>(rows),
                       .values = parameters[core][index]->*values});
    }
    ordered_sum(strategy.ranks(), parts, parameters[0][index]->*values);
  };
  std::int64_t size_bytes = 0;
  for (std::size_t i = 0; i < parameters[0].size(); ++i) {
    Parameter& master = *parameters[0][i];
    size_bytes += static_cast<std::int64_t>(master.value.size() * sizeof(float));
    if (master.trained) {
      sum(i, &Parameter::gradient);
      continue;
    }
    sum(i, &Parameter::value);
    ++master.version;
  }
  time_.all_reduce_bytes += ring_bytes(size_bytes, strategy.cores());
  time_.all_reduce_seconds += ring_seconds(strategy.link(), size_bytes, strategy.cores());
}

std::string Replicas::first_not_finite(const Tensor& inputs, std::span<const std::int32_t> labels,
                                       const Loss& loss, std::int64_t step) {
  for (int core = 0; core < strategy_->local_cores(); ++core) {
    if (strategy_->rows_of(core, inputs.rows).count == 0) continue;
    std::string place = replicas_[core].first_not_finite(part_of(core, inputs, labels, step), loss);
    if (!place.empty()) return place;
  }
  return {};
}

Counters Replicas::processor_products() const {
  Counters sum;
  for (const Replica& replica : replicas_) sum += replica.multiplier().counted();
  return sum;
}

double Replicas::device_wall_seconds() const {
  if (!strategy_) return 0;
  std::vector<double> busy(strategy_->workers());
  for (std::size_t core = 0; core < replicas_.size(); ++core) {
    busy[core % busy.size()] += replicas_[core].multiplier().device_wall_seconds();
  }
  return std::ranges::max(busy);
}

}  // namespace systole::nn
