// Named configurations, configurations from files, and refused files.
#include "host/device/configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "host/cli/configuration_option.h"
#include "host/cli/usage_error.h"
#include "host/device/backend.h"
#include "host/device/registry.h"
#include "tests/host/product_case.h"

namespace systole::tests {
namespace {

/// A temporary file of a test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(
            std::filesystem::temp_directory_path() /
            ("systole_configuration_" + std::to_string(std::hash<std::string>()(text)) + ".json")) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

DeviceOptions read(const std::string& text) {
  const TemporaryFile file(text);
  return configuration_of(file.path());
}

/// Parses `words` like a command with the machine's options.
DeviceOptions parse(std::vector<std::string> words) {
  DeviceOptions options;
  CLI::App app;
  add_configuration_option(app, options);
  app.add_option("--array", options.array_size);
  std::reverse(words.begin(), words.end());
  app.parse(words);
  return options;
}

Product small_shape() {
  Product shape;
  shape.rows = 50;
  shape.depth = 150;
  shape.cols = 70;
  return shape;
}

}  // namespace

TEST_CASE("configurations have names, and the first is the default", "[configurations]") {
  const Configuration* first = find_configuration("default");
  REQUIRE(first == &configurations().front());
  CHECK(first->options.array_size == DeviceOptions{}.array_size);
  const Configuration* tpu = find_configuration("tpu-v2-core");
  REQUIRE(tpu != nullptr);
  CHECK(tpu->options.array_size == 128);
  CHECK(tpu->options.clock_mhz == 700);
  CHECK(tpu->options.memory.bus_bytes == 256);
  CHECK(find_configuration("tpu-v9") == nullptr);
}

TEST_CASE("other options override --config", "[configurations]") {
  CHECK(parse({"--config", "tpu-v2-core"}).array_size == 128);
  const DeviceOptions both = parse({"--array", "32", "--config", "tpu-v2-core"});
  CHECK(both.array_size == 32);
  CHECK(both.clock_mhz == 700);
}

TEST_CASE("a configuration is read from a file", "[configurations]") {
  const DeviceOptions options = read(R"({"array": 32, "clock_mhz": 312.5, "clock_source": "routed",
      "memory": {"latency_cycles": 100, "bytes_per_cycle": 16, "bus_bytes": 64, "mib": 100},
      "buffers": {"row_words": 4096},
      "host_link": {"gbit_per_second": 2.5, "latency_us": 3}})");
  CHECK(options.array_size == 32);
  CHECK(options.clock_mhz == 312.5);
  CHECK(options.clock_source == "routed");
  CHECK(options.memory.latency_cycles == 100);
  CHECK(options.memory.bytes_per_cycle == 16);
  CHECK(options.memory.bus_bytes == 64);
  CHECK(options.memory.mib == 100);
  CHECK(options.buffers.row_words == 4096);
  CHECK(options.buffers.bank_rows == BufferSizes{}.bank_rows);
  CHECK(options.host_link.gbit_per_second == 2.5);
  CHECK(options.host_link.latency_us == 3);
  CHECK(options.host_link.source == "assumed");
}

TEST_CASE("an invalid configuration is refused with its key", "[configurations]") {
  const auto [text, words] = GENERATE(table<std::string, std::string>(
      {{"{", "not JSON"},
       {R"({"array": 16, "array": 8})", "\"array\" occurs twice"},
       {R"({"array": 16, "memory": {"mib": 1, "mib": 2}})", "\"mib\" occurs twice"},
       {"[]", "an array, not an object"},
       {"{}", "no key 'array'"},
       {R"({"array": "16"})", "'array' is a string, not a whole number of 1 or more"},
       {R"({"array": 5000000000})", "'array' is 5000000000, not a whole number of 1 or more"},
       {R"({"array": 16.5})", "'array' is 16.5, not a whole number"},
       {R"({"array": 16, "clock_mhz": -1})", "'clock_mhz' is below 0"},
       {R"({"array": 16, "clock": 1})", "unknown key 'clock'"},
       {R"({"array": 16, "memory": 3})", ".json.memory: 3, not an object"},
       {R"({"array": 16, "memory": {"latency": 3}})", ".json.memory: unknown key 'latency'"},
       {R"({"array": 16, "memory": {"bytes_per_cycle": 0}})", "memory: 'bytes_per_cycle' is 0"},
       {R"({"array": 16, "memory": {"bus_bytes": "wide"}})", "memory: 'bus_bytes' is a string"},
       {R"({"array": 16, "buffers": {"mask_words": true}})", "buffers: 'mask_words' is a boolean"},
       {R"({"array": 16, "host_link": {"gbit_per_second": 0}})",
        "link: 'gbit_per_second' is not above 0"},
       {R"({"array": 16, "host_link": {"latency_us": 1}})", "no key 'gbit_per_second'"},
       {R"({"array": 16, "host_link": {"lanes": 16}})", "host_link: unknown key 'lanes'"}}));
  INFO(text);
  CHECK_THROWS_AS(read(text), UsageError);
  CHECK_THROWS_WITH(read(text), Catch::Contains(words));
}

