// The training loop: Sequential::fit, evaluate and predict.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "host/nn/layers/activation.h"
#include "host/nn/layers/dense.h"
#include "host/nn/training/batches.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

nn::CompileOptions on_cpu(int threads = 1) {
  return {.optimizer = nn::Adam{.learning_rate = 0.01f},
          .device = Device::open("cpu", {.threads = threads})};
}

}  // namespace

TEST_CASE("a small network overfits 32 images", "[fit]") {
  const std::string device = GENERATE("cpu", "model");
  Dataset data = small_data(32, 64, 10);
  nn::Generator generator(8);
  for (auto& label : data.labels)
    label = static_cast<std::int32_t>(generator.below(10));  // no sense
  nn::Sequential model = small_model(64, 10);
  nn::CompileOptions options = on_cpu();
  options.device = Device::open(device, {.array_size = 4});
  model.compile(options);
  const auto history = model.fit(data, {.epochs = 60, .batch_size = 8});
  const nn::Score score = model.evaluate(data);
  CAPTURE(device, score.loss, history.losses.front());
  CHECK(score.accuracy == 1);
  CHECK(score.loss < 0.1);
}

TEST_CASE("sgd with momentum learns the samples' common pattern", "[fit]") {
  nn::Sequential model = small_model(16, 4);
  auto options = on_cpu();
  options.optimizer = nn::Sgd{.learning_rate = 0.1f, .momentum = 0.9f};
  model.compile(options);
  model.fit(small_data(500, 20, 4, 1), {.epochs = 5, .batch_size = 16});
  CHECK(model.evaluate(small_data(200, 20, 4, 2)).accuracy > 0.95);
}

TEST_CASE("the same seeds give the same losses and weights, to the bit", "[fit]") {
  const Dataset data = small_data(50, 9, 3);
  const auto train = [&](std::uint64_t weights, std::uint64_t order) {
    nn::Sequential model = small_model(5, 3);
    auto options = on_cpu();
    options.seed = weights;
    model.compile(options);
    return fit(model, data, {.epochs = 2, .batch_size = 16, .seed = order});
  };
  CHECK(train(1, 1) == train(1, 1));
  CHECK(train(1, 1).losses.front() != train(2, 1).losses.front());
  CHECK(train(1, 1).losses != train(1, 2).losses);
}

TEST_CASE("a training does not depend on the number of threads beyond rounding", "[fit]") {
  const Dataset data = small_data(64, 33, 10);
  const auto losses = [&](int threads) {
    nn::Sequential model = small_model(17, 10);
    model.compile(on_cpu(threads));
    return model.fit(data, {.epochs = 2, .batch_size = 32}).losses;
  };
  const auto one = losses(1), two = losses(2);
  for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i] == Approx(two[i]).epsilon(1e-3));
}

TEST_CASE("fit visits every sample once an epoch, the last batch being smaller", "[fit]") {
  const std::int64_t count = GENERATE(1, 15, 16, 17, 33);
  const Dataset data = small_data(count, 4, 2);
  nn::Batches batches(data, 16);
  batches.shuffle(1, 1);
  REQUIRE(batches.count() == (count + 15) / 16);
  std::vector<float> seen, expected;
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    batches.take(i);
    CHECK(batches.inputs().rows == std::min<std::int64_t>(16, count - 16 * i));
    CHECK(static_cast<std::int64_t>(batches.labels().size()) == batches.inputs().rows);
    for (std::int64_t r = 0; r < batches.inputs().rows; ++r) {
      seen.push_back(batches.inputs().row(r)[0]);
    }
  }
  for (std::int64_t i = 0; i < count; ++i) expected.push_back(data.inputs[4 * i]);
  std::ranges::sort(seen);
  std::ranges::sort(expected);
  CHECK(seen == expected);

  nn::Sequential model = small_model(3, 2);
  model.compile(on_cpu());
  CHECK(model.fit(data, {.epochs = 2, .batch_size = 16}).losses.size() ==
        static_cast<std::size_t>(2 * batches.count()));
}

