#include "host/nn/training/replicas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "host/compiler/program/core_meetings.h"
#include "host/device/backend_line.h"
#include "host/device/digest.h"
#include "host/distribute/ordered_sum.h"

namespace systole::nn {

/// What a core used for steps that ran together; fed_bytes is a step's.
struct Replicas::Used {
  std::uint64_t cycles = 0, link_waits = 0;
  std::int64_t fed_bytes = 0;
};

/// One core's report of a step.
struct Replicas::Report {
  std::int64_t rows = 0;
  double loss = 0, accuracy = 0;
  Used used = {};
};

Replicas::Replicas(const std::vector<Layer>& layers)
    : layers_(std::make_shared<const std::vector<Layer>>(layers)) {
  replicas_.emplace_back(layers_);
}

void Replicas::open(Strategy strategy, Replica::Settings settings) {
  strategy_ = std::move(strategy);
  const auto cores = static_cast<std::size_t>(strategy_->local_cores());
  replicas_.clear();
  while (replicas_.size() < cores) replicas_.emplace_back(layers_);
  const std::uint64_t seed = settings.rounding_seed;
  updates_of_.reset();
  for (std::size_t core = 0; core < cores; ++core) {
    const int number = strategy_->first_core() + static_cast<int>(core);
    // The first core behaves like a single device.
    settings.rounding_seed =
        number == 0 ? seed : Generator(seed, static_cast<std::uint64_t>(number)).next();
    settings.device = strategy_->device(static_cast<int>(core));
    if (runs_together()) {
      settings.core = number;
      settings.cores = strategy_->cores();
    }
    replicas_[core].open(settings);
  }
}

void Replicas::build(const Shape& input_shape, std::uint64_t seed) {
  for (Replica& replica : replicas_) replica.build(input_shape, seed);
  time_ = {};
  time_.core_cycles.resize(strategy_->cores());
  time_.link_wait_cycles.resize(strategy_->cores());
  std::string layers = to_string(input_shape);
  for (const Replica::Stage& stage : master().stages()) {
    layers += fmt::format(" - {} {}", stage.kind, to_string(stage.output_shape));
  }
  in_step_with_ranks([&] {
    need_agreement(
        strategy_->ranks(), "the model",
        fmt::format("{}, {}, seed {}", layers, to_string(master().settings().precision), seed));
  });
}

std::int64_t Replicas::most_steps() const {
  return is_alone() || runs_together() ? master().settings().steps : 1;
}

CompiledTraining& Replicas::steps_of(std::size_t core) const {
  return is_alone() || runs_together() ? replicas_[core].training() : replicas_[core].gradients();
}

void Replicas::read_back() const {
  if (!runs_together()) return master().read_back();
  const bool is_ahead = master().training().is_ahead();
  strategy_->run([&](int core) { replicas_[static_cast<std::size_t>(core)].read_back(); });
  if (is_ahead) gather_shared();
  const auto masters = master().parameters();
  for (std::size_t core = 1; core < replicas_.size(); ++core) {
    const auto own = replicas_[core].parameters();
    for (std::size_t i = 0; i < own.size(); ++i) {
      const auto bits = [](const Parameter& of) { return std::as_bytes(std::span(of.value)); };
      if (own[i]->version != masters[i]->version ||
          std::ranges::equal(bits(*own[i]), bits(*masters[i]))) {
        continue;
      }
      throw DeviceError(
          fmt::format("{} of core {} is not core 0's after the steps that they ran "
                      "together; please report this with the network and its options",
                      masters[i]->name, core));
    }
  }
  if (is_ahead) need_equal_ranks();
}

void Replicas::need_equal_ranks() const {
  Digest digest;
  for (const Parameter* parameter : master().parameters()) {
    digest.add(std::as_bytes(std::span(parameter->value)));
  }
  const Digest::Value own = digest.value();
  const std::vector<Digest::Value> all = gather<Digest::Value>(strategy_->ranks(), {&own, 1});
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    throw DeviceError(
        fmt::format("the weights of rank {} are not rank 0's after the steps that their cores ran "
                    "together; please report this with the network and its options",
                    rank));
  }
}