TEST_CASE("neither a known name nor a file is refused with the known names", "[configurations]") {
  CHECK_THROWS_WITH(configuration_of("/nowhere/x.json"), Catch::Contains("tpu-v2-core"));
}

TEST_CASE("a simulated device has a link to its host", "[configurations]") {
  for (const BackendEntry& entry : backends()) {
    if (entry.array_sizes.empty()) continue;
    INFO(entry.info.name);
    const Device narrow = Device::open(entry.info.name, {.array_size = 4, .clock_mhz = 100});
    CHECK(narrow.info().host_link.gbit_per_second == Approx(3.2));
    CHECK_THAT(narrow.info().host_link.source, Catch::StartsWith("assumed"));
    const Link link{.gbit_per_second = 8, .latency_us = 2, .source = "measured"};
    const Device linked = Device::open(entry.info.name, {.array_size = 4, .host_link = link});
    CHECK(linked.info().host_link.seconds(1000) == Approx(3e-6));
    CHECK(linked.info().host_link.source == "measured");
  }
  CHECK(Link{}.seconds(1000) == 0);
}

TEST_CASE("devices refuse impossible memories and buffers", "[configurations]") {
  for (const BackendEntry& entry : backends()) {
    if (entry.array_sizes.empty()) continue;
    DeviceOptions options{.array_size = entry.array_sizes.front()};
    INFO(entry.info.name);
    const auto refused = [&](auto change) {
      DeviceOptions changed = options;
      change(changed);
      CHECK_THROWS_AS(Device::open(entry.info.name, changed), std::invalid_argument);
    };
    refused([](DeviceOptions& o) { o.memory.latency_cycles = 0; });
    refused([](DeviceOptions& o) { o.memory.bytes_per_cycle = -1; });
    refused([](DeviceOptions& o) { o.memory.mib = 0; });
    refused([](DeviceOptions& o) { o.memory.mib = 1 << 20; });
    refused([](DeviceOptions& o) { o.memory.bus_bytes = o.array_size / 2; });
    refused([](DeviceOptions& o) { o.memory.bus_bytes = 3 * o.array_size; });
    refused([](DeviceOptions& o) { o.memory.bus_bytes = 8 * o.array_size; });
    refused([](DeviceOptions& o) { o.buffers.row_words = 16384; });
    refused([](DeviceOptions& o) { o.buffers.bank_rows = 300; });
    refused([](DeviceOptions& o) { o.buffers.weight_words = o.array_size; });
  }
}

TEST_CASE("a device gives no more memory than its configuration has", "[configurations]") {
  for (const BackendEntry& entry : backends()) {
    if (entry.array_sizes.empty()) continue;
    INFO(entry.info.name);
    const Device device = Device::open(
        entry.info.name, {.array_size = entry.array_sizes.front(), .memory = {.mib = 1}});
    Memory& memory = device.backend().memory();
    const MemoryBlock half(memory, 1 << 19);
    CHECK_THROWS_WITH(MemoryBlock(memory, (1 << 19) + 1),
                      Catch::Contains("524288 of 1048576 are in use"));
    CHECK_NOTHROW(MemoryBlock(memory, 1 << 19));
  }
}

TEST_CASE("an array's RTL without the bus is refused", "[configurations]") {
  for (const BackendEntry& entry : backends()) {
    if (entry.info.name != "rtl" && entry.info.name != "systemc") continue;
    const int size = entry.array_sizes.back();
    CHECK_THROWS_WITH(
        Device::open(entry.info.name, {.array_size = size, .memory = {.bus_bytes = 2 * size}}),
        Catch::Contains(fmt::format("with a bus of {} bytes", 2 * size)));
  }
}

TEST_CASE("a product has the same bits with any memory and buffers", "[configurations]") {
  const BackendEntry* model = nullptr;
  for (const BackendEntry& entry : backends()) {
    if (entry.info.name == "model") model = &entry;
  }
  if (model == nullptr) return;
  const int size = GENERATE(4, 16, 128);
  const auto run = [&](const DeviceOptions& options) {
    const Device device = Device::open("model", options);
    std::vector<std::byte> result = run_case(make_case(small_shape(), 7), device);
    return std::pair(std::move(result), device.counters().cycles());
  };
  const auto usual = run({.array_size = size});
  const auto slow = run({.array_size = size, .memory = {.latency_cycles = 500}});
  const auto narrow = run({.array_size = size, .memory = {.bytes_per_cycle = size / 4}});
  const auto twice = run({.array_size = size, .memory = {.bus_bytes = 2 * size}});
  const auto wide = run({.array_size = size, .memory = {.bus_bytes = 4 * size}});
  const auto small = run({.array_size = size,
                          .buffers = {.bank_rows = size,
                                      .row_words = 4 * size,
                                      .weight_words = 4 * size,
                                      .mask_words = 4 * size}});
  CHECK(slow.first == usual.first);
  CHECK(narrow.first == usual.first);
  CHECK(small.first == usual.first);
  CHECK(twice.first == usual.first);
  CHECK(wide.first == usual.first);
  CHECK(twice.second < usual.second);
  CHECK(wide.second < usual.second);  // of short rows, twice the width is no faster
  CHECK(slow.second > usual.second + 800);
  CHECK(narrow.second > usual.second);
}

}  // namespace systole::tests
