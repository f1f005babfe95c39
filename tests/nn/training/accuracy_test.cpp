// Trains mnist-mlp like `systole train` and checks the accuracy it is known for. Skips a missing
// data set: scripts/fetch_data fetches it.
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

#include "host/data/datasets.h"
#include "host/data/file_bytes.h"
#include "host/nn/training/models.h"

namespace systole::tests {
namespace {

// The accuracy that bf16 products may cost: half a point.
constexpr double kBf16AccuracyTolerance = 0.005;

std::optional<SplitDataset> load_or_skip(const std::string& name) {
  for (const std::optional<std::filesystem::path>& folder :
       {std::optional<std::filesystem::path>{}, {std::filesystem::path(SYSTOLE_SOURCE_DATA)}}) {
    try {
      find_dataset(name, folder);
    } catch (const DataError&) {
      continue;
    }
    return load_dataset(name, folder);
  }
  WARN("skipped: " << name << " is missing; run scripts/fetch_data " << name);
  return {};
}

bool has_device(std::string_view name) {
  for (const DeviceInfo& info : Device::list()) {
    if (info.name == name) return true;
  }
  return false;
}

double accuracy(const SplitDataset& data, const std::string& device, std::int64_t epochs) {
  const nn::Model mlp = nn::find_model("mnist-mlp");
  nn::Sequential model(mlp.layers);
  model.compile({.optimizer = mlp.adam, .device = Device::open(device, {.threads = 2})});
  model.fit(data.train, {.epochs = epochs});
  return model.evaluate(data.test).accuracy;
}

}  // namespace

TEST_CASE("an epoch of Fashion-MNIST gives 83% in fp32, and bf16 costs at most half a point",
          "[accuracy]") {
  const auto data = load_or_skip("fashion-mnist");
  if (!data) return;
  const double fp32 = accuracy(*data, "cpu", 1);
  CHECK(fp32 >= 0.83);
  if (!has_device("model")) {
    WARN("skipped: this build has no model");
    return;
  }
  const double bf16 = accuracy(*data, "model", 1);
  CAPTURE(fp32, bf16);
  CHECK(bf16 >= fp32 - kBf16AccuracyTolerance);
}

TEST_CASE("three epochs of MNIST give 97%", "[accuracy]") {
  const auto data = load_or_skip("mnist");
  if (!data) return;
  CHECK(accuracy(*data, has_device("model") ? "model" : "cpu", 3) >= 0.97);
}

}  // namespace systole::tests
