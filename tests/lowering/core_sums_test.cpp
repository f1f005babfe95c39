// A step on several cores as one program a core, with sums over the cores and the update in it.
#include "host/compiler/kernels/core_sums.h"

#include <catch2/catch.hpp>

#include "host/compiler/program/core_meetings.h"
#include "host/distribute/ordered_sum.h"
#include "host/distribute/split.h"
#include "host/graph/cores.h"
#include "host/nn/layers/activation.h"
#include "host/nn/layers/batch_normalization.h"
#include "host/nn/layers/conv2d.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/training/updates.h"
#include "tests/lowering/interpreted_device.h"
#include "tests/lowering/line_of_cores.h"

namespace systole::tests {
namespace {

using nn::BatchNormalization;
using nn::Conv2D;
using nn::Dense;
using nn::Layer;
using nn::Relu;

constexpr int kLanes = 4;
constexpr std::int64_t kFeatures = 21, kClasses = 10;
constexpr std::uint64_t kSeed = 0x5eed'57e9;
constexpr DeviceSizes kSizes{.array_size = kLanes};

const std::vector<Layer> kLayers = {Dense{.units = 70}, Relu{}, BatchNormalization{},
                                    Dense{.units = 10}};

/// What the host did for several cores before they had sums of their own: each core's gradients
/// are added by ordered_sum, and one update follows, by a program of the same device.
class HostsSum {
 public:
  HostsSum(int cores, std::int64_t rows, const nn::Optimizer& optimizer)
      : rows_(rows), optimizer_(optimizer), device_(kLanes) {
    const auto layers = std::make_shared<const std::vector<Layer>>(kLayers);
    for (int core = 0; core < cores; ++core) {
      replicas_.push_back(std::make_unique<nn::Replica>(layers));
      replicas_.back()->open({.device = open_interpreted_device(kLanes)});
      replicas_.back()->build({kFeatures}, 1);
    }
    const graph::Type scalar{graph::Element::kF32, {}};
    const nn::Value rate = update_.input(nn::StepScalars::kRate, scalar),
                    number = update_.input(nn::StepScalars::kUpdate, scalar);
    std::vector<nn::Trained> trained;
    for (nn::Parameter* parameter : replicas_[0]->parameters()) {
      if (!parameter->trained) continue;
      const graph::Type type{graph::Element::kF32, parameter->shape};
      const std::string name = nn::input_name(parameter->name);
      trained.push_back({.parameter = parameter,
                         .value = update_.input(name, type),
                         .gradient = update_.input("d_" + name, type)});
    }
    const auto slots = nn::write_updates(update_, trained, optimizer, {}, rate, number);
    for (std::size_t i = 0; i < trained.size(); ++i) trained[i].parameter->need_slots(slots[i]);
    program_ = std::make_unique<lowering::StepProgram>(
        update_, device_.memory(), lowering::StepProgram::Options{.sizes = kSizes});
  }

