// Whole training steps from one doorbell, executed command by command.
#include "host/compiler/program/step_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "host/graph/ops.h"
#include "host/nn/layers/activation.h"
#include "host/nn/layers/batch_normalization.h"
#include "host/nn/layers/conv2d.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/dropout.h"
#include "host/nn/layers/embedding.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/layers/pooling_2d.h"
#include "host/nn/training/models.h"
#include "host/nn/training/replica.h"
#include "host/nn/training/update_steps.h"
#include "tests/lowering/interpreted_device.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using nn::AveragePooling2D;
using nn::Conv2D;
using nn::Dense;
using nn::Flatten;
using nn::Layer;
using nn::MaxPooling2D;
using nn::Padding;
using nn::Relu;

constexpr std::uint64_t kSeed = 0x5eed'57e9;

struct Batch {
  nn::Tensor inputs;
  std::vector<std::int32_t> labels;
};

Batch random_batch(Random& random, std::int64_t rows, std::int64_t size) {
  Batch batch;
  batch.inputs.resize(rows, size);
  for (float& value : batch.inputs.values) {
    value = static_cast<float>(random.below(1 << 16)) * 0x1p-15f - 1.0f;
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    batch.labels.push_back(static_cast<std::int32_t>(random.below(10)));
  }
  return batch;
}

/// A network's gradients on this processor, in fp32.
struct OnProcessor {
  OnProcessor(const std::vector<Layer>& layers, const nn::Shape& input)
      : replica(std::make_shared<const std::vector<Layer>>(layers)) {
    replica.open({.device = Device::open("cpu"), .precision = DataType::kFp32});
    replica.build(input, 1);
  }
  nn::Score gradients(const Batch& batch, std::int64_t update) {
    nn::CompiledTraining& steps = replica.gradients();
    steps.need_program({batch.inputs.rows});
    return replica.run_gradients(replica.prepare(steps, {.rows = batch.inputs.rows,
                                                         .inputs = batch.inputs.values.data(),
                                                         .labels = batch.labels,
                                                         .scalars = {.update = update}}));
  }

  nn::Replica replica;
};

/// A model whose whole steps run on a device of its own, and its batches.
struct Bench {
  nn::Replica replica;
  nn::TrainingGraph whole;
  InterpretedDevice device;
  lowering::StepProgram step;
  nn::Optimizer optimizer;
  std::int64_t updates = 0;
  float rate;

  Bench(const std::vector<Layer>& layers, const nn::Shape& input, std::int64_t rows, int lanes,
        const nn::Optimizer& chosen, std::int64_t most_steps, std::optional<float> clip = {})
      : replica(std::make_shared<const std::vector<Layer>>(layers)),
        whole(built(input, rows, chosen, clip)),
        device(lanes),
        step(*whole.graph, device.memory(),
             {.sizes = {.array_size = lanes}, .most_steps = most_steps}),
        optimizer(chosen),
        rate(std::visit([](const auto& one) { return one.learning_rate; }, chosen)) {
    for (const nn::TrainingGraph::State& state : whole.states) {
      step.write_state(state.input, state.values());
    }
  }

  nn::TrainingGraph built(const nn::Shape& input, std::int64_t rows, const nn::Optimizer& chosen,
                          std::optional<float> clip) {
    replica.build(input, 1);
    return replica.training_graph(rows, nn::SoftmaxCrossEntropy{}, chosen, clip);
  }

  /// One doorbell; the losses.
  std::vector<float> run(std::span<const Batch> batches) {
    const auto steps = std::ssize(batches);
    for (std::int64_t i = 0; i < steps; ++i) {
      auto feed = step.make_feed();
      const Batch& batch = batches[i];
      step.set_batch(feed, "x", batch.inputs.values.data(), std::ssize(batch.inputs.values));
      step.set_batch(feed, "labels", batch.labels.data(), std::ssize(batch.labels));
      const std::map<std::string, double> scalars = {
          {"learning_rate", rate}, {"update", static_cast<double>(updates + 1)}, {"first_row", 0}};
      step.set_random(feed, scalars);
      step.set_scalars(feed, scalars);
      step.write(i, feed);
      ++updates;
    }
    REQUIRE(device.run(step.program(steps)).fault == device::FaultCode::kNone);
    std::vector<float> losses;
    for (std::int64_t i = 0; i < steps; ++i) losses.push_back(step.result(i, "loss"));
    return losses;
  }

