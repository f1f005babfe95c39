#include "host/report/figure_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace systole {
namespace {

constexpr double kLegendTop = 44, kLegendLeft = 20;
constexpr double kChartHeight = 300, kAboveChart = 38, kBelowChart = 58;

double legend_end(const std::vector<LegendEntry>& legend) {
  return draw_legend(nullptr, legend, kLegendLeft, kLegendTop, Sheet::kWidth - 20);
}

// A subject's place among the devices or among the CPUs.
std::size_t place_of(const Comparison& comparison, const std::string& subject) {
  const auto subjects = comparison.subjects();
  return static_cast<std::size_t>(std::ranges::find(subjects, subject) - subjects.begin());
}

}  // namespace

std::string color_of(const Comparison& comparison, const std::string& subject) {
  const auto subjects = comparison.subjects();
  std::size_t devices = 0;
  for (const std::string& other : subjects) {
    const bool clocked = comparison.of_subject(other).front()->clocked;
    if (other == subject) return clocked ? kColors[devices % std::size(kColors)] : kCpuColor;
    devices += clocked ? 1 : 0;
  }
  return kHostColor;
}

std::size_t marker_of(const Comparison& comparison, const std::string& subject) {
  return place_of(comparison, subject) % Svg::kMarkers;
}

Sheet::Sheet(const std::string& title, const std::vector<LegendEntry>& legend, std::size_t charts)
    : charts_(charts),
      top_(legend_end(legend)),
      svg_(kWidth, top_ + static_cast<double>((charts + in_row() - 1) / in_row()) *
                              (kAboveChart + kChartHeight + kBelowChart)) {
  svg_.text(kLegendLeft, 28, title, {.size = 17, .bold = true});
  draw_legend(&svg_, legend, kLegendLeft, kLegendTop, kWidth - 20);
}

Chart::Frame Sheet::frame(std::size_t chart) const {
  constexpr double kLeft = 78, kRight = 22;
  const auto across = static_cast<double>(in_row());
  const double width = kWidth / across;
  const auto column = static_cast<double>(chart % in_row());
  const auto row = static_cast<double>(chart / in_row());
  return {.left = column * width + kLeft,
          .top = top_ + row * (kAboveChart + kChartHeight + kBelowChart) + kAboveChart,
          .width = width - kLeft - kRight,
          .height = kChartHeight};
}

std::vector<std::string> to_words(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> words;
  for (const std::int64_t number : numbers) words.push_back(std::to_string(number));
  return words;
}

std::string counted(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace systole
