#include "host/report/energy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/report/chart.h"

namespace systole {
namespace {

struct Part {
  std::string name;
  double joules;
};

// The largest of the parts.
Part largest(const std::vector<std::pair<std::string, double>>& parts) {
  const auto found =
      std::ranges::max_element(parts, {}, [](const auto& part) { return std::abs(part.second); });
  return {found->first, found->second};
}

const char* meaning(const std::string& cause) {
  if (cause == "array") return "the array's multiplications";
  if (cause == "accumulators") return "the accumulators";
  if (cause == "buffers") return "the buffers";
  if (cause == "vector") return "the vector engine";
  if (cause == "memory") return "memory";
  if (cause == "links") return "the links between cores";
  return "static power";
}

std::string winner(const Duel::Round& round) {
  const RecordedEnergy &cpu = *round.cpu->energy, &device = *round.device->energy;
  const bool device_wins = device.joules < cpu.joules;
  const RecordedEnergy &less = device_wins ? device : cpu, &more = device_wins ? cpu : device;
  return fmt::format(
      "Energy at batch size {}: the {} wins: its step takes {} ({}), the {}'s {} ({}), {:.2f} "
      "times "
      "as much.",
      round.cpu->batch_size, device_wins ? "device" : "CPU", joules_in_words(less.joules),
      energy_label(less), device_wins ? "CPU" : "device", joules_in_words(more.joules),
      energy_label(more), more.joules / less.joules);
}

// Of one run, where it goes; of two, what made a sample's smaller or larger.
std::string what_moved(const RecordedRun& first, const RecordedRun& last) {
  const Part most = largest(last.energy->by_cause);
  std::string text =
      fmt::format("At batch size {}, {:.0f}% of the device's energy goes to {}.", last.batch_size,
                  100 * most.joules / last.energy->joules, meaning(most.name));
  if (&first == &last || first.energy->by_cause.size() != last.energy->by_cause.size()) return text;
  std::vector<std::pair<std::string, double>> change;
  for (std::size_t i = 0; i < last.energy->by_cause.size(); ++i) {
    change.emplace_back(
        last.energy->by_cause[i].first,
        last.energy->by_cause[i].second / static_cast<double>(last.batch_size) -
            first.energy->by_cause[i].second / static_cast<double>(first.batch_size));
  }
  const double before = first.joules_a_sample(), after = last.joules_a_sample();
  const Part moved = largest(change);
  return text + fmt::format(
                    " From batch size {} to {} a sample's energy {} from {} to {}; that of "
                    "{} changes most, by {}.",
                    first.batch_size, last.batch_size, after < before ? "falls" : "rises",
                    joules_in_words(before), joules_in_words(after), meaning(moved.name),
                    joules_in_words(moved.joules));
}

}  // namespace

std::string joules_in_words(double joules) {
  struct Unit {
    double size;
    const char* name;
  };
  constexpr std::array kUnits = {Unit{1, "J"}, Unit{1e-3, "mJ"}, Unit{1e-6, "uJ"}};
  const double size = std::abs(joules);
  for (const Unit& unit : kUnits) {
    if (size < unit.size && &unit != &kUnits.back()) continue;
    return fmt::format("{}{} {}", joules < 0 ? "-" : "", three_digits(size / unit.size), unit.name);
  }
  return {};
}

std::string energy_label(const RecordedEnergy& energy) {
  return energy.process.empty() ? energy.label : energy.label + ", " + energy.process;
}

std::vector<std::string> energy_reasons(const Duel& duel) {
  std::vector<std::string> all;
  std::vector<const RecordedRun*> estimated;
  for (const Duel::Round& round : duel.rounds) {
    if (!round.cpu->energy || !round.device->energy) continue;
    all.push_back(winner(round));
    if (!round.device->energy->by_cause.empty()) estimated.push_back(round.device);
  }
  if (!estimated.empty()) all.push_back(what_moved(*estimated.front(), *estimated.back()));
  return all;
}

std::vector<std::vector<std::string>> energy_rows(const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& subject : comparison.subjects()) {
    for (const RecordedRun* run : comparison.of_subject(subject)) {
      if (!run->energy) continue;
      const auto is_baseline = [&](const RecordedRun& one) {
        return one.device == "cpu" && one.energy && one.batch_size == run->batch_size;
      };
      const auto cpu = std::ranges::find_if(comparison.runs, is_baseline);
      std::vector<std::string> others;
      for (const auto& [process, joules] : run->energy->other_processes) {
        others.push_back(fmt::format("{} in {}", joules_in_words(joules), process));
      }
      rows.push_back({subject, std::to_string(run->batch_size),
                      joules_in_words(run->energy->joules), joules_in_words(run->joules_a_sample()),
                      joules_in_words(run->energy->joules * static_cast<double>(run->batches())),
                      cpu == comparison.runs.end()
                          ? "-"
                          : fmt::format("{:.2f}", cpu->energy->joules / run->energy->joules),
                      energy_label(*run->energy), fmt::format("{}", fmt::join(others, ", "))});
    }
  }
  return rows;
}

}  // namespace systole
