// Where the array's clocks go.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "host/report/clock_shares.h"
#include "host/report/figure_sheet.h"
#include "host/report/figures.h"

namespace systole {

std::optional<Figure> clocks_figure(const Comparison& comparison) {
  std::vector<std::string> subjects;
  for (const std::string& subject : comparison.distinct_subjects()) {
    if (comparison.of_subject(subject).front()->clocked) subjects.push_back(subject);
  }
  if (subjects.empty()) return {};
  const auto batch_sizes = comparison.batch_sizes();
  std::vector<LegendEntry> legend;
  for (const ClockShare& share : clock_shares(*comparison.of_subject(subjects[0]).front())) {
    legend.push_back({.color = share.color, .words = share.cause});
  }
  const std::string title = "Where the array's clocks go, by batch size";
  Sheet sheet(title, legend, subjects.size());
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    Axis axis = Axis::linear("percent of clocks", 0, 100);
    axis.high = 106;
    Chart chart(sheet.svg(), sheet.frame(i), axis);
    chart.title(subjects[i]);
    chart.places(to_words(batch_sizes), "batch size");
    for (const RecordedRun* run : comparison.of_subject(subjects[i])) {
      const auto place = std::ranges::find(batch_sizes, run->batch_size) - batch_sizes.begin();
      const double center = chart.x(static_cast<double>(place));
      const double width = std::min(90.0, 0.7 * chart.place_width());
      double low = 0;
      for (const ClockShare& share : clock_shares(*run)) {
        const double high = low + 100 * share.share;
        chart.bar(
            center, width, low, high, share.color,
            fmt::format("{}: {:.2f}% of {} clocks", share.cause, 100 * share.share, run->cycles));
        low = high;
      }
      chart.above(center, 100, fmt::format("{:.1f}%", 100 * clock_shares(*run)[0].share), 12);
    }
  }
  return Figure{
      .name = "clocks",
      .title = title,
      .caption =
          "Simulated, exact: the number above a bar is the part of all multiply-adds that "
          "the array could have done and did. The bar below says why it is not 100%.",
      .svg = sheet.svg()};
}

}  // namespace systole