// Each core has what it updates.
void Replicas::gather_shared() const {
  const auto values = [&](std::size_t core,
                          const CompiledTraining::Shared& shared) -> std::vector<float>& {
    Parameter& parameter = *replicas_[core].parameters()[shared.parameter];
    return TrainingGraph::State{.input = {}, .parameter = &parameter, .slot = shared.slot}.values();
  };
  const auto first_core = static_cast<std::size_t>(strategy_->first_core());
  for (const CompiledTraining::Shared& shared : master().training().shared()) {
    std::vector<float> all = values(0, shared);
    const auto each_part = [&](std::size_t core, const auto& work) {
      shared.columns.each_part(std::ssize(all), static_cast<std::int64_t>(core), strategy_->cores(),
                               work);
    };
    std::vector<float> of_rank;
    for (std::size_t core = 0; core < replicas_.size(); ++core) {
      const std::vector<float>& own = values(core, shared);
      each_part(first_core + core, [&](std::int64_t first, std::int64_t count) {
        of_rank.insert(of_rank.end(), own.begin() + first, own.begin() + first + count);
      });
    }
    std::size_t core = 0;
    for (const std::vector<std::byte>& block :
         gather_blocks(strategy_->ranks(), std::as_bytes(std::span(of_rank)))) {
      const std::byte* next = block.data();
      for (std::size_t i = 0; i < replicas_.size(); ++i) {
        each_part(core++, [&](std::int64_t first, std::int64_t count) {
          const auto size = static_cast<std::size_t>(count) * sizeof(float);
          std::memcpy(all.data() + first, next, size);
          next += size;
        });
      }
    }
    for (std::size_t i = 0; i < replicas_.size(); ++i) values(i, shared) = all;
  }
}

void Replicas::need_programs(std::int64_t rows) {
  in_step_with_ranks([&] {
    need_agreement(strategy_->ranks(), "the batch", fmt::format("{} samples", rows));
    strategy_->run([&](int core) {
      const RowRange own = strategy_->rows_of(core, rows);
      CompiledTraining& steps = steps_of(static_cast<std::size_t>(core));
      if (runs_together()) {
        steps.need_program({own.count, rows});
      } else if (own.count > 0) {
        steps.need_program({own.count});
      }
    });
  });
}

Replica::Batch Replicas::part_of(std::size_t core, const Tensor& inputs,
                                 std::span<const std::int32_t> labels,
                                 const StepScalars& scalars) const {
  const RowRange rows = strategy_->rows_of(static_cast<int>(core), inputs.rows);
  StepScalars own = scalars;
  own.first_row = rows.first;
  const std::int64_t each = labels_of(master().stages().back().output_shape).count;
  return {.rows = rows.count,
          .inputs = inputs.values.data() + rows.first * inputs.row_size,
          .labels = labels.empty() ? labels : labels.subspan(rows.first * each, rows.count * each),
          .scalars = own};
}

std::vector<CompiledTraining::Prepared> Replicas::parts_of(
    bool together, const std::function<const CompiledTraining&(std::size_t core)>& steps,
    const Tensor& inputs, std::span<const std::int32_t> labels, const StepScalars& scalars) const {
  std::vector<CompiledTraining::Prepared> parts(replicas_.size());
  for (std::size_t core = 0; core < replicas_.size(); ++core) {
    Replica::Batch part = part_of(core, inputs, labels, scalars);
    if (together) part.all_rows = inputs.rows;
    if (together || part.rows > 0) parts[core] = replicas_[core].prepare(steps(core), part);
  }
  return parts;
}

void Replicas::need_labels_of(const Tensor& inputs, std::span<const std::int32_t> labels) const {
  const OutputLabels each = labels_of(master().stages().back().output_shape);
  need_labels(labels, inputs.rows * each.count, each.classes);
}

