// Trainings on a plugin's device, beside those on cpu.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/nn/callbacks/model_checkpoint.h"
#include "host/nn/training/checkpoint.h"
#include "host/nn/training/models.h"
#include "host/nn/training/sequential.h"
#include "tests/cli/systole_runs.h"
#include "tests/data/idx_files.h"
#include "tests/nn/training/small_model.h"
#include "tests/pjrt/cpu_plugin.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

// fp32 sums in another order, over ten steps.
constexpr double kTolerance = 1e-5;
constexpr std::int64_t kSteps = 10, kBatch = 8;

Dataset letters(const nn::Shape& shape, std::int64_t count) {
  Random random(0x9002);
  Dataset data{.name = "letters",
               .sample_shape = shape,
               .inputs = {},
               .labels = {},
               .labels_per_sample = shape[0]};
  for (std::int64_t i = 0; i < count * shape[0]; ++i) {
    data.inputs.push_back(static_cast<float>(random.below(27)));
    data.labels.push_back(static_cast<std::int32_t>(random.below(27)));
  }
  return data;
}

Dataset images(const nn::Shape& shape, std::int64_t count) {
  Random random(0x9001);
  Dataset data{.name = "images", .sample_shape = shape, .inputs = {}, .labels = {}};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::int32_t>(random.below(10));
    for (std::int64_t k = 0; k < nn::size_of(shape); ++k) {
      const float noise = static_cast<float>(random.below(1 << 10)) * 0x1p-10f;
      data.inputs.push_back(k % 10 == label ? noise : 0.5f * noise);
    }
    data.labels.push_back(label);
  }
  return data;
}

struct Result {
  std::vector<double> losses;
  nn::Score score;
  std::vector<float> predictions;
  std::vector<std::uint32_t> weights;
};

Result train(const nn::Model& network, const nn::Optimizer& optimizer, const Device& device,
             std::int64_t steps_per_execution) {
  nn::Sequential model(network.layers);
  model.compile({.optimizer = optimizer,
                 .device = device,
                 .precision = DataType::kFp32,
                 .steps_per_execution = steps_per_execution});
  const Dataset data = network.is_of_text() ? letters(network.input_shape, kSteps * kBatch)
                                            : images(network.input_shape, kSteps * kBatch);
  Result result;
  result.losses = model.fit(data, {.batch_size = kBatch}).losses;
  result.score = model.evaluate(data, {.batch_size = kBatch});
  result.predictions = model.predict(data, {.batch_size = kBatch}).values;
  result.weights = weight_bits(model);
  return result;
}

TEST_CASE("ten losses of networks are cpu's, dropout included", "[pjrt]") {
  const std::string plugin = cpu_plugin();
  if (plugin.empty()) return;
  for (const std::string& name : nn::model_names()) {
    if (name == "cifar10-cnn") continue;  // see below
    const nn::Model network = nn::find_model(name);
    for (const nn::Optimizer& optimizer :
         {nn::Optimizer(network.sgd), nn::Optimizer(network.adam)}) {
      INFO(name << ", " << nn::describe(optimizer));
      const Result expected = train(network, optimizer, Device::open("cpu"), 1);
      const Result found = train(network, optimizer, Device::open("pjrt:" + plugin), 4);
      REQUIRE(found.losses.size() == kSteps);
      for (std::size_t i = 0; i < found.losses.size(); ++i) {
        INFO("step " << i);
        CHECK(found.losses[i] == Approx(expected.losses[i]).epsilon(kTolerance).margin(kTolerance));
      }
      CHECK(found.score.loss == Approx(expected.score.loss).epsilon(10 * kTolerance));
      CHECK(found.predictions.size() == expected.predictions.size());
    }
  }
}

/// Writes the six files of CIFAR-10, with `images` images each.
void write_small_cifar10(const std::filesystem::path& folder, int images) {
  std::filesystem::create_directories(folder);
  Random random(0x9003);
  for (int file = 1; file <= 6; ++file) {
    std::vector<std::uint8_t> bytes;
    for (int i = 0; i < images; ++i) {
      bytes.push_back(static_cast<std::uint8_t>(random.below(10)));
      for (int k = 0; k < 3 * 32 * 32; ++k) {
        bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
      }
    }
    write_bytes(folder / (file == 6 ? "test_batch.bin" : fmt::format("data_batch_{}.bin", file)),
                bytes);
  }
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(a[i] - b[i], 2);
    size += std::pow(a[i], 2);
  }
  return std::sqrt(difference / size);
}

