// The figures of time: by device, by batch size, and of the first epoch.

#include <fmt/format.h>

#include <algorithm>

#include "host/report/figure_sheet.h"
#include "host/report/figures.h"

namespace systole {
namespace {

constexpr const char* kBatchSize = "batch size";

std::int64_t most_epochs(const Comparison& comparison) {
  std::int64_t most = 1;
  for (const RecordedRun& run : comparison.runs) most = std::max(most, run.epochs);
  return most;
}

constexpr const char* kWhereFrom =
    "CPU, and a plugin's device: measured wall time. Our devices: simulated cycles at the stated "
    "clock, which is assumed, and the host's part of the step as measured, one after the other. "
    "What is measured counts at the pace of the fastest tenth of the steps, which other work on "
    "the machine disturbs least; a run of fewer steps counts as if it were whole.";

std::string tip_of(const RecordedRun& run, double seconds) {
  return fmt::format("{}, batch size {}: {} s", subject_of(run), run.batch_size,
                     three_digits(seconds));
}

// The first epoch and the mean of the others; with one epoch, the first step and the others.
struct FirstAndRest {
  double first, rest;
};
FirstAndRest first_and_rest(const RecordedRun& run, bool epochs) {
  if (!epochs) return {1e3 * run.first_step_seconds, 1e3 * run.later_step_seconds};
  double rest = 0;
  for (std::size_t i = 1; i < run.epoch_results.size(); ++i) {
    rest += run.epoch_results[i].wall_seconds;
  }
  return {run.epoch_results.front().wall_seconds,
          rest / static_cast<double>(run.epoch_results.size() - 1)};
}

}  // namespace

Figure training_time_figure(const Comparison& comparison) {
  const auto subjects = comparison.distinct_subjects();
  const auto batch_sizes = comparison.batch_sizes();
  const auto epochs = most_epochs(comparison);
  const auto seconds = [&](const RecordedRun& run, double step) {
    return step * static_cast<double>(run.batches() * epochs);
  };
  std::vector<LegendEntry> legend;
  double highest = 0;
  for (const std::string& subject : subjects) {
    legend.push_back({.color = color_of(comparison, subject), .words = subject});
    for (const RecordedRun* run : comparison.of_subject(subject)) {
      highest = std::max(highest, seconds(*run, run->step_seconds()));
    }
  }
  legend.push_back({.color = kHostColor, .words = "the rest of the step, on the host"});

  const bool whole = std::all_of(comparison.runs.begin(), comparison.runs.end(),
                                 [](const RecordedRun& run) { return run.whole_epochs(); });
  const std::string title =
      fmt::format("Training time by device: {} of {} samples{}", counted(epochs, "epoch"),
                  comparison.runs[0].samples, whole ? "" : ", by the steps that were run");
  Sheet sheet(title, legend);
  Chart chart(sheet.svg(), sheet.frame(0), Axis::linear("seconds", 0, 1.08 * highest));
  chart.places(to_words(batch_sizes), kBatchSize);
  const double slot = 0.82 * chart.place_width() / static_cast<double>(subjects.size());
  constexpr double kWidestBar = 70;
  const double width = std::min(kWidestBar, 0.92 * slot);
  for (std::size_t i = 0; i < batch_sizes.size(); ++i) {
    for (std::size_t j = 0; j < subjects.size(); ++j) {
      const RecordedRun* run = comparison.find(subjects[j], batch_sizes[i]);
      if (run == nullptr) continue;
      const double center =
          chart.x(static_cast<double>(i)) +
          slot * (static_cast<double>(j) - 0.5 * static_cast<double>(subjects.size() - 1));
      const double host = seconds(*run, run->host_step_seconds());
      const double total = seconds(*run, run->step_seconds());
      chart.bar(center, width, 0, host, kHostColor, tip_of(*run, host) + " on the host");
      chart.bar(center, width, host, total, color_of(comparison, subjects[j]), tip_of(*run, total));
      chart.above(center, total, three_digits(total), width < 34 ? 10 : 12);
    }
  }
  return {.name = "training-time",
          .title = title,
          .caption = fmt::format("{} The grey part is the host's share.", kWhereFrom),
          .svg = sheet.svg()};
}

Figure epoch_time_figure(const Comparison& comparison) {
  const auto subjects = comparison.distinct_subjects();
  const auto batch_sizes = comparison.batch_sizes();
  std::vector<LegendEntry> legend;
  double lowest = 1e300, highest = 0;
  for (const std::string& subject : subjects) {
    legend.push_back({.color = color_of(comparison, subject),
                      .words = subject,
                      .marker = marker_of(comparison, subject)});
    for (const RecordedRun* run : comparison.of_subject(subject)) {
      lowest = std::min(lowest, run->epoch_seconds());
      highest = std::max(highest, run->epoch_seconds());
    }
  }
  constexpr double kTooWideForLinear = 4;
  const Axis axis = highest > kTooWideForLinear * lowest
                        ? Axis::logarithm("seconds, logarithmic", lowest, highest)
                        : Axis::linear("seconds", 0, 1.1 * highest);
  const std::string title = "Time of an epoch by batch size";
  Sheet sheet(title, legend);
  Chart chart(sheet.svg(), sheet.frame(0), axis);
  chart.places(to_words(batch_sizes), kBatchSize);
  for (const std::string& subject : subjects) {
    std::vector<std::pair<double, double>> points;
    std::vector<std::string> tips;
    for (std::size_t i = 0; i < batch_sizes.size(); ++i) {
      const RecordedRun* run = comparison.find(subject, batch_sizes[i]);
      if (run == nullptr) continue;
      points.emplace_back(static_cast<double>(i), run->epoch_seconds());
      tips.push_back(tip_of(*run, run->epoch_seconds()));
    }
    chart.curve(points, color_of(comparison, subject), marker_of(comparison, subject), tips);
  }
  return {.name = "epoch-by-batch-size",
          .title = title,
          .caption = fmt::format("{} The lower curve wins; where two cross, the winner changes.",
                                 kWhereFrom),
          .svg = sheet.svg()};
}

Figure first_epoch_figure(const Comparison& comparison) {
  const auto subjects = comparison.subjects();
  const auto batch_sizes = comparison.batch_sizes();
  const bool epochs = std::ranges::any_of(
      comparison.runs, [](const RecordedRun& run) { return run.epoch_results.size() > 1; });
  const char* what = epochs ? "epoch" : "step";
  const std::string title = fmt::format("The first {} against the rest, wall time", what);
  const LegendEntry legend[] = {
      {.color = kColors[3], .words = fmt::format("first {}", what)},
      {.color = kColors[4], .words = fmt::format("mean of the other {}s", what)}};
  Sheet sheet(title, {std::begin(legend), std::end(legend)}, subjects.size());
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const auto runs = comparison.of_subject(subjects[i]);
    std::vector<FirstAndRest> pairs;
    double highest = 0;
    for (const RecordedRun* run : runs) {
      const bool has_rest = epochs ? run->epoch_results.size() > 1 : run->steps() > 1;
      pairs.push_back(has_rest ? first_and_rest(*run, epochs) : FirstAndRest{0, 0});
      highest = std::max({highest, pairs.back().first, pairs.back().rest});
    }
    Chart chart(sheet.svg(), sheet.frame(i),
                Axis::linear(epochs ? "seconds" : "milliseconds", 0, 1.12 * highest));
    chart.title(subjects[i]);
    chart.places(to_words(batch_sizes), kBatchSize);
    const double width = std::min(40.0, 0.38 * chart.place_width());
    for (std::size_t j = 0; j < runs.size(); ++j) {
      const auto place = std::ranges::find(batch_sizes, runs[j]->batch_size) - batch_sizes.begin();
      const double center = chart.x(static_cast<double>(place));
      const auto bar = [&](double at, double value, const std::string& color) {
        if (value <= 0) return;
        chart.bar(at, width, 0, value, color,
                  fmt::format("batch size {}: {} {}", runs[j]->batch_size, three_digits(value),
                              epochs ? "s" : "ms"));
        constexpr double kSize = 9.5;
        const std::string label = three_digits(value);
        const bool fits = Svg::width_of(label, kSize) < 1.1 * width;
        chart.above(at, value, fits ? label : fmt::format("{:.2g}", value), kSize);
      };
      bar(center - 0.54 * width, pairs[j].first, legend[0].color);
      bar(center + 0.54 * width, pairs[j].rest, legend[1].color);
    }
  }
  return {.name = "first-epoch",
          .title = title,
          .caption = fmt::format(
              "Measured wall time, including the simulation of simulated devices: the first {} "
              "also pays for building the device's programs, for counting their clocks once, and "
              "for cold caches. The device's own cycles are the same in every epoch.",
              what),
          .svg = sheet.svg()};
}

}  // namespace systole