Replicas::Prepared Replicas::prepare(const Tensor& inputs, std::span<const std::int32_t> labels,
                                     const StepScalars& scalars) const {
  need_labels_of(inputs, labels);
  const auto steps = [&](std::size_t core) -> const CompiledTraining& { return steps_of(core); };
  return {.rows = inputs.rows,
          .scalars = scalars,
          .parts = parts_of(runs_together(), steps, inputs, labels, scalars)};
}

void Replicas::add(Prepared batch, float rate) {
  if (is_alone() || runs_together()) {
    for (std::size_t core = 0; core < replicas_.size(); ++core) {
      replicas_[core].training().add(std::move(batch.parts[core]), rate);
    }
    return;
  }
  batch.scalars.rate = rate;
  next_ = std::move(batch);
}

std::vector<Score> Replicas::run() {
  return in_step_with_ranks([&]() -> std::vector<Score> {
    if (is_alone()) return run_alone();
    if (runs_together()) return run_together();
    return {run_apart()};
  });
}

std::vector<Score> Replicas::run_alone() {
  const Counters before = strategy_->device(0).counters();
  const std::vector<Score> scores = master().training().run();
  count_launch(std::ssize(scores), {&before, 1});
  return scores;
}

std::vector<Score> Replicas::run_together() {
  follow_master();
  std::vector<PlacedProgram> programs(replicas_.size());
  std::vector<Counters> before;
  strategy_->run([&](int core) {
    const auto index = static_cast<std::size_t>(core);
    programs[index] = replicas_[index].training().start();
  });
  need_one_order(programs);
  for (const Device& device : strategy_->devices()) before.push_back(device.counters());
  together_.time([&] { strategy_->links()->run(programs); });
  std::vector<Score> scores;
  for (std::size_t core = replicas_.size(); core-- > 0;) {
    scores = replicas_[core].training().finish();  // the same on all
  }
  count_launch(std::ssize(scores), before);
  return scores;
}

/// Every core's commands, from those of this rank's. All ranks have as many cores.
std::vector<std::vector<device::CommandWord>> Replicas::of_all_ranks(
    const std::vector<std::vector<device::CommandWord>>& own) const {
  std::vector<std::vector<device::CommandWord>> all(
      own.size() * static_cast<std::size_t>(strategy_->ranks().size()));
  for (std::size_t core = 0; core < own.size(); ++core) {
    std::size_t at = core;
    for (const std::vector<std::byte>& block :
         gather_blocks(strategy_->ranks(), std::as_bytes(std::span(own[core])))) {
      all[at].resize(block.size() / sizeof(device::CommandWord));
      std::memcpy(all[at].data(), block.data(), block.size());
      at += own.size();
    }
  }
  return all;
}

void Replicas::need_one_order(std::span<const PlacedProgram> programs) {
  std::vector<std::uint64_t> numbers;
  for (const PlacedProgram& program : programs) numbers.push_back(program.number);
  if (ordered_.contains(numbers)) return;
  std::vector<std::vector<device::CommandWord>> all;
  for (const PlacedProgram& program : programs) {
    all.emplace_back(program.commands.begin(), program.commands.end());
  }
  if (strategy_->ranks().size() > 1) all = of_all_ranks(all);
  const std::vector<std::span<const device::CommandWord>> commands(all.begin(), all.end());
  lowering::check_meetings(commands, strategy_->device(0).info().array_size);
  ordered_.insert(std::move(numbers));
}

/// The host sums the gradients of cores that do not run together; a program of the first one then
/// updates the weights, on each rank.
Score Replicas::run_apart() {
  const StepScalars scalars = next_.scalars;
  const Score score = run_gradients(std::move(next_));
  if (!std::isfinite(score.loss)) return score;
  const Replica::Settings& settings = master().settings();
  const Device& device = strategy_->device(0);
  const std::uint64_t before = device.counters().cycles();
  updates_of_.run(master().parameters(), settings.optimizer, settings.clip_norm, scalars.rate,
                  scalars.update, device);
  const std::uint64_t cycles = device.counters().cycles() - before;
  for (std::size_t core = 0; core < time_.core_cycles.size(); core += replicas_.size()) {
    time_.core_cycles[core] += cycles;
  }
  time_.slowest_cycles += cycles;
  return score;
}

