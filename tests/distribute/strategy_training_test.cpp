// Training on the cores of a strategy: Sequential made in its scope.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

#include "host/distribute/strategy.h"
#include "host/nn/layers/activation.h"
#include "host/nn/layers/batch_normalization.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/dropout.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/layers/pooling_2d.h"
#include "tests/distribute/on_ranks.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

// fp32 sums over a batch in another order: each gradient is off by some 1e-7 of itself, and Adam
// divides small gradients by their own size. Over the steps of these tests that stays below this.
constexpr double kCoresLossTolerance = 1e-4;

System cores_of(const std::string& device, int cores, int threads = 1,
                std::shared_ptr<Communicator> ranks = single_rank()) {
  return initialize(
      Resolver::connect(
          {.device = device, .machine = {.array_size = 4, .threads = threads}, .cores = cores}),
      std::move(ranks));
}

// 52 samples in batches of 24: the last has 4, so that four of eight cores have nothing to do.
Trained train(const Strategy& strategy, std::int64_t epochs = 3) {
  nn::Sequential model = strategy.scope([] { return small_model(20, 4); });
  model.compile({.optimizer = nn::Adam{.learning_rate = 0.01f}});
  return fit(model, small_data(52, 12, 4), {.epochs = epochs, .batch_size = 24, .seed = 3});
}

void check_close(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i, a[i], b[i]);
    CHECK(std::abs(a[i] - b[i]) < kCoresLossTolerance * std::abs(a[i]));
  }
}

}  // namespace

TEST_CASE("one core of a strategy trains as a device alone does, to the bit", "[strategy]") {
  const std::string device = GENERATE("cpu", "model");
  nn::Sequential model = small_model(20, 4);
  model.compile({.optimizer = nn::Adam{.learning_rate = 0.01f},
                 .device = Device::open(device, {.array_size = 4})});
  CHECK(train(Strategy(cores_of(device, 1)), 1) ==
        fit(model, small_data(52, 12, 4), {.epochs = 1, .batch_size = 24, .seed = 3}));
}

TEST_CASE("eight cores give the losses of one core", "[strategy]") {
  const Trained one = train(Strategy(cores_of("cpu", 1)));
  const Trained eight = train(Strategy(cores_of("cpu", 8)));
  check_close(one.losses, eight.losses);
  CHECK(one.losses.back() < 0.9 * one.losses.front());
}

TEST_CASE("a number of cores gives the same bits whatever the threads and ranks", "[strategy]") {
  const Trained expected = train(Strategy(cores_of("cpu", 8)));
  CHECK(train(Strategy(cores_of("cpu", 8, 2))) == expected);
  CHECK(train(Strategy(cores_of("cpu", 8, 3))) == expected);
  const int ranks = GENERATE(2, 4, 8);
  std::vector<Trained> outcomes(ranks);
  on_ranks(ranks, [&](std::shared_ptr<Communicator> communicator) {
    outcomes[communicator->rank()] = train(Strategy(cores_of("cpu", 8 / ranks, 1, communicator)));
  });
  for (const Trained& outcome : outcomes) CHECK(outcome == expected);
}

TEST_CASE("device cores repeat a training and report their clocks", "[strategy]") {
  const Strategy strategy(cores_of("model", 3, 2));
  nn::Sequential model = strategy.scope([] { return small_model(8, 4); });
  model.compile({.optimizer = nn::Sgd{.learning_rate = 0.1f}});
  const Dataset data = small_data(20, 12, 4);
  model.fit(data, {.epochs = 1, .batch_size = 8});  // 8, 8 and 4 samples
  const nn::StepTime& time = model.step_time();
  CHECK(time.steps == 3);
  REQUIRE(time.core_cycles.size() == 3);
  for (int core = 0; core < 3; ++core) {
    CHECK(time.core_cycles[core] == strategy.device(core).counters().cycles());
  }
  CHECK(time.core_cycles[2] > 0);
  CHECK(time.slowest_cycles >= time.core_cycles[0]);
  for (const std::uint64_t waits : time.link_wait_cycles) CHECK(waits > 0);
  CHECK(time.device_seconds(200) == Approx(static_cast<double>(time.slowest_cycles) / 200e6));
  CHECK(time.busy_share() > 0);
  CHECK(time.busy_share() < 1);

  const Trained first = train(Strategy(cores_of("model", 4, 1)), 1);
  CHECK(train(Strategy(cores_of("model", 4, 2)), 1) == first);
}

