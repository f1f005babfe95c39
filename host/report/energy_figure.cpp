// Where a sample's energy goes.

#include <fmt/format.h>

#include <algorithm>

#include "host/report/energy.h"
#include "host/report/figure_sheet.h"
#include "host/report/figures.h"

namespace systole {
namespace {

struct Shown {
  const char *cause, *color, *words;
};
constexpr Shown kShown[] = {
    {"array", "#0072b2", "multiplications"}, {"accumulators", "#56b4e9", "accumulators"},
    {"buffers", "#009e73", "buffers"},       {"vector", "#e69f00", "vector engine"},
    {"memory", "#cc79a7", "memory"},         {"links", "#f0e442", "links"},
    {"static", "#999999", "static power"}};
constexpr const char* kWhole = kCpuColor;

const char* color_of_cause(const std::string& cause) {
  const auto found = std::ranges::find(kShown, cause, &Shown::cause);
  return found == std::end(kShown) ? kWhole : found->color;
}

// The unit of the labels above the bars.
struct Scale {
  double joules;
  const char* name;
};
Scale scale_of(double highest) {
  constexpr Scale kScales[] = {{1, "joules"}, {1e-3, "millijoules"}, {1e-6, "microjoules"}};
  const auto found =
      std::ranges::find_if(kScales, [&](const Scale& scale) { return highest >= scale.joules; });
  return found == std::end(kScales) ? kScales[2] : *found;
}

bool occurs(const Comparison& comparison, const std::string& cause) {
  return std::ranges::any_of(comparison.runs, [&](const RecordedRun& run) {
    return run.energy && std::ranges::any_of(run.energy->by_cause, [&](const auto& part) {
             return part.first == cause && part.second > 0;
           });
  });
}

}  // namespace

std::optional<Figure> energy_figure(const Comparison& comparison) {
  std::vector<std::string> subjects;
  double highest = 0;
  for (const std::string& subject : comparison.distinct_subjects()) {
    bool has_energy = false;
    for (const RecordedRun* run : comparison.of_subject(subject)) {
      has_energy |= run->energy.has_value();
      highest = std::max(highest, run->joules_a_sample());
    }
    if (has_energy) subjects.push_back(subject);
  }
  if (subjects.empty()) return {};
  const auto batch_sizes = comparison.batch_sizes();
  const Scale scale = scale_of(highest);
  std::vector<LegendEntry> legend;
  for (const Shown& one : kShown) {
    if (occurs(comparison, one.cause)) legend.push_back({.color = one.color, .words = one.words});
  }
  legend.push_back({.color = kWhole, .words = "whole, not by cause"});
  const std::string title = "Energy of a sample, by batch size";
  Sheet sheet(title, legend, subjects.size());
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    Chart chart(
        sheet.svg(), sheet.frame(i),
        Axis::linear(fmt::format("{} a sample", scale.name), 0, 1.08 * highest / scale.joules));
    chart.title(subjects[i]);
    chart.places(to_words(batch_sizes), "batch size");
    for (const RecordedRun* run : comparison.of_subject(subjects[i])) {
      if (!run->energy) continue;
      const auto place = std::ranges::find(batch_sizes, run->batch_size) - batch_sizes.begin();
      const double center = chart.x(static_cast<double>(place));
      const double width = std::min(90.0, 0.7 * chart.place_width());
      auto parts = run->energy->by_cause;
      if (parts.empty()) parts = {{"", run->energy->joules}};
      double low = 0;
      for (const auto& [cause, joules] : parts) {
        const double high = low + joules / scale.joules / static_cast<double>(run->batch_size);
        chart.bar(center, width, low, high, color_of_cause(cause),
                  fmt::format("{}{} a step, {}", cause.empty() ? "" : cause + ": ",
                              joules_in_words(joules), energy_label(*run->energy)));
        low = high;
      }
      chart.above(center, low, joules_in_words(run->joules_a_sample()), 12);
    }
  }
  return Figure{.name = "energy",
                .title = title,
                .caption =
                    "A device's energy is estimated: exact counts of its actions by "
                    "published energies of each. The CPU's is measured where the "
                    "machine shows it, else its published power by the processor time.",
                .svg = sheet.svg()};
}

}  // namespace systole
