#include "host/cli/configuration_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "host/cli/file_options.h"
#include "host/cli/usage_error.h"
#include "host/device/configurations.h"
#include "host/energy/energy_table.h"
#include "host/report/recorded_run.h"

namespace systole {
namespace {

using enum Allowed;

void need_known(const FieldReader& object, std::initializer_list<std::string_view> keys) {
  object.need_known(std::span(keys.begin(), keys.size()));
}

EnergyOptions read_energy(const FieldReader& in, int array_size) {
  EnergyOptions options;
  need_known(in, {"process", "memory", "static_watts", "static_source", "picojoules", "source"});
  in.given("process", options.process);
  in.given("memory", options.memory);
  in.given("static_watts", options.static_watts, kPositive);
  if (options.static_watts > 0) options.static_source = "assumed";
  in.given("static_source", options.static_source);
  in.given("source", options.source);
  in.given_object("picojoules", [&](const FieldReader& numbers) {
    numbers.need_known(energy::kCostNames);
    for (const std::string_view name : energy::kCostNames) {
      double picojoules = 0;
      numbers.given(std::string(name).c_str(), picojoules, kPositive);
      if (picojoules > 0) options.picojoules.emplace(name, picojoules);
    }
  });
  if (!options.picojoules.empty() && options.source.empty()) {
    in.refuse("no key 'source': where the numbers of picojoules come from");
  }
  try {
    energy::make_table(options, array_size);
  } catch (const std::invalid_argument& error) {
    in.refuse(error.what());
  }
  return options;
}

Configuration read_file(const std::string& path) {
  if (!std::ifstream(path)) {
    std::vector<std::string_view> names;
    for (const Configuration& one : configurations()) names.push_back(one.name);
    throw UsageError(fmt::format("{}: neither a configuration ({}) nor a readable file", path,
                                 fmt::join(names, ", ")));
  }
  const nlohmann::ordered_json json = read_json(path);
  const FieldReader top(json, path);
  Configuration all;
  DeviceOptions& options = all.options;
  need_known(top,
             {"array", "clock_mhz", "clock_source", "memory", "buffers", "host_link", "energy"});
  top.field("array", options.array_size, kPositive);
  top.given("clock_mhz", options.clock_mhz, kPositive);
  top.given("clock_source", options.clock_source);
  top.given_object("memory", [&](const FieldReader& memory) {
    need_known(memory, {"latency_cycles", "bytes_per_cycle", "bus_bytes", "mib"});
    memory.given("latency_cycles", options.memory.latency_cycles, kPositive);
    memory.given("bytes_per_cycle", options.memory.bytes_per_cycle, kPositive);
    memory.given("bus_bytes", options.memory.bus_bytes, kPositive);
    memory.given("mib", options.memory.mib, kPositive);
  });
  top.given_object("buffers", [&](const FieldReader& buffers) {
    need_known(buffers, {"bank_rows", "row_words", "weight_words", "mask_words"});
    buffers.given("bank_rows", options.buffers.bank_rows, kPositive);
    buffers.given("row_words", options.buffers.row_words, kPositive);
    buffers.given("weight_words", options.buffers.weight_words, kPositive);
    buffers.given("mask_words", options.buffers.mask_words, kPositive);
  });
  top.given_object("host_link", [&](const FieldReader& link) {
    need_known(link, {"gbit_per_second", "latency_us", "source"});
    options.host_link.source = "assumed";
    link.field("gbit_per_second", options.host_link.gbit_per_second, kPositive);
    link.given("latency_us", options.host_link.latency_us, kPositive);
    link.given("source", options.host_link.source);
  });
  top.given_object("energy", [&](const FieldReader& energy) {
    all.energy = read_energy(energy, options.array_size);
  });
  return all;
}

Configuration read(const std::string& word) {
  const Configuration* known = find_configuration(word);
  if (known != nullptr) return *known;
  try {
    return read_file(word);
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

std::string configuration_word(const CLI::App& command) {
  return command.count("--config") == 0 ? "" : command["--config"]->as<std::string>();
}

DeviceOptions configuration_of(const std::string& word) { return read(word).options; }

EnergyOptions energy_of_configuration(const std::string& word) {
  return word.empty() ? configurations().front().energy : read(word).energy;
}

void configure(DeviceOptions& options, const DeviceOptions& chosen) {
  options.array_size = chosen.array_size;
  options.clock_mhz = chosen.clock_mhz;
  options.clock_source = chosen.clock_source;
  options.memory = chosen.memory;
  options.buffers = chosen.buffers;
  options.host_link = chosen.host_link;
}

void add_configuration_option(CLI::App& command, DeviceOptions& options) {
  reads_file(
      command
          .add_option_function<std::string>(
              "--config",
              [&options](const std::string& word) { configure(options, configuration_of(word)); },
              "Array, clock and memory of the device: a name that `systole devices` lists, or a "
              "JSON file")
          ->type_name("NAME|FILE.json"));
}

}  // namespace systole
