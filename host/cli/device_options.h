#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "host/device/device.h"

namespace systole {

/// Options that commands share, with their help texts. The variables must outlive parsing and hold
/// the defaults, which help shows.
void add_device_option(CLI::App& command, std::string& device);
void add_size_options(CLI::App& command, DeviceOptions& options);     ///< config, array, bus
void add_machine_options(CLI::App& command, DeviceOptions& options);  ///< these, threads and clock
void add_check_option(CLI::App& command, DeviceOptions& options);     ///< --check-rtl
void add_seed_option(CLI::App& command, std::uint64_t& seed);
void add_json_option(CLI::App& command, std::string& path);

/// The --config of a command that changes nothing of it; else empty.
std::string configuration_name(const CLI::App& command);

/// Why the device has no use for an option of add_machine_options, such as "cpu has no array"; else
/// empty.
std::string reason_unused(std::string_view device, std::string_view option);

/// Refuses an option of add_machine_options that was given and that has a reason to be left out.
void need_used_options(const CLI::App& command,
                       const std::function<std::string(std::string_view option)>& reason);
void need_used_options(const CLI::App& command, std::string_view device);

/// "cpu, model, rtl": the devices of this build.
std::string device_names();

/// `model` if this build has it, else `cpu`.
std::string default_device();

/// Device::open, with its refusals as usage errors.
Device open_device(std::string_view name, const DeviceOptions& options);

/// Says on stderr if what a device's programs need cannot be kept for the next run.
void note_cache(const Device& device);

/// Checks an option's value: a whole number of 1 or more.
extern const CLI::Validator kPositiveWhole;

/// Adds an option for such a number; help shows the default of one that is not optional.
template <typename Count>
CLI::Option* add_count(CLI::App& command, const char* name, Count& value, const std::string& help,
                       const char* type = "COUNT") {
  CLI::Option* option = command.add_option(name, value, help)->check(kPositiveWhole);
  if constexpr (std::is_integral_v<Count>) option->capture_default_str();
  return option->type_name(type);
}

/// Takes finite numbers that fit; `wanted` says in the refusal what does: "a number above 0".
template <typename Number, typename Fits>
CLI::Validator takes_number(const char* wanted, Fits fits) {
  const auto check = [wanted, fits](const std::string& word) -> std::string {
    Number value = 0;
    if (CLI::detail::lexical_cast(word, value) && std::isfinite(value) && fits(value)) return {};
    return "'" + word + "' is not " + wanted;
  };
  return {check, ""};
}

/// Takes what `parse` takes, and refuses with the words of its std::invalid_argument.
template <typename Parse>
CLI::Validator parses_by(Parse parse) {
  const auto check = [parse](const std::string& word) -> std::string {
    try {
      parse(word);
      return {};
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  return {check, ""};
}

}  // namespace systole