namespace {

// Batches of 24, 24 and 4 for up to eight cores.
Trained train_whole(const Strategy& strategy, std::int64_t steps_per_execution,
                    DataType precision = DataType::kBf16) {
  nn::Sequential model = strategy.scope([] {
    return nn::Sequential{nn::Dense{.units = 10}, nn::BatchNormalization{.momentum = 0.9f},
                          nn::Relu{}, nn::Dropout{.rate = 0.25f}, nn::Dense{.units = 4}};
  });
  model.compile({.optimizer = nn::Adam{.learning_rate = 0.01f},
                 .clip_norm = 1.0f,
                 .precision = precision,
                 .steps_per_execution = steps_per_execution});
  return fit(model, small_data(52, 12, 4), {.epochs = 2, .batch_size = 24, .seed = 3});
}

}  // namespace

TEST_CASE("cores run steps together, several in one program each", "[strategy]") {
  const Strategy strategy(cores_of("model", 5));
  const Trained whole = train_whole(strategy, 4);
  for (int core = 0; core < 5; ++core) {
    CHECK(strategy.device(core).counters().programs == 4);  // of 2 and 1 steps, twice
  }
  CHECK(train_whole(Strategy(cores_of("model", 5, 2)), 1) == whole);

  const Trained cpu = train_whole(Strategy(cores_of("cpu", 5)), 1, DataType::kFp32);
  REQUIRE(whole.losses.size() == cpu.losses.size());
  for (std::size_t i = 0; i < whole.losses.size(); ++i) {
    CHECK(whole.losses[i] == Approx(cpu.losses[i]).epsilon(0.02));
  }
}

namespace {

/// A training on cores in a line: its results, the optimizer's memory, and the clocks of all cores.
struct LineTraining {
  explicit LineTraining(const Strategy& strategy) {
    nn::Sequential model = strategy.scope([] { return small_model(64, 4); });
    model.compile({.optimizer = nn::Adam{.learning_rate = 0.01f}, .steps_per_execution = 2});
    results = fit(model, small_data(52, 12, 4), {.epochs = 2, .batch_size = 24, .seed = 3});
    for (const nn::Parameter* parameter : model.parameters()) slots.push_back(parameter->slots);
    const nn::StepTime& time = model.step_time();
    cycles = time.core_cycles;
    cycles.insert(cycles.end(), time.link_wait_cycles.begin(), time.link_wait_cycles.end());
    cycles.push_back(time.slowest_cycles);
    bytes = time.infeed_bytes;
  }
  bool operator==(const LineTraining&) const = default;

  Trained results;
  std::vector<std::vector<std::vector<float>>> slots;
  std::vector<std::uint64_t> cycles;
  std::int64_t bytes = 0;
};

}  // namespace

TEST_CASE("cores with links are one line over all ranks, with its bits and clocks", "[strategy]") {
  const std::string device = GENERATE("model", "rtl");
  const int cores = device == "rtl" ? 4 : 8;
  const LineTraining expected{Strategy(cores_of("model", cores))};
  for (const int ranks : {2, 4, 8}) {
    if (ranks > cores) continue;
    CAPTURE(device, ranks);
    std::vector<std::optional<LineTraining>> outcomes(ranks);
    on_ranks(ranks, [&](std::shared_ptr<Communicator> communicator) {
      const Strategy strategy(cores_of(device, cores / ranks, 1, communicator));
      CHECK(strategy.links() != nullptr);
      outcomes[communicator->rank()].emplace(strategy);
    });
    for (const auto& outcome : outcomes) CHECK(*outcome == expected);
  }
}

TEST_CASE("cores in SystemC have no links over ranks", "[strategy]") {
  if (std::ranges::count(Device::names(), "systemc") == 0) return;
  on_ranks(2, [&](std::shared_ptr<Communicator> communicator) {
    const Strategy strategy(cores_of("systemc", 1, 1, communicator));
    CHECK(strategy.links() == nullptr);
  });
}

