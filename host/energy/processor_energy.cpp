#include "host/energy/processor_energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

namespace systole::energy {
namespace {

std::optional<std::uint64_t> read_number(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  if (!(stream >> number)) return std::nullopt;
  return number;
}

// Thermal design power and cores of the largest part of each family and model, by its maker, and
// what its generation brought and does not have yet, as /proc/cpuinfo names flags.
struct Known {
  std::string_view vendor;
  int family, model;
  std::string_view processor;
  double watts;
  int cores;
  std::string_view has, lacks;

  double core_watts() const { return watts / cores; }
};
constexpr std::string_view kIntel = "GenuineIntel", kAmd = "AuthenticAMD";
constexpr std::array kKnown = {
    Known{kIntel, 6, 85, "Xeon Platinum 8280", 205, 28, "avx512f", "avx512_bitalg"},
    Known{kIntel, 6, 106, "Xeon Platinum 8380", 270, 40, "avx512_bitalg", "amx_tile"},
    Known{kIntel, 6, 167, "Xeon E-2388G", 95, 8, "avx512_bitalg", "amx_tile"},
    Known{kIntel, 6, 143, "Xeon Platinum 8480+", 350, 56, "amx_tile", "amx_fp16"},
    Known{kIntel, 6, 207, "Xeon Platinum 8592+", 350, 64, "amx_tile", "amx_fp16"},
    Known{kIntel, 6, 173, "Xeon 6980P", 500, 128, "amx_tile", ""},
    Known{kAmd, 23, 49, "EPYC 7742", 225, 64, "avx2", "vaes"},
    Known{kAmd, 25, 1, "EPYC 7763", 280, 64, "vaes", "avx512f"},
    Known{kAmd, 25, 17, "EPYC 9654", 360, 96, "avx512f", "avx_vnni"},
    Known{kAmd, 26, 2, "EPYC 9755", 500, 128, "avx_vnni", ""},
};

/// The value of the first line "key : value".
std::string value_of(const std::string& cpuinfo, std::string_view key) {
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto end = line.find_last_not_of(" \t", colon - 1);
    if (end == std::string::npos || std::string_view(line).substr(0, end + 1) != key) continue;
    const auto start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return {};
}

}  // namespace

ProcessorEnergy::ProcessorEnergy(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    // Whole packages; what follows a second colon is a part of one.
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("intel-rapl:") || std::ranges::count(name, ':') != 1) continue;
    const auto now = read_number(entry.path() / "energy_uj");
    const auto most = read_number(entry.path() / "max_energy_range_uj");
    if (!now || !most) continue;
    packages_.push_back(
        {.file = entry.path() / "energy_uj", .most_microjoules = *most, .last_microjoules = *now});
  }
}

double ProcessorEnergy::joules() {
  for (Package& package : packages_) {
    const auto now = read_number(package.file);
    if (!now) continue;
    const std::uint64_t last = package.last_microjoules;
    joules_ += 1e-6 * static_cast<double>(*now >= last ? *now - last
                                                       : *now + package.most_microjoules - last);
    package.last_microjoules = *now;
  }
  return joules_;
}

std::optional<PublishedPower> published_power(const std::string& cpuinfo) {
  const std::string vendor = value_of(cpuinfo, "vendor_id");
  const std::string family = value_of(cpuinfo, "cpu family"), model = value_of(cpuinfo, "model");
  const std::string flags = " " + value_of(cpuinfo, "flags") + " ";
  const auto has_flag = [&](std::string_view flag) {
    return !flag.empty() && flags.find(fmt::format(" {} ", flag)) != std::string::npos;
  };
  std::vector<Known> possible;
  for (const Known& known : kKnown) {
    if (known.vendor == vendor && has_flag(known.has) && !has_flag(known.lacks)) {
      possible.push_back(known);
    }
  }
  const auto named = std::ranges::find_if(possible, [&](const Known& known) {
    return std::to_string(known.family) == family && std::to_string(known.model) == model;
  });
  const bool is_named = named != possible.end();
  const auto chosen = is_named ? named : std::ranges::min_element(possible, {}, &Known::core_watts);
  if (chosen == possible.end()) return std::nullopt;
  return PublishedPower{.processor = std::string(chosen->processor),
                        .watts = chosen->watts,
                        .cores = chosen->cores,
                        .by_features = !is_named};
}

}  // namespace systole::energy
