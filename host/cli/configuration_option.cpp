#include "host/cli/configuration_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "host/cli/file_options.h"
#include "host/cli/usage_error.h"
#include "host/data/strict_json.h"
#include "host/device/configurations.h"
#include "host/energy/energy_table.h"

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

/// An object of the file, by its path in it: "memory." or "".
class Section {
 public:
  Section(const std::string& path, std::string place, const Json& object,
          std::initializer_list<std::string_view> keys)
      : Section(path, std::move(place), object, std::span(keys.begin(), keys.size())) {}
  Section(const std::string& path, std::string place, const Json& object,
          std::span<const std::string_view> keys)
      : path_(path), place_(std::move(place)), object_(object) {
    if (!object.is_object()) refuse(place_.empty() ? "the file" : place_, "an object", object);
    for (const auto& [key, value] : object.items()) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      throw UsageError(fmt::format("{}: unknown key \"{}{}\": choose from {}", path_, prefix(), key,
                                   fmt::join(keys, ", ")));
    }
  }

  template <std::integral Whole>
  void read(const char* key, Whole& value) const {
    const auto found = object_.find(key);
    if (found == object_.end()) return;
    const bool whole = found->is_number_integer() || found->is_number_unsigned();
    const auto number = whole ? found->get<std::int64_t>() : 0;
    if (!whole || number < 1 || number > std::numeric_limits<int>::max()) {
      refuse(prefix() + key, "a whole number of 1 or more", *found);
    }
    value = static_cast<Whole>(number);
  }
  void read(const char* key, double& value) const {
    const auto found = object_.find(key);
    if (found == object_.end()) return;
    if (!found->is_number() || found->get<double>() <= 0) {
      refuse(prefix() + key, "a number above 0", *found);
    }
    value = found->get<double>();
  }
  void read(const char* key, std::string& value) const {
    const auto found = object_.find(key);
    if (found == object_.end()) return;
    if (!found->is_string()) refuse(prefix() + key, "a text", *found);
    value = found->get<std::string>();
  }
  const Json* section(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  bool has(const char* key) const { return object_.contains(key); }

 private:
  const std::string& path_;
  std::string place_;
  const Json& object_;

  std::string prefix() const { return place_.empty() ? "" : place_ + "."; }
  [[noreturn]] void refuse(const std::string& key, std::string_view wanted,
                           const Json& value) const {
    throw UsageError(fmt::format("{}: \"{}\" must be {}, not {}", path_, key, wanted,
                                 value.dump().substr(0, 60)));
  }
};

Json parse(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw UsageError(fmt::format("{}: a folder, not a file of JSON", path));
  }
  std::ifstream file(path);
  if (!file) {
    std::vector<std::string_view> names;
    for (const Configuration& one : configurations()) names.push_back(one.name);
    throw UsageError(fmt::format("{}: neither a configuration ({}) nor a readable file", path,
                                 fmt::join(names, ", ")));
  }
  try {
    return parse_strictly(std::string(std::istreambuf_iterator<char>(file), {}));
  } catch (const Json::exception& error) {
    throw UsageError(fmt::format("{}: not JSON: {}", path, error.what()));
  } catch (const std::runtime_error& error) {
    throw UsageError(fmt::format("{}: {}", path, error.what()));
  }
}

EnergyOptions read_energy(const std::string& path, const Json& json, int array_size) {
  EnergyOptions options;
  const Section energy(
      path, "energy", json,
      {"process", "memory", "static_watts", "static_source", "picojoules", "source"});
  energy.read("process", options.process);
  energy.read("memory", options.memory);
  energy.read("static_watts", options.static_watts);
  if (options.static_watts > 0) options.static_source = "assumed";
  energy.read("static_source", options.static_source);
  energy.read("source", options.source);
  if (const Json* own = energy.section("picojoules")) {
    const Section numbers(path, "energy.picojoules", *own, energy::kCostNames);
    for (const std::string_view name : energy::kCostNames) {
      double picojoules = 0;
      numbers.read(std::string(name).c_str(), picojoules);
      if (picojoules > 0) options.picojoules.emplace(name, picojoules);
    }
    if (!options.picojoules.empty() && options.source.empty()) {
      throw UsageError(fmt::format(
          "{}: \"energy.source\" is missing: where the numbers of picojoules come from", path));
    }
  }
  try {
    energy::make_table(options, array_size);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("{}: {}", path, error.what()));
  }
  return options;
}

Configuration read_file(const std::string& path) {
  const Json json = parse(path);
  Configuration all;
  DeviceOptions& options = all.options;
  const Section top(
      path, "", json,
      {"array", "clock_mhz", "clock_source", "memory", "buffers", "host_link", "energy"});
  if (!top.has("array")) {
    throw UsageError(fmt::format("{}: \"array\" is missing: N of the N x N array", path));
  }
  top.read("array", options.array_size);
  top.read("clock_mhz", options.clock_mhz);
  top.read("clock_source", options.clock_source);
  if (const Json* json_memory = top.section("memory")) {
    const Section memory(path, "memory", *json_memory,
                         {"latency_cycles", "bytes_per_cycle", "bus_bytes", "mib"});
    memory.read("latency_cycles", options.memory.latency_cycles);
    memory.read("bytes_per_cycle", options.memory.bytes_per_cycle);
    memory.read("bus_bytes", options.memory.bus_bytes);
    memory.read("mib", options.memory.mib);
  }
  if (const Json* json_buffers = top.section("buffers")) {
    const Section buffers(path, "buffers", *json_buffers,
                          {"bank_rows", "row_words", "weight_words", "mask_words"});
    buffers.read("bank_rows", options.buffers.bank_rows);
    buffers.read("row_words", options.buffers.row_words);
    buffers.read("weight_words", options.buffers.weight_words);
    buffers.read("mask_words", options.buffers.mask_words);
  }
  if (const Json* json_link = top.section("host_link")) {
    const Section link(path, "host_link", *json_link, {"gbit_per_second", "latency_us", "source"});
    options.host_link.source = "assumed";
    link.read("gbit_per_second", options.host_link.gbit_per_second);
    link.read("latency_us", options.host_link.latency_us);
    link.read("source", options.host_link.source);
    if (!link.has("gbit_per_second")) {
      throw UsageError(fmt::format("{}: \"host_link.gbit_per_second\" is missing", path));
    }
  }
  if (const Json* json_energy = top.section("energy")) {
    all.energy = read_energy(path, *json_energy, options.array_size);
  }
  return all;
}

Configuration read(const std::string& word) {
  const Configuration* known = find_configuration(word);
  return known != nullptr ? *known : read_file(word);
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