  std::vector<std::vector<float>> states() const {
    std::vector<std::vector<float>> all;
    for (const nn::TrainingGraph::State& state : whole.states) {
      step.read_state(state.input, all.emplace_back(state.values().size()));
    }
    return all;
  }
};

const std::vector<Layer> kSmall = {Dense{.units = 7}, Relu{}, Dense{.units = 10}};

}  // namespace

TEST_CASE("three steps from one doorbell leave the bits of three doorbells", "[lowering]") {
  for (const int lanes : {4, 16}) {
    for (const nn::Optimizer& optimizer :
         {nn::Optimizer(nn::Sgd{.learning_rate = 0.1f, .momentum = 0.9f}),
          nn::Optimizer(nn::Adam{.learning_rate = 0.01f})}) {
      CAPTURE(lanes, nn::describe(optimizer));
      Random random(kSeed);
      std::vector<Batch> batches;
      for (int i = 0; i < 3; ++i) batches.push_back(random_batch(random, 5, 9));
      Bench together(kSmall, {9}, 5, lanes, optimizer, 3),
          apart(kSmall, {9}, 5, lanes, optimizer, 1);
      const std::vector<float> losses = together.run(batches);
      for (int i = 0; i < 3; ++i) {
        CHECK(apart.run(std::span(batches).subspan(i, 1))[0] == losses[i]);
      }
      CHECK(together.states() == apart.states());
    }
  }
}

// Against the step in fp32 on this processor, whose products do not round to bf16.
TEST_CASE("a hundred steps from one doorbell learn what fp32 learns", "[lowering]") {
  INFO("seed " << kSeed);
  for (const nn::Optimizer& optimizer : {nn::Optimizer(nn::Sgd{.learning_rate = 0.1f}),
                                         nn::Optimizer(nn::Adam{.learning_rate = 0.01f})}) {
    CAPTURE(nn::describe(optimizer));
    Random random(kSeed);
    const std::vector<Batch> batches(100, random_batch(random, 16, 9));
    Bench bench(kSmall, {9}, 16, 4, optimizer, 100);
    const std::vector<float> losses = bench.run(batches);

    OnProcessor other(kSmall, {9});
    nn::UpdateSteps updates;
    const Device cpu = Device::open("cpu");
    for (int i = 0; i < 100; ++i) {
      const nn::Score score = other.gradients(batches[i], i + 1);
      CAPTURE(i);
      // bf16 keeps 8 bits of products' operands.
      CHECK(losses[i] == Approx(score.loss).epsilon(0.02).margin(0.02));
      updates.run(other.replica.parameters(), optimizer, {}, bench.rate, i + 1, cpu);
    }
    CHECK(losses.back() < 0.7f * losses.front());
    CHECK(bench.step.result(99, "accuracy") >= bench.step.result(0, "accuracy"));
  }
}

TEST_CASE("a step with clipped gradients runs whole", "[lowering]") {
  Random random(kSeed);
  const std::vector<Batch> batches(3, random_batch(random, 6, 9));
  const nn::Sgd optimizer{.learning_rate = 0.1f};
  Bench clipped(kSmall, {9}, 6, 4, optimizer, 3, 0.01f), free(kSmall, {9}, 6, 4, optimizer, 3);
  const auto slow = clipped.run(batches), fast = free.run(batches);
  CHECK(slow[0] == fast[0]);
  CHECK(slow[2] < slow[0]);
  CHECK(fast[2] < slow[2]);
}