  void step(const Samples& batch, std::int64_t number) {
    std::vector<std::vector<WeightedValues>> parts(replicas_[0]->parameters().size());
    for (std::size_t core = 0; core < replicas_.size(); ++core) {
      const RowRange rows =
          rows_of_core(rows_, static_cast<int>(core), static_cast<int>(replicas_.size()));
      if (rows.count == 0) continue;
      nn::Replica& replica = *replicas_[core];
      replica.gradients().need_program({rows.count});
      replica.run_gradients(replica.prepare(
          replica.gradients(),
          {.rows = rows.count,
           .inputs = batch.inputs.values.data() + rows.first * batch.inputs.row_size,
           .labels = std::span(batch.labels)
                         .subspan(static_cast<std::size_t>(rows.first),
                                  static_cast<std::size_t>(rows.count)),
           .scalars = {.update = number, .first_row = rows.first}}));
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const nn::Parameter& parameter = *replica.parameters()[i];
        parts[i].push_back({static_cast<float>(rows.count) / static_cast<float>(rows_),
                            parameter.trained ? parameter.gradient : parameter.value});
      }
    }
    const auto ranks = single_rank();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      nn::Parameter& master = *replicas_[0]->parameters()[i];
      ordered_sum(*ranks, parts[i], master.trained ? master.gradient : master.value);
    }
    update(number);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (const auto& replica : replicas_) {
        replica->parameters()[i]->value = replicas_[0]->parameters()[i]->value;
        ++replica->parameters()[i]->version;
      }
    }
  }

  std::map<std::string, std::vector<float>> states() const {
    std::map<std::string, std::vector<float>> all;
    for (const nn::Parameter* parameter : replicas_[0]->parameters()) {
      const std::string name = nn::input_name(parameter->name);
      all[name] = parameter->value;
      for (std::size_t slot = 0; slot < parameter->slots.size(); ++slot) {
        all[nn::slot_name(name, slot)] = parameter->slots[slot];
      }
    }
    return all;
  }

 private:
  void update(std::int64_t number) {
    auto feed = program_->make_feed();
    each_state([&](const std::string& name, std::vector<float>& values, bool is_gradient) {
      if (!is_gradient) return program_->write_state(name, values);
      program_->set_batch(feed, name, values.data(), std::ssize(values));
    });
    const nn::StepScalars scalars{
        .rate = std::visit([](const auto& one) { return one.learning_rate; }, optimizer_),
        .update = number};
    program_->set_scalars(feed, scalars.by_name());
    program_->write(0, feed);
    REQUIRE(device_.run(program_->program(1)).fault == device::FaultCode::kNone);
    each_state([&](const std::string& name, std::vector<float>& values, bool is_gradient) {
      if (!is_gradient) program_->read_state(name, values);
    });
  }

  template <typename Work>
  void each_state(const Work& work) const {
    for (nn::Parameter* parameter : replicas_[0]->parameters()) {
      if (!parameter->trained) continue;
      const std::string name = nn::input_name(parameter->name);
      work(name, parameter->value, false);
      work("d_" + name, parameter->gradient, true);
      for (std::size_t slot = 0; slot < parameter->slots.size(); ++slot) {
        work(nn::slot_name(name, slot), parameter->slots[slot], false);
      }
    }
  }

  std::int64_t rows_;
  nn::Optimizer optimizer_;
  InterpretedDevice device_;
  std::vector<std::unique_ptr<nn::Replica>> replicas_;
  graph::Graph update_;
  std::unique_ptr<lowering::StepProgram> program_;
};

}  // namespace

TEST_CASE("20 steps of one program a core leave the bits of the host's sum", "[core_sums]") {
  constexpr int kSteps = 20;
  constexpr std::int64_t kRows = 7;  // of eight cores, one has none
  const int cores = GENERATE(2, 4, 8);
  for (const nn::Optimizer& optimizer :
       {nn::Optimizer(nn::Sgd{.learning_rate = 0.1f, .momentum = 0.9f}),
        nn::Optimizer(nn::Adam{.learning_rate = 0.01f})}) {
    CAPTURE(cores, nn::describe(optimizer));
    LineOfCores line(kLayers, {kFeatures}, kRows, cores, optimizer, kSizes);
    HostsSum host(cores, kRows, optimizer);
    for (int step = 1; step <= kSteps; ++step) {
      const Samples batch =
          random_samples(kSeed + static_cast<std::uint64_t>(step % 3), kRows, kFeatures, kClasses);
      line.feed(batch, step);
      for (const ProgramFault& fault : line.interpret()) {
        REQUIRE(fault.code == device::FaultCode::kNone);
      }
      host.step(batch, step);
    }
    const auto expected = host.states();
    for (std::size_t core = 0; core < line.cores().size(); ++core) {
      CAPTURE(core);
      CHECK(line.states(core) == expected);
      CHECK(line.result(core, "loss") == line.result(0, "loss"));
    }
  }
}