TEST_CASE("every epoch has its own order, which does not depend on earlier epochs", "[fit]") {
  const Dataset data = small_data(20, 4, 2);
  const auto first = [&](std::vector<std::int64_t> epochs) {
    nn::Batches batches(data, 20);
    for (const auto epoch : epochs) batches.shuffle(1, epoch);
    batches.take(0);
    return batches.inputs().values;
  };
  CHECK(first({1}) != first({2}));
  CHECK(first({1, 2}) == first({2}));
}

TEST_CASE("steps_per_epoch stops an epoch early, with the same first losses", "[fit]") {
  const Dataset data = small_data(40, 6, 3);
  const auto losses = [&](std::optional<std::int64_t> steps) {
    nn::Sequential model = small_model(4, 3);
    model.compile(on_cpu());
    return model.fit(data, {.batch_size = 8, .steps_per_epoch = steps}).losses;
  };
  const auto all = losses({}), two = losses(2);
  REQUIRE(all.size() == 5);
  CHECK(two == std::vector<double>{all[0], all[1]});
}

TEST_CASE("fit reports its progress to callbacks", "[fit]") {
  nn::Sequential model = small_model(4, 3);
  model.compile(on_cpu());
  std::vector<nn::Progress> seen;
  const auto history = model.fit(
      small_data(20, 6, 3),
      {.epochs = 2, .batch_size = 8, .on_step = [&](const nn::Progress& p) { seen.push_back(p); }});
  REQUIRE(seen.size() == 6);
  CHECK(seen[4].epoch == 2);
  CHECK(seen[4].step == 2);
  CHECK(seen[4].steps == 3);
  CHECK(seen[4].step_loss == history.losses[4]);
  CHECK(seen[5].loss == history.epochs[1].loss);
  CHECK(seen[5].loss ==
        Approx((8 * history.losses[3] + 8 * history.losses[4] + 4 * history.losses[5]) / 20));
}

TEST_CASE("evaluate and predict agree, and do not change the model", "[fit]") {
  const Dataset data = small_data(21, 6, 3);
  nn::Sequential model = small_model(4, 3);
  model.compile(on_cpu());
  model.fit(data, {.epochs = 3, .batch_size = 8});
  const auto before = weight_bits(model);
  const nn::Score whole = model.evaluate(data, {.batch_size = 21});
  const nn::Score ragged = model.evaluate(data, {.batch_size = 4});
  const nn::Tensor logits = model.predict({.rows = 21, .row_size = 6, .values = data.inputs});
  const nn::Score own = evaluate(nn::SoftmaxCrossEntropy{}, logits, data.labels);
  CHECK(whole.loss == Approx(ragged.loss).epsilon(1e-5));
  CHECK(whole.accuracy == ragged.accuracy);
  CHECK(own.loss == Approx(whole.loss).epsilon(1e-6));
  CHECK(weight_bits(model) == before);
}

TEST_CASE("a custom loop over train_batch does what fit does", "[fit]") {
  const Dataset data = small_data(40, 6, 3);
  nn::Sequential fitted = small_model(4, 3), own = small_model(4, 3);
  fitted.compile(on_cpu());
  auto options = on_cpu();
  options.input_shape = {6};
  own.compile(options);
  const auto history = fitted.fit(data, {.batch_size = 16, .seed = 5});
  nn::Batches batches(data, 16);
  batches.shuffle(5, 1);
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    batches.take(i);
    CHECK(own.train_batch(batches.inputs(), batches.labels()).loss == history.losses[i]);
  }
  CHECK(weight_bits(own) == weight_bits(fitted));
}