// A wide layer, whose update goes by the columns that the next step reads together.
TEST_CASE("steps overlap and leave the bits of steps apart, however many run", "[lowering]") {
  constexpr std::int64_t kRows = 150, kFeatures = 21;
  const std::vector<Layer> layers = {Dense{.units = 70}, Relu{}, Dense{.units = 10}};
  for (const int lanes : {4, 16}) {
    CAPTURE(lanes);
    Random random(kSeed);
    std::vector<Batch> batches;
    for (int i = 0; i < 5; ++i) batches.push_back(random_batch(random, kRows, kFeatures));
    const nn::Adam adam{.learning_rate = 0.01f};
    Bench together(layers, {kFeatures}, kRows, lanes, adam, 5);
    Bench apart(layers, {kFeatures}, kRows, lanes, adam, 1);
    std::vector<float> losses, each;
    for (const auto [first, count] : {std::pair(0, 3), std::pair(3, 2)}) {
      for (const float loss : together.run(std::span(batches).subspan(first, count))) {
        losses.push_back(loss);
      }
    }
    for (int i = 0; i < 5; ++i) each.push_back(apart.run(std::span(batches).subspan(i, 1))[0]);
    CHECK(losses == each);
    CHECK(together.states() == apart.states());
    const auto fences = std::ranges::count_if(together.step.program(5).commands, [](auto command) {
      return device::opcode_of(command) == device::Opcode::kFence;
    });
    CHECK(fences == 1);
  }
}

TEST_CASE("programs of one number have one content, and others have other numbers", "[lowering]") {
  const nn::Adam adam{.learning_rate = 0.01f};
  Bench first(kSmall, {9}, 5, 4, adam, 3), second(kSmall, {9}, 5, 4, adam, 3);
  std::map<std::uint64_t, std::pair<std::uint64_t, std::vector<std::byte>>> seen;  // by number
  for (const std::int64_t steps : {3, 2, 3, 1, 2}) {
    for (Bench* bench : {&first, &second}) {
      const PlacedProgram program = bench->step.program(steps);
      REQUIRE(program.number != 0);
      const auto bytes = std::as_bytes(program.commands);
      const std::pair content(program.ring, std::vector(bytes.begin(), bytes.end()));
      const bool is_same = seen.emplace(program.number, content).first->second == content;
      CHECK(is_same);
    }
  }
  CHECK(seen.size() == 6);
}

TEST_CASE("an update of a wide matrix goes by columns", "[lowering]") {
  constexpr int kLanes = 4;
  const std::vector<Layer> layers = {Dense{.units = 70}, Relu{}, Dense{.units = 10}};
  Bench bench(layers, {21}, 150, kLanes, nn::Adam{.learning_rate = 0.01f}, 1);
  std::set<std::int64_t> columns;  // of the parts that write all 21 rows
  for (const device::CommandWord& command : bench.step.step_commands()) {
    if (device::opcode_of(command) != device::Opcode::kVectorStream) continue;
    const device::VectorStream stream = device::decode_vector_stream(command);
    if (stream.writes && stream.rows == 21) columns.insert(stream.cols);
  }
  CHECK(columns == std::set<std::int64_t>{24, 22});  // 70 by 24
}

