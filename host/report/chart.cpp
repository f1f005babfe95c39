#include "host/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

constexpr double kTickSize = 12, kTitleSize = 15, kLegendSize = 13;

// The smallest 1, 2 or 5 times a power of ten that is at least the value.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= value * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

}  // namespace

std::string three_digits(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  const int before = static_cast<int>(std::floor(std::log10(size * 1.0005))) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(3 - before, 0, 6));
}

double Axis::share(double value) const {
  if (logarithmic) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

Axis Axis::linear(std::string title, double low, double highest) {
  constexpr double kTicks = 5;
  if (highest <= low) highest = low + 1;
  const double step = round_up((highest - low) / kTicks);
  Axis axis{.low = low, .high = highest, .title = std::move(title)};
  const double first = std::ceil(low / step - 1e-9) * step;
  for (int i = 0; first + i * step <= highest * (1 + 1e-9); ++i) {
    axis.ticks.push_back(first + i * step);
  }
  return axis;
}

Axis Axis::logarithm(std::string title, double lowest, double highest) {
  Axis axis{
      .low = lowest / 1.4, .high = highest * 1.5, .logarithmic = true, .title = std::move(title)};
  for (double power = std::pow(10, std::floor(std::log10(axis.low))); power <= axis.high;
       power *= 10) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double tick = digit * power;
      if (tick >= axis.low && tick <= axis.high) axis.ticks.push_back(tick);
    }
  }
  // Less than a decade: the ticks of a linear axis, close to the values.
  constexpr std::size_t kFewest = 4;
  if (axis.ticks.size() < kFewest) {
    axis.low = lowest / 1.05;
    axis.high = highest * 1.05;
    axis.ticks = linear("", axis.low, axis.high).ticks;
  }
  return axis;
}

Chart::Chart(Svg& svg, const Frame& frame, Axis y) : svg_(svg), frame_(frame), axis_(std::move(y)) {
  double widest = 0;
  for (const double tick : axis_.ticks) {
    const std::string words = fmt::format("{:.6g}", tick);
    const double place = this->y(tick);
    svg_.line(frame_.left, place, frame_.left + frame_.width, place, 0.15);
    svg_.text(frame_.left - 8, place + 4, words, {.size = kTickSize, .anchor = "end"});
    widest = std::max(widest, Svg::width_of(words, kTickSize));
  }
  const double bottom = frame_.top + frame_.height;
  svg_.line(frame_.left, bottom, frame_.left + frame_.width, bottom, 0.8);
  if (axis_.title.empty()) return;
  svg_.text(frame_.left - widest - 20, frame_.top + frame_.height / 2, axis_.title,
            {.size = 13, .anchor = "middle", .turn = -90});
}

void Chart::title(const std::string& words) {
  svg_.text(frame_.left, frame_.top - 12, words, {.size = kTitleSize - 1, .bold = true});
}

void Chart::places(const std::vector<std::string>& names, const std::string& title) {
  places_ = static_cast<double>(names.size());
  double widest = 0;
  for (const std::string& name : names) {
    widest = std::max(widest, Svg::width_of(name, kTickSize));
  }
  const auto every = static_cast<std::size_t>(std::ceil((widest + 6) / place_width()));
  const double bottom = frame_.top + frame_.height;
  for (std::size_t i = 0; i < names.size(); i += every) {
    svg_.text(x(static_cast<double>(i)), bottom + 19, names[i],
              {.size = kTickSize, .anchor = "middle"});
  }
  svg_.text(frame_.left + frame_.width / 2, bottom + 41, title, {.size = 13, .anchor = "middle"});
}

double Chart::place_width() const { return frame_.width / places_; }
double Chart::x(double place) const { return frame_.left + (place + 0.5) * place_width(); }
double Chart::y(double value) const {
  return frame_.top + frame_.height * (1 - std::clamp(axis_.share(value), 0.0, 1.0));
}

void Chart::bar(double center, double width, double low, double high, const std::string& color,
                const std::string& tip) {
  if (high <= low) return;
  svg_.rect(center - width / 2, y(high), width, y(low) - y(high), color, tip);
}

void Chart::above(double center, double value, const std::string& words, double size) {
  svg_.text(center, y(value) - 5, words, {.size = size, .anchor = "middle"});
}

void Chart::curve(const std::vector<std::pair<double, double>>& points, const std::string& color,
                  std::size_t shape, const std::vector<std::string>& tips, double width) {
  std::vector<std::pair<double, double>> corners;
  for (const auto& [place, value] : points) corners.emplace_back(x(place), y(value));
  if (corners.size() > 1) svg_.path(corners, color, width);
  for (std::size_t i = 0; i < corners.size() && i < tips.size(); ++i) {
    svg_.marker(corners[i].first, corners[i].second, shape, color, tips[i]);
  }
}

double draw_legend(Svg* svg, const std::vector<LegendEntry>& entries, double left, double top,
                   double right) {
  constexpr double kRow = 22, kSwatch = 14, kGap = 26;
  double x = left, y = top;
  for (const LegendEntry& entry : entries) {
    const double width = kSwatch + 8 + Svg::width_of(entry.words, kLegendSize);
    if (x > left && x + width > right) {
      x = left;
      y += kRow;
    }
    if (svg != nullptr) {
      if (entry.marker == LegendEntry::kBox) {
        svg->rect(x, y, kSwatch, kSwatch, entry.color);
      } else {
        const std::pair<double, double> stroke[] = {{x - 4, y + 7}, {x + 18, y + 7}};
        svg->path(stroke, entry.color);
        svg->marker(x + 7, y + 7, entry.marker, entry.color);
      }
      svg->text(x + kSwatch + 8, y + 12, entry.words, {.size = kLegendSize});
    }
    x += width + kGap;
  }
  return entries.empty() ? top : y + kRow;
}

}  // namespace systole
