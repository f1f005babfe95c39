#include "host/pjrt/client.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/device/backend.h"
#include "host/device/device.h"
#include "host/nn/layers/dense.h"
#include "host/nn/training/sequential.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

/// The fake plugin with a fault: a file of its own, because a process opens each path once.
class FaultyPlugin {
 public:
  explicit FaultyPlugin(const char* fault) : path_(folder_.file(std::string(fault) + ".so")) {
    std::filesystem::copy_file(SYSTOLE_FAKE_PJRT, path_);
    setenv("FAKE_PJRT", fault, 1);
  }
  ~FaultyPlugin() { unsetenv("FAKE_PJRT"); }
  const std::string& path() const { return path_; }

  /// The message without the path.
  std::string refusal() const {
    try {
      Device::open("pjrt:" + path_);
    } catch (const std::exception& error) {
      std::string text = error.what();
      const std::size_t at = text.find(path_);
      if (at != std::string::npos) text.replace(at, path_.size(), "P");
      return text;
    }
    return "opened";
  }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

TEST_CASE("a file that is missing, or no plugin, is refused in one line", "[pjrt]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(Device::open("pjrt:/none.so"),
                    "no PJRT plugin at '/none.so': name the plugin's library, as in "
                    "pjrt:/path/to/xla_cuda_plugin.so");
  CHECK_THROWS_WITH(Device::open("pjrt:"), "device 'pjrt:' needs a place, as in pjrt:PATH");
  CHECK_THROWS_WITH(Device::open("pjrt"), "device 'pjrt' needs a place, as in pjrt:PATH");
  const std::string text = folder.file("text.so");
  std::ofstream(text) << "not a library";
  CHECK_THROWS_WITH(Device::open("pjrt:" + text),
                    Catch::StartsWith("'" + text + "' is no PJRT plugin: "));
  // A library of the system.
  CHECK_THROWS_WITH(Device::open("pjrt:/lib/x86_64-linux-gnu/libm.so.6"),
                    "'/lib/x86_64-linux-gnu/libm.so.6' is no PJRT plugin: it has no function "
                    "GetPjrtApi");
  CHECK(FaultyPlugin("no_table").refusal() == "'P' is no PJRT plugin: GetPjrtApi returns nothing");
}

TEST_CASE("a plugin of an older API is refused with both versions", "[pjrt]") {
  const std::string wanted =
      ", and this systole needs 0.90 or a later 0.x: install a plugin of another version";
  CHECK(FaultyPlugin("old_major").refusal() == "the plugin 'P' has PJRT -1.90" + wanted);
  CHECK(FaultyPlugin("old_minor").refusal() == "the plugin 'P' has PJRT 0.89" + wanted);
  CHECK(FaultyPlugin("short").refusal() == "the plugin 'P' has PJRT 0.90" + wanted);
}

TEST_CASE("a plugin without a device is refused, with its own words if it has some", "[pjrt]") {
  CHECK(FaultyPlugin("no_device").refusal() == "the plugin 'P' has no device");
  CHECK(FaultyPlugin("no_gpu").refusal() ==
        "the plugin 'P' has no device to open: FAILED_PRECONDITION: No visible GPU devices. at "
        "x.cc:1");
}

TEST_CASE("what a plugin does not compile or hold is an error with its words", "[pjrt]") {
  const FaultyPlugin plugin("none");
  const pjrt::Client& client = pjrt::Client::open(plugin.path());
  CHECK(&pjrt::Client::open(plugin.path()) == &client);
  CHECK_THROWS_AS(client.compile("module {}"), DeviceError);
  CHECK_THROWS_WITH(client.compile("module {}"),
                    Catch::EndsWith("does not compile the step: UNIMPLEMENTED: no such operation"));
  pjrt::Event done;
  const float value = 1;
  CHECK_THROWS_AS(client.put(pjrt::abi::BufferType::kF32, {}, &value, done), MemoryFull);
  CHECK_THROWS_WITH(
      client.put(pjrt::abi::BufferType::kF32, {}, &value, done),
      Catch::EndsWith("cannot copy a tensor to its device: RESOURCE_EXHAUSTED: Out of memory"));
}

TEST_CASE("libtpu does not wait for a metadata server unless the user wants it", "[pjrt]") {
  unsetenv("TPU_SKIP_MDS_QUERY");
  const FaultyPlugin plugin("query");
  CHECK(pjrt::Client::open(plugin.path()).info().platform == "1");
  setenv("TPU_SKIP_MDS_QUERY", "0", 1);
  const FaultyPlugin other("other_query");
  CHECK(pjrt::Client::open(other.path()).info().platform == "0");
  unsetenv("TPU_SKIP_MDS_QUERY");
}

TEST_CASE("a device behind a plugin refuses what it does not do", "[pjrt]") {
  const FaultyPlugin plugin("refusals");
  const std::string name = "pjrt:" + plugin.path();
  CHECK_THROWS_WITH(Device::open(name, {.check_per_mille = 1}),
                    "device 'pjrt' is not checked against RTL: only 'model' is");
  const Device device = Device::open(name);
  CHECK_THROWS_WITH(device.backend().run({}),
                    "device 'pjrt' runs whole training steps alone: use model, rtl or cpu");
  CHECK_THROWS_WITH(device.watch_programs({}),
                    "device 'pjrt' runs no programs to watch: use model or rtl");
  nn::Sequential model{nn::Dense{.units = 2}};
  CHECK_THROWS_WITH(
      model.compile({.device = device, .precision = DataType::kInt8, .input_shape = nn::Shape{3}}),
      "device 'pjrt' computes steps in fp32 or bf16, not int8");
}

TEST_CASE("train refuses options that a plugin's device does not have", "[pjrt]") {
  const FaultyPlugin plugin("train");
  const auto refusal = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"train", "mnist-mlp", "--device", "pjrt:" + plugin.path()};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramRun run = run_program(words);
    CHECK(run.exit_code == 2);
    return run.errors;
  };
  using Catch::Contains;
  CHECK_THAT(refusal({"--check-rtl", "5"}), Contains("is not checked against RTL"));
  CHECK_THAT(refusal({"--cores", "2"}), Contains("has one; omit the number of cores"));
  CHECK_THAT(refusal({"--precision", "int8"}), Contains("fp32 or bf16, not int8"));
  CHECK_THAT(refusal({"--timeline", plugin.path() + ".html"}), Contains("runs no programs to"));
  CHECK_THAT(refusal({"--array", "8"}), Contains("--array"));
}

}  // namespace
}  // namespace systole::tests