void Replicas::count_launch(std::int64_t steps, std::span<const Counters> before) {
  std::vector<Used> own;
  for (std::size_t core = 0; core < before.size(); ++core) {
    const Counters used = strategy_->device(static_cast<int>(core)).counters() - before[core];
    own.push_back(
        {.cycles = used.cycles(),
         .link_waits = used.counts[static_cast<std::size_t>(device::Count::kLinkWaitForBeat)],
         .fed_bytes = replicas_[core].training().fed_bytes()});
  }
  count(steps, gather<Used>(strategy_->ranks(), own));
}

void Replicas::count(std::int64_t steps, std::span<const Used> all) {
  std::uint64_t slowest = 0;
  std::int64_t fed_bytes = 0;  // over one link for each core
  std::size_t core = 0;
  for (const Used& used : all) {
    time_.core_cycles[core] += used.cycles;
    time_.link_wait_cycles[core++] += used.link_waits;
    slowest = std::max(slowest, used.cycles);
    fed_bytes = std::max(fed_bytes, used.fed_bytes);
  }
  time_.steps += steps;
  time_.slowest_cycles += slowest;
  time_.infeed_bytes += steps * fed_bytes;
}

// Each core copies what changed in the master and converts it once for its device. This comes
// before any core works, since a layer of the master may update its own state. What cores did
// together has changed them alike.
void Replicas::follow_master() {
  if (replicas_.size() == 1) return;
  const auto masters = master().parameters();
  strategy_->run([&](int core) {
    if (core == 0) return;
    const auto own = replicas_[core].parameters();
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i]->version == masters[i]->version) continue;
      own[i]->value = masters[i]->value;
      if (runs_together()) own[i]->slots = masters[i]->slots;
      own[i]->version = masters[i]->version;
    }
  });
}