TEST_CASE("cores with links leave the bits of the host's sum", "[strategy]") {
  const int cores = GENERATE(2, 3, 8);
  const DataType precision = GENERATE(DataType::kBf16, DataType::kInt8);
  CAPTURE(cores, to_string(precision));
  System system = cores_of("model", cores);
  CHECK(Strategy(system).links() != nullptr);
  const Trained together = train_whole(Strategy(system), 3, precision);
  system.links = nullptr;
  CHECK(train_whole(Strategy(system), 1, precision) == together);
}

TEST_CASE("a training goes on from changed weights on all cores", "[strategy]") {
  const auto train_on = [](System system) {
    const Strategy strategy(std::move(system));
    nn::Sequential model = strategy.scope([] { return small_model(8, 4); });
    model.compile({.optimizer = nn::Adam{.learning_rate = 0.01f}, .steps_per_execution = 2});
    const Dataset data = small_data(24, 12, 4);
    const auto fit_again = [&] { model.fit(data, {.epochs = 1, .batch_size = 8}); };
    fit_again();
    nn::Parameter& weights = *model.parameters()[0];
    for (float& value : weights.value) value *= 0.5f;
    ++weights.version;
    fit_again();
    model.evaluate(data, {.batch_size = 2});  // a core has no row
    fit_again();
    const nn::Tensor one{
        .rows = 1, .row_size = 12, .values = {data.inputs.begin(), data.inputs.begin() + 12}};
    model.compute_gradients(one, std::span(data.labels).first(1));
    fit_again();
    return weight_bits(model);
  };
  System system = cores_of("model", 3), apart = cores_of("model", 3);
  apart.links = nullptr;
  CHECK(train_on(system) == train_on(apart));
}

TEST_CASE("the host has all of an optimizer's memory that cores share", "[strategy]") {
  const int cores = GENERATE(2, 3, 8);
  CAPTURE(cores);
  const auto slots = [](System system) {
    const Strategy strategy(std::move(system));
    nn::Sequential model = strategy.scope([] { return small_model(64, 4); });
    model.compile({.optimizer = nn::Adam{.learning_rate = 0.01f}, .steps_per_execution = 2});
    const Dataset data = small_data(52, 12, 4);
    std::vector<std::vector<std::vector<float>>> all;
    for (int pass = 0; pass < 2; ++pass) {
      model.fit(data, {.epochs = 1, .batch_size = 24});  // the last batch has another program
      for (const nn::Parameter* parameter : model.parameters()) all.push_back(parameter->slots);
    }
    return all;
  };
  System system = cores_of("model", cores), apart = cores_of("model", cores);
  apart.links = nullptr;
  const auto together = slots(system), expected = slots(apart);
  REQUIRE(together.size() == expected.size());
  for (std::size_t i = 0; i < together.size(); ++i) {
    CAPTURE(i);
    REQUIRE(together[i].size() == expected[i].size());
    for (std::size_t slot = 0; slot < expected[i].size(); ++slot) {
      const auto [found, wanted] = std::ranges::mismatch(together[i][slot], expected[i][slot]);
      CAPTURE(slot, found - together[i][slot].begin());
      CHECK(found == together[i][slot].end());
    }
  }
}

TEST_CASE("whole passes of cores in int8 repeat to the bit, whatever the threads", "[strategy]") {
  const Trained one = train_whole(Strategy(cores_of("model", 3)), 1, DataType::kInt8);
  CHECK(train_whole(Strategy(cores_of("model", 3, 2)), 1, DataType::kInt8) == one);
  const Trained bf16 = train_whole(Strategy(cores_of("model", 3)), 1);
  CHECK(one.losses != bf16.losses);
  CHECK(one.losses.front() == Approx(bf16.losses.front()).epsilon(0.05));
}

TEST_CASE("one core of a strategy runs compiled steps as a device alone does", "[strategy]") {
  const Strategy strategy(cores_of("model", 1));
  CHECK(train_whole(strategy, 3) == train_whole(Strategy(cores_of("model", 1)), 1));
  CHECK(strategy.device(0).counters().programs == 4);  // of 2 and 1 steps, twice
}