TEST_CASE("mnist-mlp trains whole on the device", "[lowering]") {
  const nn::Model model = nn::find_model("mnist-mlp");
  Random random(kSeed);
  const std::vector<Batch> batches(2, random_batch(random, 8, 784));
  Bench bench(model.layers, model.input_shape, 8, 16, nn::Adam{.learning_rate = 0.001f}, 2);
  const auto losses = bench.run(batches);
  CHECK(losses[0] > 1.5f);
  CHECK(losses[1] < losses[0]);
  CHECK(bench.step.step_commands().size() < 32'768);
}

TEST_CASE("a step that does not fit is refused", "[lowering]") {
  InterpretedDevice device(4);
  nn::Replica replica(std::make_shared<const std::vector<Layer>>(kSmall));
  replica.build({9}, 1);
  const nn::TrainingGraph whole =
      replica.training_graph(4, nn::SoftmaxCrossEntropy{}, nn::Sgd{.learning_rate = 0.1f}, {});
  const auto make = [&](std::int64_t steps, std::int64_t bytes) {
    lowering::StepProgram(*whole.graph, device.memory(),
                          {.sizes = {.array_size = 4}, .most_steps = steps, .most_bytes = bytes});
  };
  CHECK_THROWS_WITH(make(1, 1000), Catch::Contains("1000: choose a smaller batch"));
  CHECK_THROWS_WITH(make(0, 0), Catch::Contains("it must be 1 or more"));
  CHECK(device.memory().used_bytes() == 0);

  lowering::StepProgram step(*whole.graph, device.memory(), {.sizes = {.array_size = 4}});
  std::vector<float> values(3);
  CHECK_THROWS_WITH(step.write_state("x", values), Catch::Contains("x is not a state"));
  auto feed = step.make_feed();
  CHECK_THROWS_WITH(step.set_batch(feed, "x", values.data(), 3),
                    Catch::Contains("x is not an input of 3 elements"));
  CHECK_THROWS_WITH(step.set_scalars(feed, {}), Catch::Contains("needs a value for learning_rate"));
  CHECK_THROWS_WITH(step.write(1, feed), Catch::Contains("step 1 of 1"));
  feed.pop_back();
  CHECK_THROWS_WITH(step.write(0, feed), Catch::Contains("bytes are not what step 0 of 1 takes"));
  CHECK_THROWS_WITH(step.program(2), Catch::Contains("must be 1 to 1"));
  CHECK_THROWS_WITH(step.result(0, "size"), Catch::Contains("has no output size of 1 elements"));
}

/// Whether no row of a part that a kernel writes reaches into the next part.
bool parts_stay_apart(const lowering::Unit& unit, int lanes) {
  const lowering::KernelCode* kernel = unit.kernel();
  return kernel == nullptr || !kernel->overlaps(lanes) ||
         std::ranges::all_of(kernel->out,
                             [](const lowering::Port& port) { return port.view.step == 0; });
}

// Odd numbers of pixels, patches over edges, kernels cut into lines and not, one channel and
// several.
TEST_CASE("convolutions and poolings learn what fp32 learns", "[lowering]") {
  struct Case {
    nn::Shape input;
    std::vector<Layer> layers;
  };
  const std::vector<Case> cases = {
      {{8, 8, 3},
       {Conv2D{.filters = 4, .padding = Padding::kSame, .activation = nn::Function::kRelu},
        MaxPooling2D{}, Conv2D{.filters = 8}, MaxPooling2D{}, Relu{}, Flatten{},
        Dense{.units = 10}}},
      {{9, 6, 1},
       {Conv2D{.filters = 5, .kernel = {4, 3}}, MaxPooling2D{.pool = {3, 2}}, Relu{}, Flatten{},
        Dense{.units = 10}}},
      {{5, 7, 4},
       {Conv2D{.filters = 8, .kernel = {3, 5}, .padding = Padding::kSame}, Relu{},
        Conv2D{.filters = 5, .kernel = {2, 2}}, Relu{}, Flatten{}, Dense{.units = 10}}},
      {{11, 7, 3},
       {Conv2D{.filters = 8, .padding = Padding::kSame}, MaxPooling2D{}, Relu{},
        Conv2D{.filters = 8, .padding = Padding::kSame}, MaxPooling2D{}, Relu{}, Flatten{},
        Dense{.units = 10}}},
      {{8, 6, 3},
       {Conv2D{.filters = 8, .padding = Padding::kSame}, MaxPooling2D{},
        nn::BatchNormalization{.momentum = 0.9f}, Relu{},
        Conv2D{.filters = 8, .padding = Padding::kSame}, nn::BatchNormalization{}, Relu{},
        Flatten{}, nn::Dropout{.rate = 0.25f}, Dense{.units = 10}}},
      {{8, 8, 2},
       {Conv2D{.filters = 6, .padding = Padding::kSame}, MaxPooling2D{},
        nn::BatchNormalization{.momentum = 0.9f}, Relu{},
        Conv2D{.filters = 11, .padding = Padding::kSame}, MaxPooling2D{}, nn::BatchNormalization{},
        Flatten{}, Dense{.units = 10}}},
      {{11, 9, 3},
       {Conv2D{.filters = 8, .padding = Padding::kSame}, Relu{}, AveragePooling2D{},
        Conv2D{.filters = 8, .padding = Padding::kSame}, AveragePooling2D{.pool = {2, 3}}, Relu{},
        Flatten{}, Dense{.units = 10}}},
      {{11, 10, 3},
       {Conv2D{.filters = 5, .padding = Padding::kSame}, Relu{},
        Conv2D{.filters = 8, .kernel = {3, 3}, .strides = {2, 2}}, Relu{},
        Conv2D{.filters = 6, .kernel = {3, 4}, .strides = {3, 3}, .padding = Padding::kSame},
        Relu{}, Flatten{}, Dense{.units = 10}}},
      {{6, 6, 2},
       {Conv2D{.filters = 6, .kernel = {3, 3}, .strides = {2, 2}}, Relu{},
        Conv2D{.filters = 3, .kernel = {1, 1}}, Flatten{}, Dense{.units = 10}}},
      {{8, 8, 1},  // pixels that are taken together, next to all of their neighbours
       {Conv2D{.filters = 4, .kernel = {5, 5}}, MaxPooling2D{}, Relu{},
        Conv2D{.filters = 4, .kernel = {2, 1}, .padding = Padding::kSame}, Relu{}, Flatten{},
        Dense{.units = 10}}},
      {{6, 16, 3},
       {Conv2D{.filters = 4, .padding = Padding::kSame}, MaxPooling2D{},
        nn::BatchNormalization{.momentum = 0.9f}, Relu{},
        Conv2D{.filters = 4, .padding = Padding::kSame}, nn::BatchNormalization{}, Relu{},
        Conv2D{.filters = 5, .padding = Padding::kSame}, MaxPooling2D{.pool = {1, 4}}, Flatten{},
        Dense{.units = 10}}},
  };
  for (const Case& one : cases) {
    for (const int lanes : {4, 8, 16}) {
      CAPTURE(nn::to_string(one.input), lanes);
      Random random(kSeed);
      const std::vector<Batch> batches(
          20, random_batch(random, 5, one.input[0] * one.input[1] * one.input[2]));
      const nn::Sgd optimizer{.learning_rate = 0.1f};
      Bench bench(one.layers, one.input, 5, lanes, optimizer, 20);
      for (const lowering::Unit& unit : bench.step.lowered().units) {
        CAPTURE(unit.name);
        CHECK(parts_stay_apart(unit, lanes));
      }
      const std::vector<float> losses = bench.run(batches);
      OnProcessor other(one.layers, one.input);
      nn::UpdateSteps updates;
      const Device cpu = Device::open("cpu");
      for (int i = 0; i < 20; ++i) {
        const nn::Score score = other.gradients(batches[i], i + 1);
        CAPTURE(i);
        CHECK(losses[i] == Approx(score.loss).epsilon(0.03).margin(0.03));
        updates.run(other.replica.parameters(), optimizer, {}, bench.rate, i + 1, cpu);
      }
      CHECK(losses.back() < 0.9f * losses.front());
    }
  }
}

TEST_CASE("an embedding learns what fp32 learns", "[lowering]") {
  const std::vector<Layer> layers = {nn::Embedding{.words = 11, .units = 6}, Flatten{},
                                     Dense{.units = 10}};
  for (const int lanes : {4, 16}) {
    CAPTURE(lanes);
    Random random(kSeed);
    std::vector<Batch> batches(20, random_batch(random, 5, 4));
    for (Batch& batch : batches) {
      for (float& word : batch.inputs.values) word = static_cast<float>(random.below(11));
    }
    const nn::Adam optimizer{.learning_rate = 0.01f};
    Bench bench(layers, {4}, 5, lanes, optimizer, 20);
    const std::vector<float> losses = bench.run(batches);
    OnProcessor other(layers, {4});
    nn::UpdateSteps updates;
    const Device cpu = Device::open("cpu");
    for (int i = 0; i < 20; ++i) {
      const nn::Score score = other.gradients(batches[i], i + 1);
      CAPTURE(i);
      CHECK(losses[i] == Approx(score.loss).epsilon(0.02));
      updates.run(other.replica.parameters(), optimizer, {}, bench.rate, i + 1, cpu);
    }
    CHECK(losses.back() < losses.front());
  }
}

// Six features and batches of six rows: what has an element for each feature could have one for
// each row of another kernel, but writes whole words there, into what the next row reads.
TEST_CASE("moving averages are updated in place", "[lowering]") {
  const std::vector<Layer> layers = {Dense{.units = 6},
                                     nn::BatchNormalization{.momentum = 0.9f},
                                     Relu{},
                                     Dense{.units = 8},
                                     nn::BatchNormalization{},
                                     Dense{.units = 10}};
  for (const int lanes : {4, 8}) {
    Random random(kSeed);
    const std::vector<Batch> batches(1, random_batch(random, 6, 9));
    Bench bench(layers, {9}, 6, lanes, nn::Sgd{.learning_rate = 0.1f}, 1);
    const lowering::LoweredGraph& lowered = bench.step.lowered();
    for (const lowering::Unit& unit : lowered.units) {
      if (unit.kernel() == nullptr) continue;
      for (const lowering::Port& port : unit.kernel()->out) {
        CAPTURE(lanes, unit.name);
        CHECK_FALSE(
            (port.extent == lowering::Extent::kRow && lowered.replaced_by(port.value) >= 0));
      }
    }
    bench.run(batches);
    OnProcessor other(layers, {9});
    other.gradients(batches[0], 1);
    for (const nn::Parameter* parameter : other.replica.parameters()) {
      if (parameter->trained) continue;
      CAPTURE(lanes, parameter->name);
      std::vector<float> found(parameter->value.size());
      bench.step.read_state(nn::input_name(parameter->name), found);
      for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i] == Approx(parameter->value[i]).epsilon(0.02).margin(0.002));
      }
    }
  }
}