TEST_CASE("three steps of one doorbell a core leave the bits of three doorbells", "[core_sums]") {
  const nn::Adam optimizer{.learning_rate = 0.01f};
  LineOfCores together(kLayers, {kFeatures}, 7, 3, optimizer, kSizes, 3),
      apart(kLayers, {kFeatures}, 7, 3, optimizer, kSizes);
  const auto run = [](LineOfCores& line, std::int64_t steps) {
    for (const ProgramFault& fault : line.interpret(steps)) {
      REQUIRE(fault.code == device::FaultCode::kNone);
    }
  };
  for (std::int64_t step = 0; step < 3; ++step) {
    const Samples batch =
        random_samples(kSeed + static_cast<std::uint64_t>(step), 7, kFeatures, kClasses);
    together.feed(batch, step + 1, step);
    apart.feed(batch, step + 1);
    run(apart, 1);
  }
  run(together, 3);
  for (std::size_t core = 0; core < 3; ++core) CHECK(together.states(core) == apart.states(core));
}

TEST_CASE("loss, accuracy, moving averages and gradients have a sum each", "[core_sums]") {
  LineOfCores line(kLayers, {kFeatures}, 6, 2, nn::Sgd{.learning_rate = 0.1f}, kSizes);
  constexpr std::int64_t kSums = 2 + 2 + 6;
  const graph::Graph& graph = *line.cores()[0]->graph.graph;
  CHECK(std::ranges::count(graph.operations(), 2, graph::cores_of) == kSums);
  for (const auto& core : line.cores()) {
    std::int64_t meetings = 0;
    for (const lowering::Unit& unit : core->step.lowered().units) {
      meetings += unit.kernel() != nullptr && unit.kernel()->meets_neighbours() ? 1 : 0;
    }
    CHECK(meetings == 2 * kSums);
  }
}

TEST_CASE("cores share the update of a matrix by columns", "[core_sums]") {
  constexpr std::size_t kCores = 3;
  constexpr std::int64_t kUnits = 70;
  LineOfCores line(kLayers, {kFeatures}, 7, kCores, nn::Adam{.learning_rate = 0.01f}, kSizes);
  const std::string slot = nn::slot_name(nn::input_name("0.dense.weight"), 0);
  line.feed(random_samples(kSeed, 7, kFeatures, kClasses), 1);
  for (const ProgramFault& fault : line.interpret()) {
    REQUIRE(fault.code == device::FaultCode::kNone);
  }
  std::vector<int> updated(static_cast<std::size_t>(kUnits));
  for (std::size_t core = 0; core < kCores; ++core) {
    CAPTURE(core);
    const lowering::StepProgram& step = line.cores()[core]->step;
    const lowering::SharedColumns shared = step.shared(slot);
    REQUIRE(shared.row == kUnits);
    CHECK(shared == line.cores()[0]->step.shared(slot));
    std::vector<float> values(static_cast<std::size_t>(kFeatures * kUnits));
    step.read_state(slot, values);
    std::vector<bool> is_own(values.size());
    shared.each_part(std::ssize(values), static_cast<std::int64_t>(core), kCores,
                     [&](std::int64_t first, std::int64_t count) {
                       std::fill_n(is_own.begin() + first, count, true);
                     });
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!is_own[i] && values[i] != 0) FAIL("element " << i << " is another core's");
    }
    for (std::size_t i = 0; i < updated.size(); ++i) updated[i] += is_own[i] ? 1 : 0;
  }
  CHECK(std::ranges::count(updated, 1) == kUnits);  // each column on one core
  CHECK(line.cores()[0]->step.shared(nn::slot_name(nn::input_name("0.dense.bias"), 0)).block == 0);
  CHECK(line.cores()[0]->step.shared(nn::input_name("0.dense.weight")).block == 0);
}

// Its kernel is stored reversed, for the gradient of its images, where a core has rows.
TEST_CASE("a core without rows shares what the others share of a second convolution",
          "[core_sums]") {
  const std::int64_t rows = GENERATE(1, 2);
  LineOfCores line(
      {Conv2D{.filters = 16}, Conv2D{.filters = 16}, nn::Flatten{}, Dense{.units = 10}}, {8, 8, 2},
      rows, static_cast<int>(rows) + 1, nn::Adam{.learning_rate = 0.01f}, kSizes);
  const std::string slot = nn::slot_name(nn::input_name("1.conv2d.weight"), 0);
  line.feed(random_samples(kSeed, rows, 8 * 8 * 2, 10), 1);
  for (const ProgramFault& fault : line.interpret()) {
    REQUIRE(fault.code == device::FaultCode::kNone);
  }
  for (const auto& core : line.cores()) {
    CHECK(core->step.shared(slot) == line.cores()[0]->step.shared(slot));
  }
  CHECK(line.states(static_cast<std::size_t>(rows)) == line.states(0));
}