const Tensor& Replicas::forward(const Tensor& inputs) {
  const Strategy& strategy = *strategy_;
  if (is_alone()) return master().forward(part_of(0, inputs, {}, {}));
  return in_step_with_ranks([&]() -> const Tensor& {
    read_back();
    follow_master();
    std::vector<const Tensor*> parts(replicas_.size(), nullptr);
    strategy.run([&](int core) {
      const auto index = static_cast<std::size_t>(core);
      const Replica::Batch part = part_of(index, inputs, {}, {});
      if (part.rows > 0) parts[index] = &replicas_[index].forward(part);
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

std::vector<Replicas::Report> Replicas::run_cores(
    std::int64_t rows, const std::function<Score(std::size_t core)>& work) {
  const Strategy& strategy = *strategy_;
  read_back();
  follow_master();
  std::vector<Report> reports(replicas_.size());
  strategy.run([&](int core) {
    const RowRange own = strategy.rows_of(core, rows);
    if (own.count == 0) return;
    const Device& device = strategy.device(core);
    const std::uint64_t before = device.counters().cycles();
    const Score score = work(static_cast<std::size_t>(core));
    reports[core] = {.rows = own.count,
                     .loss = score.loss,
                     .accuracy = score.accuracy,
                     .used = {.cycles = device.counters().cycles() - before,
                              .fed_bytes = replicas_[core].gradients().fed_bytes()}};
  });
  return gather<Report>(strategy.ranks(), reports);
}

Score Replicas::run_gradients(Prepared batch) {
  const std::vector<Report> reports = run_cores(batch.rows, [&](std::size_t core) {
    return replicas_[core].run_gradients(std::move(batch.parts[core]));
  });
  const Score score = sum_of(reports, batch.rows);
  std::vector<Used> used;
  for (const Report& report : reports) used.push_back(report.used);
  count(1, used);
  if (!is_alone()) sum_over_cores(batch.rows);
  return score;
}

Score Replicas::gradients(const Tensor& inputs, std::span<const std::int32_t> labels,
                          const StepScalars& scalars) {
  return in_step_with_ranks([&] {
    need_labels_of(inputs, labels);
    const auto steps = [&](std::size_t core) -> const CompiledTraining& {
      return replicas_[core].gradients();
    };
    for (std::size_t core = 0; core < replicas_.size(); ++core) {
      const RowRange rows = strategy_->rows_of(static_cast<int>(core), inputs.rows);
      if (rows.count > 0) replicas_[core].gradients().need_program({rows.count});
    }
    return run_gradients({.rows = inputs.rows,
                          .scalars = scalars,
                          .parts = parts_of(false, steps, inputs, labels, scalars)});
  });
}

Score Replicas::evaluate(const Tensor& inputs, std::span<const std::int32_t> labels) {
  return in_step_with_ranks([&] {
    need_labels_of(inputs, labels);
    return mean_of(run_cores(inputs.rows,
                             [&](std::size_t core) {
                               return replicas_[core].evaluate(part_of(core, inputs, labels, {}));
                             }),
                   inputs.rows);
  });
}

Score Replicas::mean_of(std::span<const Report> reports, std::int64_t rows) {
  const auto reported =
      std::accumulate(reports.begin(), reports.end(), std::int64_t{0},
                      [](std::int64_t sum, const Report& report) { return sum + report.rows; });
  if (reported != rows) {
    throw RankError(fmt::format(
        "a batch of {} samples was run on {} of them: the ranks' data differ", rows, reported));
  }
  if (reports.size() == 1) return {.loss = reports[0].loss, .accuracy = reports[0].accuracy};
  Score sum;
  for (const Report& report : reports) {
    sum.loss += report.loss * static_cast<double>(report.rows);
    sum.accuracy += report.accuracy * static_cast<double>(report.rows);
  }
  const auto samples = static_cast<double>(rows);
  return {.loss = sum.loss / samples, .accuracy = sum.accuracy / samples};
}

/// A step's mean, in fp32 as cores that run together add it.
Score Replicas::sum_of(std::span<const Report> reports, std::int64_t rows) {
  const Score mean = mean_of(reports, rows);
  if (reports.size() == 1) return mean;
  float loss = -0.0f, accuracy = -0.0f;
  for (const Report& report : reports) {
    if (report.rows == 0) continue;
    const float share = static_cast<float>(report.rows) / static_cast<float>(rows);
    loss += share * static_cast<float>(report.loss);
    accuracy += share * static_cast<float>(report.accuracy);
  }
  return {.loss = loss, .accuracy = accuracy};
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
  for (std::size_t i = 0; i < parameters[0].size(); ++i) {
    Parameter& master = *parameters[0][i];
    if (master.trained) {
      sum(i, &Parameter::gradient);
      continue;
    }
    sum(i, &Parameter::value);
    ++master.version;
  }
}

std::string Replicas::first_not_finite(const Tensor& inputs, std::span<const std::int32_t> labels,
                                       const StepScalars& scalars) {
  for (Replica& replica : replicas_) replica.forget();
  follow_master();
  for (std::size_t core = 0; core < replicas_.size(); ++core) {
    const Replica::Batch part = part_of(core, inputs, labels, scalars);
    if (part.rows == 0) continue;
    std::string place = replicas_[core].first_not_finite(part);
    if (!place.empty()) return place;
  }
  return {};
}

Counters Replicas::processor_products() const {
  Counters sum;
  for (const Replica& replica : replicas_) sum += replica.processor_products();
  return sum;
}

double Replicas::device_wall_seconds() const {
  if (!strategy_) return 0;
  std::vector<double> busy(strategy_->workers());
  for (std::size_t core = 0; core < replicas_.size(); ++core) {
    busy[core % busy.size()] += replicas_[core].device_seconds();
  }
  return std::ranges::max(busy) + together_.seconds() + updates_of_.device_seconds();
}

}  // namespace systole::nn