// A convolution with ReLU and pooling, then a dense layer.
TEST_CASE("what products round anyway is stored as bf16, and a pooling keeps places",
          "[lowering]") {
  const bool rectifies_first = GENERATE(true, false);
  CAPTURE(rectifies_first);
  std::vector<Layer> layers = {Conv2D{.filters = 8}, MaxPooling2D{}, Flatten{}, Dense{.units = 10}};
  layers.insert(layers.begin() + (rectifies_first ? 1 : 2), Relu{});
  nn::Replica replica(std::make_shared<const std::vector<Layer>>(layers));
  replica.build({8, 8, 1}, 1);
  const nn::TrainingGraph whole =
      replica.training_graph(2, nn::SoftmaxCrossEntropy{}, nn::Sgd{}, {});
  const lowering::LoweredGraph lowered = lowering::lower_graph(*whole.graph, {.array_size = 4});
  using lowering::Format;
  const auto is_bf16 = [&](int value) {
    return lowered.stored[value].has(Format::kBf16) && !lowered.stored[value].has(Format::kWord);
  };
  int images = 0, masks = 0;
  for (const lowering::Unit& unit : lowered.units) {
    if (const lowering::MatrixMatch* match = unit.product()) {
      masks += match->mask >= 0 ? 1 : 0;
      const bool is_forward = match->images && !match->form.transpose_a;
      if (is_forward) CHECK((is_bf16(match->result) && match->adds_terms));
      continue;
    }
    const lowering::KernelCode& kernel = *unit.kernel();
    if (kernel.rows * kernel.cols != 2 * 3 * 3 * 8) continue;
    ++images;  // the pooling: four pixels of a window; and its gradient
    const bool is_pooling = kernel.in.size() == 4;
    CHECK(kernel.in.size() == (is_pooling ? 4 : 3));
    CHECK(kernel.out.size() == (is_pooling ? 3 : 4));
    CHECK(kernel.body.program.code.size() == (is_pooling && !rectifies_first ? 10 : 9));
    for (const auto* ports : {&kernel.in, &kernel.out}) {
      for (const lowering::Port& port : *ports) CHECK(port.format == Format::kBf16);
    }
  }
  CHECK(images == 2);
  CHECK(masks == 1);  // the dense layer's dX has the ReLU's
}

