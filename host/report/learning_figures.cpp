// The figures of learning: accuracy by epoch, loss by step.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/report/figure_sheet.h"
#include "host/report/figures.h"

namespace systole {
namespace {

constexpr std::size_t kFewSteps = 30;     // drawn with markers
constexpr std::size_t kWindowShare = 20;  // a window's share of the steps before it

struct Point {
  double step, loss;
};

// Means over windows that grow with the step, which smooth a curve on a logarithmic axis.
std::vector<Point> smoothed(const std::vector<double>& losses) {
  std::vector<Point> points;
  for (std::size_t first = 0; first < losses.size();) {
    const std::size_t count = std::min(losses.size() - first, 1 + first / kWindowShare);
    double sum = 0;
    for (std::size_t i = first; i < first + count; ++i) sum += losses[i];
    points.push_back({static_cast<double>(first) + 0.5 * static_cast<double>(count + 1),
                      sum / static_cast<double>(count)});
    first += count;
  }
  return points;
}

// The batch size that most subjects ran; the smallest of equals.
std::int64_t commonest_batch_size(const Comparison& comparison) {
  std::int64_t best = 0;
  std::size_t most = 0;
  for (const std::int64_t batch_size : comparison.batch_sizes()) {
    const auto count = static_cast<std::size_t>(
        std::ranges::count(comparison.runs, batch_size, &RecordedRun::batch_size));
    if (count > most) best = batch_size;
    most = std::max(most, count);
  }
  return best;
}

}  // namespace

std::optional<Figure> accuracy_figure(const Comparison& comparison) {
  std::vector<std::string> subjects;
  bool held_out = true;
  for (const std::string& subject : comparison.distinct_subjects()) {
    const auto runs = comparison.of_subject(subject);
    // The few steps of a device with a limit say nothing about accuracy.
    if (std::ranges::none_of(runs, [](auto* run) { return run->test_accuracy.has_value(); })) {
      continue;
    }
    subjects.push_back(subject);
    for (const RecordedRun* run : runs) {
      for (const auto& epoch : run->epoch_results) held_out &= epoch.held_out_accuracy.has_value();
    }
  }
  if (subjects.empty()) return {};
  const auto percent = [&](const RecordedRun::Epoch& epoch) {
    return 100 * (held_out ? *epoch.held_out_accuracy : epoch.accuracy);
  };

  const auto batch_sizes = comparison.batch_sizes();
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < batch_sizes.size(); ++i) {
    legend.push_back({.color = kColors[i % std::size(kColors)],
                      .words = fmt::format("batch size {}", batch_sizes[i]),
                      .marker = i % Svg::kMarkers});
  }
  double lowest = 100, highest = 0;
  std::size_t epochs = 1;
  for (const RecordedRun& run : comparison.runs) {
    epochs = std::max(epochs, run.epoch_results.size());
    for (const auto& epoch : run.epoch_results) {
      lowest = std::min(lowest, percent(epoch));
      highest = std::max(highest, percent(epoch));
    }
  }
  const double margin = std::max(0.5, 0.08 * (highest - lowest));
  const std::string title = fmt::format("{} accuracy by epoch", held_out ? "Test" : "Training");
  Sheet sheet(title, legend, subjects.size());
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    Chart chart(sheet.svg(), sheet.frame(i),
                Axis::linear("percent", lowest - margin, highest + margin));
    chart.title(subjects[i]);
    std::vector<std::string> names;
    for (std::size_t epoch = 1; epoch <= epochs; ++epoch) names.push_back(std::to_string(epoch));
    chart.places(names, "epoch");
    for (std::size_t j = 0; j < batch_sizes.size(); ++j) {
      const RecordedRun* run = comparison.find(subjects[i], batch_sizes[j]);
      if (run == nullptr) continue;
      std::vector<std::pair<double, double>> points;
      std::vector<std::string> tips;
      for (std::size_t epoch = 0; epoch < run->epoch_results.size(); ++epoch) {
        const double value = percent(run->epoch_results[epoch]);
        points.emplace_back(static_cast<double>(epoch), value);
        tips.push_back(
            fmt::format("batch size {}, epoch {}: {:.2f}%", batch_sizes[j], epoch + 1, value));
      }
      chart.curve(points, legend[j].color, legend[j].marker, tips);
    }
  }
  return Figure{
      .name = "accuracy-by-epoch",
      .title = title,
      .caption = held_out ? "On held-out samples after each epoch. "
                            "The axis does not start at 0."
                          : "Mean over the training batches of each epoch; "
                            "the table has the accuracy on the test set. The axis does not start "
                            "at 0.",
      .svg = sheet.svg()};
}

Figure loss_figure(const Comparison& comparison) {
  const std::int64_t batch_size = commonest_batch_size(comparison);
  std::vector<LegendEntry> legend;
  double lowest = 1e300, highest = 0, last = 1;
  for (const std::string& subject : comparison.subjects()) {
    const RecordedRun* run = comparison.find(subject, batch_size);
    if (run == nullptr) continue;
    legend.push_back({.color = color_of(comparison, subject),
                      .words = subject,
                      .marker = marker_of(comparison, subject)});
    for (const Point& point : smoothed(run->losses)) {
      lowest = std::min(lowest, point.loss);
      highest = std::max(highest, point.loss);
    }
    last = std::max(last, static_cast<double>(run->losses.size()));
  }
  const std::string title = fmt::format("Training loss by step, batch size {}", batch_size);
  Sheet sheet(title, legend);
  const bool logarithmic = lowest > 0;
  Chart chart(sheet.svg(), sheet.frame(0),
              logarithmic ? Axis::logarithm("loss, logarithmic", lowest, highest)
                          : Axis::linear("loss", 0, 1.05 * highest));
  std::vector<std::string> names;
  for (double power = 1; power <= 2 * last; power *= 10) names.push_back(fmt::format("{}", power));
  chart.places(names, "step, logarithmic");
  bool first = true;  // drawn broad, the others narrow on top, since they often coincide
  for (const LegendEntry& entry : legend) {
    const RecordedRun* run = comparison.find(entry.words, batch_size);
    std::vector<std::pair<double, double>> points;
    for (const Point& point : smoothed(run->losses)) {
      points.emplace_back(std::log10(point.step), point.loss);
    }
    const bool few = run->losses.size() <= kFewSteps;
    chart.curve(points, entry.color, entry.marker,
                std::vector<std::string>(few ? points.size() : 0, subject_of(*run)), first ? 6 : 2);
    first = false;
  }
  return {
      .name = "loss-by-step",
      .title = title,
      .caption = fmt::format("Mean of the last {}% of the steps so far. Bit-exact devices lie on "
                             "one another, in fact to the last bit; the CPU multiplies in "
                             "another type and order.",
                             100 / kWindowShare),
      .svg = sheet.svg()};
}

}  // namespace systole
