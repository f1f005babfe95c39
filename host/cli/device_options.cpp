#include "host/cli/device_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "host/cli/configuration_option.h"
#include "host/cli/file_options.h"
#include "host/cli/usage_error.h"
#include "host/device/disk_cache.h"

namespace systole {
namespace {

bool all_digits(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string check_positive_whole(const std::string& word) {
  const bool zero = word.find_first_not_of('0') == std::string::npos;
  // 18 digits always fit an int64.
  if (all_digits(word) && !zero && word.size() <= 18) return {};
  return fmt::format("'{}' is not a whole number of 1 or more", word);
}

std::string check_seed(const std::string& word) {
  if (all_digits(word) && word.size() <= 19) return {};
  return fmt::format("'{}' is not a whole number of at most 19 digits", word);
}

// $SYSTOLE_DEVICE takes NAME:CORES, `compare` NAME:STEPS; here the number has an option of its own.
std::string check_one_device(const CLI::App& command, const std::string& word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos || Device::is_placed(word)) return {};
  const bool has_cores = command.get_option_no_throw("--cores") != nullptr;
  return fmt::format("'{}': name the device alone, {}{}", word, word.substr(0, colon),
                     has_cores ? "; --cores COUNT sets the number of cores" : "");
}

}  // namespace

const CLI::Validator kPositiveWhole{check_positive_whole, ""};

std::string device_names() { return fmt::format("{}", fmt::join(Device::names(), ", ")); }

std::string default_device() {
  for (const DeviceInfo& info : Device::list()) {
    if (info.name == "model") return info.name;
  }
  return "cpu";
}

void add_device_option(CLI::App& command, std::string& device) {
  command.add_option("--device", device, "Device to run on: " + device_names())
      ->check(CLI::Validator(
          [&command](const std::string& word) { return check_one_device(command, word); }, ""))
      ->type_name("NAME")
      ->capture_default_str();
}

void add_size_options(CLI::App& command, DeviceOptions& options) {
  add_configuration_option(command, options);  // first, so that the others override it
  add_count(command, "--array", options.array_size, "N of the device's N x N array", "N");
  command
      .add_option("--bus-bytes", options.memory.bus_bytes,
                  "Width of its memory bus: N, 2 N or 4 N bytes (default: N)")
      ->check(kPositiveWhole)
      ->type_name("BYTES");
}

void add_machine_options(CLI::App& command, DeviceOptions& options) {
  add_size_options(command, options);
  add_count(command, "--threads", options.threads,
            "CPU threads for cpu and model; several cores run side by side");
  command
      .add_option("--clock-mhz", options.clock_mhz,
                  "Device clock that turns cycles into seconds; assumed, not measured")
      ->check(takes_number<double>("a number of megahertz above 0",
                                   [](double megahertz) { return megahertz > 0; }))
      ->type_name("MHZ")
      ->capture_default_str();
}

void add_check_option(CLI::App& command, DeviceOptions& options) {
  command
      .add_option(
          "--check-rtl", options.check_per_mille,
          "Run the first program of the model on the RTL as well, and this many in a thousand "
          "of the later ones; stop at the first difference in bits or clocks")
      ->check(CLI::Range(0.0, 1000.0).description(""))
      ->type_name("PER_MILLE");
}

void add_seed_option(CLI::App& command, std::uint64_t& seed) {
  command.add_option("--seed", seed, "Seed of the random numbers")
      ->check(CLI::Validator(check_seed, ""))
      ->type_name("SEED")
      ->capture_default_str();
}

void add_json_option(CLI::App& command, std::string& path) {
  writes_file(
      command.add_option("--json", path, "Also write the result as one JSON object to this file")
          ->type_name("FILE"));
}

std::string configuration_name(const CLI::App& command) {
  for (const char* changed : {"--array", "--bus-bytes", "--clock-mhz"}) {
    if (command.count(changed) > 0) return {};
  }
  return configuration_word(command);
}

std::string reason_unused(std::string_view device, std::string_view option) {
  struct Unused {
    std::string_view device, why;
    std::vector<std::string_view> options;
  };
  static const std::vector<Unused> all{
      {"cpu",
       "cpu has no array, no bus and no clock",
       {"--config", "--array", "--bus-bytes", "--clock-mhz"}},
      {"pjrt",
       "a plugin's device is as it is",
       {"--config", "--array", "--bus-bytes", "--threads", "--clock-mhz"}},
      {"board", "a board is as it is", {"--config", "--bus-bytes", "--threads", "--clock-mhz"}}};
  for (const Unused& unused : all) {
    if (device.substr(0, device.find(':')) != unused.device) continue;
    if (std::ranges::find(unused.options, option) != unused.options.end()) {
      return std::string(unused.why);
    }
  }
  return {};
}

void need_used_options(const CLI::App& command,
                       const std::function<std::string(std::string_view option)>& reason) {
  for (const char* option : {"--config", "--array", "--bus-bytes", "--threads", "--clock-mhz"}) {
    if (command.get_option_no_throw(option) == nullptr || command.count(option) == 0) continue;
    const std::string why = reason(option);
    if (!why.empty()) throw UsageError(fmt::format("{}: {}; leave this out", option, why));
  }
}

void need_used_options(const CLI::App& command, std::string_view device) {
  need_used_options(command,
                    [&](std::string_view option) { return reason_unused(device, option); });
}

Device open_device(std::string_view name, const DeviceOptions& options) {
  return as_usage([&] { return Device::open(name, options); });
}

void note_cache(const Device& device) {
  if (device.info().array_size == 0) return;
  const std::string trouble = DiskCache(DiskCache::users_folder()).trouble();
  if (trouble.empty()) return;
  fmt::print(stderr, "note: programs are planned and timed again in each run: {}\n", trouble);
}

}  // namespace systole