TEST_CASE("cores update all of a matrix where its sum clips others", "[core_sums]") {
  graph::Graph graph;
  const graph::Type type{graph::Element::kF32, {8, 64}};
  const graph::Value weight = graph.input("weight", type), slot = graph.input("slot", type),
                     sum = graph::all_reduce(graph.input("gradient", type), 2);
  graph.update(slot, "slot.next", slot + sum);
  graph.update(weight, "weight.next", weight - (slot + sum));
  const auto shared = [&] {
    return lowering::lower_graph(graph, kSizes, {}, {}, {}, 0, {"slot"}).shared.size();
  };
  CHECK(shared() == 1);
  graph.output("norm", graph::sum(sum * sum));
  CHECK(shared() == 0);
}

// The first weights take several runs, fewer if each took as many words as its own kernel may.
TEST_CASE("cores that meet in one order have streams of the same words", "[core_sums]") {
  constexpr int kWide = 16;
  LineOfCores line({Dense{.units = 600}, Relu{}, Dense{.units = 10}}, {64}, 5, 3,
                   nn::Adam{.learning_rate = 0.01f}, {.array_size = kWide});
  const auto words = [&](std::size_t core, bool writes, device::VectorStreamEnd end) {
    std::vector<std::int64_t> streams;
    for (const device::CommandWord& command : line.cores()[core]->step.program(1).commands) {
      if (device::opcode_of(command) != device::Opcode::kVectorStream) continue;
      const device::VectorStream stream = device::decode_vector_stream(command);
      if (stream.writes != writes || stream.end != end) continue;
      streams.push_back(std::int64_t{stream.rows} * ((stream.cols + kWide - 1) / kWide));
    }
    return streams;
  };
  using End = device::VectorStreamEnd;
  for (std::size_t core = 0; core + 1 < 3; ++core) {
    CHECK_FALSE(words(core, true, End::kUp).empty());
    CHECK(words(core, true, End::kUp) == words(core + 1, false, End::kDown));
    CHECK(words(core + 1, true, End::kDown) == words(core, false, End::kUp));
  }
  CHECK(words(0, true, End::kDown).empty());
  CHECK(words(2, true, End::kUp).empty());
}

// One stream has too few beats under way to bring a word in the clocks that a link takes for it.
TEST_CASE("a core's term comes from memory over two streams, half of the rows each",
          "[core_sums]") {
  constexpr int kWide = 16;
  const std::int64_t features = GENERATE(64, 65);
  LineOfCores line({Dense{.units = 600}, Relu{}, Dense{.units = 10}}, {features}, 5, 3,
                   nn::Adam{.learning_rate = 0.01f}, {.array_size = kWide});
  const auto commands = line.cores()[0]->step.program(1).commands;
  std::array<std::int64_t, 4> rows{};  // of the inputs since the last run
  std::int64_t sent = 0, sums = 0;
  for (const device::CommandWord& command : commands) {
    if (device::opcode_of(command) == device::Opcode::kVectorStream) {
      const device::VectorStream stream = device::decode_vector_stream(command);
      if (!stream.writes) rows[stream.number] = stream.rows;
      if (stream.writes && stream.end == device::VectorStreamEnd::kUp) sent = stream.rows;
    } else if (device::opcode_of(command) == device::Opcode::kVectorRun) {
      if (sent == features && rows[1] > 0) {
        CHECK(rows[0] == (features + 1) / 2);
        CHECK(rows[1] == features / 2);
        ++sums;
      }
      rows = {};
      sent = 0;
    }
  }
  CHECK(sums == 19);  // blocks of two words of the 38 of a row
}