// Weights of zero and a rate of 1: the next weights are the gradients, negated.
TEST_CASE("gradients of weights are rounded to bf16, those of biases are not", "[lowering]") {
  const auto is_bf16 = [](float value) { return (std::bit_cast<std::uint32_t>(value) << 16) == 0; };
  for (const int lanes : {4, 16}) {
    CAPTURE(lanes);
    Random random(kSeed);
    const std::vector<Batch> batches(1, random_batch(random, 13, 9));
    Bench bench({Dense{.units = 10}}, {9}, 13, lanes, nn::Sgd{.learning_rate = 1.0f}, 1);
    for (const nn::TrainingGraph::State& state : bench.whole.states) {
      bench.step.write_state(state.input, std::vector<float>(state.values().size()));
    }
    bench.run(batches);
    const auto next = bench.states();
    REQUIRE(next.size() == 2);
    for (const std::vector<float>& values : next) {
      const bool is_weight = values.size() == 9 * 10;
      CHECK(std::ranges::all_of(values, is_bf16) == is_weight);
      CHECK(std::ranges::any_of(values, [](float value) { return std::abs(value) > 0.01f; }));
    }
  }
}

// Through a norm, too; but what takes a state's place as it is stays fp32, as what cores add up.
TEST_CASE("products that updates alone follow are kept as bf16", "[lowering]") {
  nn::Replica replica(std::make_shared<const std::vector<Layer>>(kSmall));
  replica.build({9}, 1);
  const auto gradients = [](const graph::Graph& step) {
    const lowering::LoweredGraph lowered = lowering::lower_graph(step, {.array_size = 4});
    std::vector<bool> rounded;
    for (const lowering::Unit& unit : lowered.units) {
      const lowering::MatrixMatch* match = unit.product();
      if (match == nullptr || !match->form.transpose_a) continue;
      const lowering::Stored& stored = lowered.stored[match->result];
      CHECK(stored.has(lowering::Format::kBf16) != stored.has(lowering::Format::kWord));
      rounded.push_back(stored.has(lowering::Format::kBf16));
    }
    return rounded;
  };
  for (const auto clip : {std::optional<float>(), std::optional(0.01f)}) {
    const auto whole = replica.training_graph(6, nn::SoftmaxCrossEntropy{}, nn::Adam{}, clip);
    CHECK(gradients(*whole.graph) == std::vector<bool>(2, true));
  }
  graph::Graph apart;
  const auto x = apart.input("x", {graph::Element::kF32, {6, 9}});
  const auto d = apart.input("d", {graph::Element::kF32, {6, 4}});
  const auto sum = apart.input("d_w", {graph::Element::kF32, {9, 4}});
  apart.update(sum, "d_w.next",
               graph::dot_general(x, d, {.lhs_contracting = {0}, .rhs_contracting = {0}}));
  CHECK(gradients(apart) == std::vector<bool>(1, false));
}