// Where two pixels of a pooling's window are equal but for rounding, the gradient goes to one or
// the other. That happens in one of some ten batches here, and batch normalization then drives two
// trainings apart. So each step starts at cpu's weights, and of gradients most are compared.
TEST_CASE("ten steps of cifar10-cnn from cpu's weights have cpu's loss and gradients", "[pjrt]") {
  const std::string plugin = cpu_plugin();
  if (plugin.empty()) return;
  const nn::Model network = nn::find_model("cifar10-cnn");
  const Dataset data = images(network.input_shape, kSteps * kBatch);
  nn::Sequential ours(network.layers), other(network.layers);
  for (nn::Sequential* model : {&ours, &other}) {
    model->compile({.optimizer = network.sgd,
                    .device = Device::open(model == &ours ? "cpu" : "pjrt:" + plugin),
                    .precision = DataType::kFp32,
                    .input_shape = network.input_shape});
  }
  std::int64_t equal = 0, compared = 0;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    INFO("step " << step);
    const std::int64_t size = kBatch * nn::size_of(network.input_shape);
    nn::Tensor x;
    x.resize(kBatch, nn::size_of(network.input_shape));
    std::copy_n(data.inputs.begin() + step * size, size, x.values.begin());
    const auto labels =
        std::span(data.labels).subspan(static_cast<std::size_t>(step * kBatch), kBatch);
    const auto parameters = ours.parameters(), others = other.parameters();
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      others[k]->value = parameters[k]->value;
      ++others[k]->version;
    }
    ours.compute_gradients(x, labels);
    other.compute_gradients(x, labels);
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if (!parameters[k]->name.ends_with(".weight")) continue;
      ++compared;
      if (distance(parameters[k]->gradient, others[k]->gradient) <= kTolerance) ++equal;
    }
    const double expected = ours.train_batch(x, labels).loss;
    CHECK(other.train_batch(x, labels).loss ==
          Approx(expected).epsilon(kTolerance).margin(kTolerance));
  }
  CHECK(compared == 5 * kSteps);
  CHECK(equal >= compared * 4 / 5);
}

TEST_CASE("a plugin's steps are the same for any number in a launch", "[pjrt]") {
  const std::string plugin = cpu_plugin();
  if (plugin.empty()) return;
  const nn::Model network = nn::find_model("mnist-mlp", 0.25f);
  const Device device = Device::open("pjrt:" + plugin);
  const Result one = train(network, network.adam, device, 1);
  const Result seven = train(network, network.adam, device, 7);
  CHECK(seven.losses == one.losses);
  CHECK(seven.weights == one.weights);
  CHECK(seven.predictions == one.predictions);
}

TEST_CASE("a plugin's training continues from a checkpoint, also on cpu", "[pjrt]") {
  const std::string plugin = cpu_plugin();
  if (plugin.empty()) return;
  const TemporaryFolder folder;
  const nn::Model network = nn::find_model("mnist-mlp", 0.25f);
  const Dataset data = images(network.input_shape, kSteps * kBatch);
  const auto fit = [&](const std::string& device, std::int64_t epochs, const nn::Checkpoint* from) {
    nn::Sequential model(network.layers);
    model.compile({.device = Device::open(device), .precision = DataType::kFp32});
    nn::ModelCheckpoint saved({.path = folder.file("run.safetensors")});
    nn::FitOptions options{.epochs = epochs, .batch_size = kBatch, .resume = from};
    if (from == nullptr) options.callbacks = {&saved};
    return model.fit(data, options).losses;
  };
  const std::vector<double> whole = fit("cpu", 2, nullptr);
  fit("pjrt:" + plugin, 1, nullptr);
  const nn::Checkpoint saved = nn::Checkpoint::load(folder.file("run.safetensors"));
  for (const std::string& device : {std::string("cpu"), "pjrt:" + plugin}) {
    const std::vector<double> resumed = fit(device, 2, &saved);
    REQUIRE(resumed.size() == whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      CHECK(resumed[i] == Approx(whole[i]).epsilon(kTolerance).margin(kTolerance));
    }
  }
}

TEST_CASE("compare and report show a plugin's device with its name, measured", "[pjrt]") {
  const std::string plugin = cpu_plugin();
  if (plugin.empty()) return;
  const TemporaryFolder folder;
  write_small_cifar10(folder.file("data"), 8);
  const auto compare = [&](const std::string& devices, const std::string& json) {
    const ProgramRun run = run_program({"compare", "cifar10-cnn", "--data-dir", folder.file("data"),
                                        "--devices", devices, "--batch-sizes", "16", "--json",
                                        folder.file(json), "--plot", folder.file("page")});
    INFO(run.errors);
    REQUIRE(run.exit_code == 0);
    return nlohmann::ordered_json::parse(read_file(folder.file(json)));
  };
  const std::string simulated = has_device("model") ? ",model@tpu-v2-core" : "";
  const auto all = compare("cpu,pjrt:" + plugin + simulated, "all.json");
  const auto& run = all["runs"][1];
  CHECK(run["config"]["device"] == "pjrt");
  CHECK(run["config"]["platform"] == "cpu");
  CHECK(run["config"]["chip"] == "cpu");
  CHECK_THAT(run["config"]["plugin"].get<std::string>(), Catch::StartsWith("PJRT 0."));
  CHECK(run["config"]["type"] == "bf16");
  CHECK(run["cycles"].is_null());
  REQUIRE(all["runs"].size() == (simulated.empty() ? 2 : 3));
  if (!simulated.empty()) {
    CHECK(all["runs"][2]["config"]["configuration"] == "tpu-v2-core");
    CHECK(all["runs"][2]["cycles"] > 0);
  }
  const std::string page = read_file(folder.file("page/compare.html"));
  CHECK_THAT(page, Catch::Contains("pjrt, cpu (cpu), bf16"));
  CHECK_THAT(page, Catch::Contains("measured on cpu (cpu), PJRT 0."));

  // Where there is no such device, its record joins.
  compare("cpu" + simulated, "here.json");
  compare("pjrt:" + plugin, "there.json");
  const ProgramRun report =
      run_program({"report", folder.file("here.json"), folder.file("there.json"), "--output",
                   folder.file("joined.html")});
  INFO(report.errors);
  REQUIRE(report.exit_code == 0);
  CHECK_THAT(read_file(folder.file("joined.html")), Catch::Contains("pjrt, cpu (cpu), bf16"));
}

}  // namespace
}  // namespace systole::tests