// What the compiler writes is checked wherever a test makes a LineOfCores.
TEST_CASE("cores that would wait in a circle are refused with their commands", "[core_sums]") {
  using End = device::VectorStreamEnd;
  struct Meeting {
    bool writes = false;
    End end = End::kUp;
    std::uint16_t rows = 3;
  };
  const auto program = [](const std::vector<std::vector<Meeting>>& runs) {
    std::vector<device::CommandWord> commands;
    for (const auto& run : runs) {
      for (const Meeting& meeting : run) {
        commands.push_back(device::encode(device::VectorStream{.rows = meeting.rows,
                                                               .cols = 5,
                                                               .number = 3,
                                                               .writes = meeting.writes,
                                                               .end = meeting.end}));
      }
      commands.push_back(device::encode(device::VectorRun{.words = 6}));
    }
    return commands;
  };
  const auto check = [](const std::vector<std::vector<device::CommandWord>>& programs) {
    const std::vector<std::span<const device::CommandWord>> spans(programs.begin(), programs.end());
    lowering::check_meetings(spans, kLanes);
  };
  const Meeting sends_up{true, End::kUp}, takes_up{false, End::kDown}, sends_down{true, End::kDown},
      takes_down{false, End::kUp};
  const auto bottom = program({{sends_up}, {takes_down}});
  const auto middle = program({{takes_up, sends_up}, {takes_down, sends_down}});
  CHECK_NOTHROW(check({bottom, middle, program({{takes_up}, {sends_down}})}));
  CHECK_THROWS_WITH(check({bottom, program({{sends_down}, {takes_up}})}),
                    "cores wait for each other: core 0 has to send 6 words above in command 0; "
                    "core 1 has to send 6 words below in command 0");
  CHECK_THROWS_WITH(check({bottom, program({{takes_up, sends_down}})}),
                    "cores wait for each other: core 0 has to send 6 words above in command 0; "
                    "core 1 has to take 6 words below in command 0 to send 6 words below in "
                    "command 1");
  CHECK_THROWS_WITH(check({bottom, program({{takes_up}})}),
                    "cores wait for each other: core 0 has to take 6 words above in command 2; "
                    "core 1 has ended");
  CHECK_THROWS_WITH(check({program({{sends_up}}), program({{{false, End::kDown, 4}}})}),
                    "cores wait for each other: core 0 has to send 6 words above in command 0; "
                    "core 1 has to take 8 words below in command 0");
}

TEST_CASE("a batch for which cores would share other columns is refused", "[core_sums]") {
  constexpr int kCores = 2;
  constexpr std::int64_t kRows = 3, kClippedRows = 4;
  nn::Replica replica(std::make_shared<const std::vector<Layer>>(kLayers));
  replica.build({kFeatures}, 1);
  // Clipping reads the sums, so each core has all of them.
  const auto write = [&](const nn::Shape& batch) {
    const std::optional<float> clip = batch[0] == kClippedRows ? std::optional(1.0f) : std::nullopt;
    return replica.training_graph(
        batch[0], nn::SoftmaxCrossEntropy{}, nn::Adam{}, clip,
        {.core = 0, .cores = kCores, .rows = batch[0], .all = kCores * batch[0]});
  };
  const auto parameters = replica.parameters();
  nn::CompiledTraining steps(
      open_interpreted_device(kLanes),
      {.write = write, .parameters = {parameters.begin(), parameters.end()}});
  const auto start = [&](std::int64_t rows) {
    const Samples batch = random_samples(kSeed, rows, kFeatures, kClasses);
    const nn::CompiledTraining::Input inputs[] = {
        {"x", batch.inputs.values.data(), rows * kFeatures}, {"labels", batch.labels.data(), rows}};
    steps.need_program({rows});
    steps.add(steps.prepare({rows}, inputs, {.update = 1}));
    steps.start();
    steps.finish();
  };
  start(kRows);
  start(kRows);
  CHECK_THROWS_WITH(start(kClippedRows),
                    Catch::Contains("in other columns for another batch; please report this"));
}

TEST_CASE("a core's number that it has before the step is refused as a sum's term", "[core_sums]") {
  graph::Graph graph;
  const graph::Value rate = graph.input("rate", {graph::Element::kF32, {}});
  graph.output("y", graph::all_reduce(rate * 2, 2));
  CHECK_THROWS_WITH(lowering::lower_graph(graph, kSizes),
                    "all_reduce(tensor<f32>): a core knows its number before the step: add it up "
                    "on the host");
}

}  // namespace systole::tests