// A step's batch lies in memory for each step, so the smallest one.
TEST_CASE("an execution whose commands no doorbell names is refused with the steps that fit",
          "[lowering]") {
  InterpretedDevice device(4);
  nn::Replica replica(
      std::make_shared<const std::vector<Layer>>(std::vector<Layer>{Dense{.units = 2}}));
  replica.build({1}, 1);
  const nn::TrainingGraph whole =
      replica.training_graph(1, nn::SoftmaxCrossEntropy{}, nn::Sgd{}, {});
  const auto make = [&](std::int64_t steps) {
    const lowering::StepProgram step(*whole.graph, device.memory(),
                                     {.sizes = {.array_size = 4}, .most_steps = steps});
    return std::ssize(step.step_commands()) + 1;  // with a fence
  };
  const std::int64_t most = kDoorbellCommands / make(1);
  CHECK_THROWS_WITH(make(most + 1),
                    Catch::Contains(fmt::format("an execution {} steps", most + 1)) &&
                        Catch::EndsWith(fmt::format("choose at most {} steps an execution", most)));
  CHECK(device.memory().used_bytes() == 0);
}

TEST_CASE("what the device does not do to images is refused by layer", "[lowering]") {
  const auto refusal = [](std::vector<Layer> layers) -> std::string {
    layers.insert(layers.end(), {Flatten{}, Dense{.units = 10}});
    nn::Replica replica(std::make_shared<const std::vector<Layer>>(layers));
    replica.build({8, 8, 4}, 1);
    const nn::TrainingGraph whole =
        replica.training_graph(2, nn::SoftmaxCrossEntropy{}, nn::Sgd{}, {});
    try {
      lowering::lower_graph(*whole.graph, {.array_size = 4});
    } catch (const graph::GraphError& error) {
      return error.what();
    }
    return "none";
  };
  const Conv2D first{.filters = 4};
  CHECK_THAT(refusal({first, Conv2D{.filters = 8, .strides = {2, 1}}}),
             Catch::StartsWith("1.conv2d: ") && Catch::Contains("the same both ways"));
  CHECK_THAT(refusal({first, AveragePooling2D{.pool = {3, 3}, .strides = {{2, 2}}}}),
             Catch::StartsWith("1.average"));
  CHECK_THAT(refusal({first, MaxPooling2D{.pool = {3, 3}, .strides = {{2, 2}}}}),
             Catch::StartsWith("1.max"));
}

}  // namespace systole::tests