TEST_CASE("fit stops and names the step when the loss is not a number", "[fit]") {
  nn::Sequential model = small_model(3, 2);
  auto options = on_cpu();
  options.input_shape = {4};
  model.compile(options);
  nn::Parameter& bias = *model.parameters()[3];
  bias.value[0] = std::numeric_limits<float>::quiet_NaN();
  ++bias.version;
  const Dataset data = small_data(24, 4, 2);
  CHECK_THROWS_AS(model.fit(data, {.batch_size = 8}), nn::TrainingError);
  CHECK_THROWS_WITH(model.fit(data, {.batch_size = 8}), Catch::Contains("at epoch 1, step 1"));
}

TEST_CASE("data that is not finite is refused with the sample's place", "[fit]") {
  const float bad =
      GENERATE(std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity());
  Dataset data = small_data(8, 4, 2);
  data.inputs[5] = bad;
  nn::Sequential model = small_model(3, 2);
  model.compile(on_cpu());
  CHECK_THROWS_WITH(model.fit(data), Catch::Contains("small: value 1 of sample 1 is "));
  CHECK_THROWS_WITH(model.evaluate(data), Catch::Contains("value 1 of sample 1"));
  CHECK_THROWS_WITH(model.predict(data), Catch::Contains("value 1 of sample 1"));
  const Dataset good = small_data(8, 4, 2);
  CHECK_THROWS_WITH(model.fit(good, {.validation_data = &data}), Catch::Contains("sample 1"));
}

TEST_CASE("predict over a data set gives every sample's row, whatever the batch size", "[fit]") {
  const Dataset data = small_data(21, 6, 3);
  nn::Sequential model = small_model(4, 3);
  model.compile(on_cpu());
  model.fit(data);
  const nn::Tensor whole = model.predict({.rows = 21, .row_size = 6, .values = data.inputs});
  for (const std::int64_t batch_size : {1, 4, 21, 100}) {
    const nn::Tensor all = model.predict(data, {.batch_size = batch_size});
    REQUIRE(all.rows == 21);
    REQUIRE(all.row_size == 3);
    for (std::size_t i = 0; i < all.values.size(); ++i) {
      CHECK(all.values[i] == Approx(whole.values[i]).margin(1e-5));
    }
  }
}

TEST_CASE("fit refuses invalid options and data", "[fit]") {
  const Dataset data = small_data(20, 4, 2);
  nn::Sequential model = small_model(3, 2);
  CHECK_THROWS_WITH(model.fit(data), Catch::Contains("call compile"));
  CHECK_THROWS_WITH(model.evaluate(data), Catch::Contains("call compile"));
  model.compile(on_cpu());
  CHECK_THROWS_WITH(model.predict({.rows = 1, .row_size = 4, .values = {1, 2, 3, 4}}),
                    Catch::Contains("input_shape"));
  CHECK_THROWS_WITH(model.fit(data, {.epochs = 0}), Catch::Contains("epochs is 0"));
  CHECK_THROWS_WITH(model.fit(data, {.batch_size = -1}), Catch::Contains("batch_size is -1"));
  CHECK_THROWS_WITH(model.fit(data, {.batch_size = 8, .steps_per_epoch = 4}),
                    Catch::Contains("3 batches of 8"));
  CHECK_THROWS_WITH(model.fit(data, {.batch_size = 8, .steps_per_epoch = 0}),
                    Catch::Contains("steps_per_epoch is 0"));
  CHECK_THROWS_WITH(model.fit(data.first(0)), Catch::Contains("empty"));
  model.fit(data);
  CHECK_THROWS_WITH(model.fit(small_data(20, 5, 2)), Catch::Contains("samples of 4, not 5"));
  CHECK_THROWS_WITH(model.fit(small_data(20, 4, 3)), Catch::Contains("label 2"));
  Dataset uneven = data;
  uneven.inputs.pop_back();
  CHECK_THROWS_WITH(model.fit(uneven), Catch::Contains("79 input values"));
}

}  // namespace systole::tests
