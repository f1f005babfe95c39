#include "tests/lowering/line_of_cores.h"

#include "host/compiler/program/core_meetings.h"
#include "host/distribute/split.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

nn::TrainingGraph graph_of(nn::Replica& replica, const nn::Shape& input,
                           const nn::Optimizer& optimizer, const nn::CoreRows& rows) {
  replica.build(input, 1);
  return replica.training_graph(rows.rows, nn::SoftmaxCrossEntropy{}, optimizer, {}, rows);
}

/// A core's memory as the interpreter sees it.
class Seen final : public ProgramMemory {
 public:
  explicit Seen(DeviceMemory& memory) : memory_(memory) {}
  std::byte* locate(std::uint64_t address, std::int64_t size_bytes) override {
    return memory_.find(address, static_cast<std::uint64_t>(size_bytes));
  }

 private:
  DeviceMemory& memory_;
};

}  // namespace

Samples random_samples(std::uint64_t seed, std::int64_t rows, std::int64_t size,
                       std::int64_t classes) {
  Random random(seed);
  Samples samples;
  samples.inputs.resize(rows, size);
  for (float& value : samples.inputs.values) {
    value = static_cast<float>(random.below(1 << 16)) * 0x1p-15f - 1.0f;
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    samples.labels.push_back(
        static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(classes))));
  }
  return samples;
}

LineCore::LineCore(const std::vector<nn::Layer>& layers, const nn::Shape& input,
                   const nn::Optimizer& optimizer, const nn::CoreRows& own,
                   const DeviceSizes& sizes, std::int64_t most_steps, Memory& memory)
    : rows(own),
      replica(std::make_shared<const std::vector<nn::Layer>>(layers)),
      graph(graph_of(replica, input, optimizer, own)),
      step(*graph.graph, memory,
           {.sizes = sizes,
            .most_steps = most_steps,
            .core = own.core,
            .slots = nn::slots_of(graph),
            .with_rows = graph.with_rows.get()}) {
  for (const nn::TrainingGraph::State& state : graph.states) {
    step.write_state(state.input, state.values());
  }
}

LineOfCores::LineOfCores(const std::vector<nn::Layer>& layers, const nn::Shape& input,
                         std::int64_t rows, int cores, const nn::Optimizer& optimizer,
                         const DeviceSizes& sizes, std::int64_t most_steps,
                         const std::vector<Memory*>& memories)
    : rate_(std::visit([](const auto& one) { return one.learning_rate; }, optimizer)),
      lanes_(sizes.array_size) {
  for (int core = 0; core < cores; ++core) {
    const nn::CoreRows own{
        .core = core, .cores = cores, .rows = rows_of_core(rows, core, cores).count, .all = rows};
    if (memories.empty()) memories_.push_back(std::make_unique<DeviceMemory>());
    Memory& memory =
        memories.empty() ? *memories_.back() : *memories[static_cast<std::size_t>(core)];
    cores_.push_back(
        std::make_unique<LineCore>(layers, input, optimizer, own, sizes, most_steps, memory));
  }
}

void LineOfCores::feed(const Samples& batch, std::int64_t update, std::int64_t step) {
  for (const auto& core : cores_) {
    const RowRange rows = rows_of_core(batch.inputs.rows, core->rows.core, core->rows.cores);
    auto feed = core->step.make_feed();
    if (rows.count > 0) {
      core->step.set_batch(feed, "x",
                           batch.inputs.values.data() + rows.first * batch.inputs.row_size,
                           rows.count * batch.inputs.row_size);
      core->step.set_batch(feed, "labels", batch.labels.data() + rows.first, rows.count);
    }
    const nn::StepScalars scalars{.rate = rate_, .update = update, .first_row = rows.first};
    core->step.set_random(feed, scalars.by_name());
    core->step.set_scalars(feed, scalars.by_name());
    core->step.write(step, feed);
  }
}

std::vector<PlacedProgram> LineOfCores::programs(std::int64_t steps) {
  std::vector<PlacedProgram> programs;
  std::vector<std::span<const device::CommandWord>> commands;
  for (const auto& core : cores_) {
    programs.push_back(core->step.program(steps));
    commands.push_back(programs.back().commands);
  }
  lowering::check_meetings(commands, lanes_);
  return programs;
}

std::vector<ProgramFault> LineOfCores::interpret(std::int64_t steps) {
  std::vector<std::unique_ptr<Seen>> seen;
  std::vector<std::unique_ptr<ProgramInterpreter>> interpreters;
  std::vector<InterpretedCore> line;
  const std::vector<PlacedProgram> programs = this->programs(steps);
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const PlacedProgram& program = programs[i];
    seen.push_back(std::make_unique<Seen>(*memories_[i]));
    interpreters.push_back(std::make_unique<ProgramInterpreter>(lanes_, *seen.back()));
    const ProgramWindow window{program.base, program.end, true, true};
    interpreters.back()->set_windows({&window, 1});
    line.push_back({interpreters.back().get(), program.commands});
  }
  return interpret_line(line);
}

std::map<std::string, std::vector<float>> LineOfCores::states(std::size_t core) const {
  std::map<std::string, std::vector<float>> all;
  for (const nn::TrainingGraph::State& state : cores_[core]->graph.states) {
    std::vector<float>& values = all[state.input];
    values.resize(state.values().size());
    cores_[core]->step.read_state(state.input, values);
    const auto shared = cores_[core]->step.shared(state.input);
    if (shared.block == 0) continue;
    std::vector<float> others(values.size());
    for (const auto& other : cores_) {
      other->step.read_state(state.input, others);
      shared.each_part(std::ssize(values), other->rows.core, other->rows.cores,
                       [&](std::int64_t first, std::int64_t count) {
                         std::copy_n(others.begin() + first, count, values.begin() + first);
                       });
    }
  }
  return all;
}

}  // namespace systole::tests