TEST_CASE("a step that cores cannot run is refused with its layer", "[strategy]") {
  const Strategy strategy(cores_of("model", 2));
  nn::Sequential model = strategy.scope([] {
    return nn::Sequential{nn::AveragePooling2D{.pool = {3, 3}, .strides = {{1, 1}}}, nn::Flatten{},
                          nn::Dense{.units = 4}};
  });
  model.compile({.input_shape = {8, 8, 1}});
  const nn::Tensor images{.rows = 2, .row_size = 64, .values = std::vector<float>(128)};
  CHECK_THROWS_WITH(model.train_batch(images, std::vector<std::int32_t>{0, 1}),
                    Catch::StartsWith("0.averagepooling2d: "));
}

TEST_CASE("a ragged last batch builds programs once", "[strategy]") {
  const Strategy strategy(cores_of("model", 4));
  nn::Sequential model = strategy.scope([] { return small_model(8, 4); });
  model.compile({.optimizer = nn::Sgd{.learning_rate = 0.1f}});
  const Dataset data = small_data(23, 12, 4);  // 16, then 7: 2 2 2 1 on the cores
  model.fit(data, {.epochs = 2, .batch_size = 16});
  // The second run has the clocks of the first: nothing is rebuilt or moved again.
  const auto before = model.step_time().core_cycles;
  model.fit(data, {.epochs = 2, .batch_size = 16});
  const auto after = model.step_time().core_cycles;
  for (std::size_t core = 0; core < 4; ++core) CHECK(after[core] == 2 * before[core]);
}

TEST_CASE("outputs and scores of many cores are those of one", "[strategy]") {
  const Dataset data = small_data(21, 12, 4);
  const auto inputs = random_tensor(5, 12, 4);
  std::vector<nn::Tensor> outputs;
  std::vector<double> losses;
  const auto judge = [&](const Strategy& strategy) {
    nn::Sequential model = strategy.scope([] { return small_model(20, 4); });
    model.compile({.input_shape = {12}});
    outputs.push_back(model.predict(inputs));
    losses.push_back(model.evaluate(data, {.batch_size = 9}).loss);
  };
  judge(Strategy(cores_of("cpu", 1)));
  judge(Strategy(cores_of("cpu", 3)));
  judge(Strategy(cores_of("cpu", 8)));  // more cores than samples
  std::vector<System> systems{cores_of("cpu", 2), cores_of("cpu", 2)};
  std::mutex one_at_a_time;
  on_ranks(2, [&](std::shared_ptr<Communicator> communicator) {
    System system = systems[communicator->rank()];
    system.ranks = communicator;
    nn::Sequential model = Strategy(system).scope([] { return small_model(20, 4); });
    model.compile({.input_shape = {12}});
    const nn::Tensor own = model.predict(inputs);
    const double loss = model.evaluate(data, {.batch_size = 9}).loss;
    const std::scoped_lock lock(one_at_a_time);
    outputs.push_back(own);
    losses.push_back(loss);
  });
  REQUIRE(outputs.size() == 5);
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    CAPTURE(i);
    REQUIRE(outputs[i].rows == 5);
    for (std::size_t k = 0; k < outputs[0].values.size(); ++k) {
      CHECK(outputs[i].values[k] == Approx(outputs[0].values[k]).epsilon(kCoresLossTolerance));
    }
  }
  check_close(losses, std::vector<double>(5, losses[0]));
}

TEST_CASE("dropout drops the same values on one core and on eight", "[strategy]") {
  const auto losses = [](int cores) {
    const Strategy strategy(cores_of("cpu", cores));
    nn::Sequential model = strategy.scope([] {
      return nn::Sequential{nn::Dense{.units = 20}, nn::Dropout{.rate = 0.5f},
                            nn::Dense{.units = 4}};
    });
    model.compile({});
    return model.fit(small_data(52, 12, 4), {.epochs = 2, .batch_size = 24}).losses;
  };
  check_close(losses(1), losses(8));
}

TEST_CASE("batch normalization averages its cores' statistics", "[strategy]") {
  // Each core normalises its own rows. Of one step, from moving averages of 0: the mean of the
  // cores' means is the batch's mean.
  const auto moving_mean = [](int cores, int ranks) {
    std::vector<std::vector<float>> means(ranks);
    on_ranks(ranks, [&](std::shared_ptr<Communicator> communicator) {
      System system = cores_of("cpu", cores / ranks);
      system.ranks = communicator;
      nn::Sequential model = Strategy(system).scope([] {
        return nn::Sequential{nn::BatchNormalization{.momentum = 0.5f}, nn::Dense{.units = 4}};
      });
      model.compile({.input_shape = {12}});
      const Dataset data = small_data(22, 12, 4);
      model.train_batch({.rows = 22, .row_size = 12, .values = data.inputs}, data.labels);
      const auto parameters = model.parameters();
      means[communicator->rank()] = parameters[2]->value;
      // The other cores have the average too: they all judge alike.
      model.predict({.rows = 22, .row_size = 12, .values = data.inputs});
    });
    for (const auto& mean : means) REQUIRE(mean == means[0]);
    return means[0];
  };
  const auto one = moving_mean(1, 1);
  CHECK(moving_mean(4, 1) == moving_mean(4, 2));
  const auto four = moving_mean(4, 1);
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(four[i] == Approx(one[i]).epsilon(kCoresLossTolerance));
  }
}

TEST_CASE("a rank that fails ends the training of all, with its reason", "[strategy]") {
  const auto failures = failures_on_ranks(2, [](std::shared_ptr<Communicator> communicator) {
    System system = cores_of("cpu", 2);
    system.ranks = communicator;
    nn::Sequential model = Strategy(system).scope([] { return small_model(8, 4); });
    model.compile({.input_shape = {12}});
    Dataset data = small_data(16, 12, 4);
    if (communicator->rank() == 1) data.labels[15] = 9;
    for (int step = 0; step < 3; ++step) {
      model.train_batch({.rows = 16, .row_size = 12, .values = data.inputs}, data.labels);
    }
  });
  CHECK_THAT(message_of(failures[1]), Catch::StartsWith("label 9"));
  CHECK_THAT(message_of(failures[0]), Catch::StartsWith("rank 1 has left the run: label 9"));
}

TEST_CASE("ranks with different models or batches are refused", "[strategy]") {
  const auto models = failures_on_ranks(2, [](std::shared_ptr<Communicator> communicator) {
    System system = cores_of("cpu", 1);
    system.ranks = communicator;
    nn::Sequential model =
        Strategy(system).scope([&] { return small_model(8 + communicator->rank(), 4); });
    model.compile({.input_shape = {12}});
  });
  CHECK_THAT(message_of(models[0]), Catch::StartsWith("the model differs between ranks"));
  const std::string device = GENERATE("cpu", "model");
  const auto batches = failures_on_ranks(2, [&](std::shared_ptr<Communicator> communicator) {
    const Strategy strategy(cores_of(device, 1, 1, communicator));
    nn::Sequential model = strategy.scope([] { return small_model(8, 4); });
    model.compile({.input_shape = {12}});
    model.fit(small_data(communicator->rank() == 0 ? 8 : 10, 12, 4), {.batch_size = 10});
  });
  CHECK_THAT(message_of(batches[0]),
             Catch::StartsWith("the batch differs between ranks: '8 samples' on rank 0, '10"));
}

TEST_CASE("ranks with different memories or checks are refused", "[strategy]") {
  const auto other = GENERATE(DeviceOptions{.array_size = 4, .memory = {.latency_cycles = 65}},
                              DeviceOptions{.array_size = 4, .check_per_mille = 1});
  if (other.check_per_mille > 0 && std::ranges::count(Device::names(), "rtl") == 0) return;
  const auto failures = failures_on_ranks(2, [&](std::shared_ptr<Communicator> communicator) {
    const DeviceOptions machine =
        communicator->rank() == 0 ? DeviceOptions{.array_size = 4} : other;
    initialize(Resolver::connect({.device = "model", .machine = machine, .cores = 1}),
               std::move(communicator));
  });
  CHECK_THAT(message_of(failures[0]), Catch::StartsWith("the device differs between ranks"));
}

TEST_CASE("a model uses a strategy's devices or one of its own", "[strategy]") {
  const Strategy strategy(cores_of("cpu", 2));
  nn::Sequential inside = strategy.scope([] { return small_model(8, 4); });
  CHECK_THROWS_WITH(inside.compile({.device = Device::open("cpu")}),
                    Catch::Contains("strategy's scope"));
  nn::Sequential outside = small_model(8, 4);
  CHECK_THROWS_WITH(outside.compile({}), Catch::Contains("needs a device"));
}

}  // namespace systole::tests
