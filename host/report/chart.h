#pragma once

#include <string>
#include <vector>

#include "host/report/svg.h"

namespace systole {

/// A vertical axis from low to high, with ticks at round numbers.
struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<double> ticks = {};
  std::string title;

  double share(double value) const;  ///< from low (0) to high (1)

  static Axis linear(std::string title, double low, double highest);
  static Axis logarithm(std::string title, double lowest, double highest);
};

/// 0.012, 1.23, 12.3, 123: three significant digits, and every digit before the point.
std::string three_digits(double value);

/// A frame with grid, ticks and titles; the x axis has a place of equal width for each name.
class Chart {
 public:
  struct Frame {
    double left = 0, top = 0, width = 0, height = 0;  ///< of the plot without its labels
  };
  Chart(Svg& svg, const Frame& frame, Axis y);

  void title(const std::string& words);
  /// Names below the axis; if they would touch, every second or third.
  void places(const std::vector<std::string>& names, const std::string& title);

  double x(
      double place) const;  ///< of a place's middle; places count from 0, halves lie between them
  double place_width() const;
  double y(double value) const;

  /// A box from `low` to `high`.
  void bar(double center, double width, double low, double high, const std::string& color,
           const std::string& tip);
  void above(double center, double value, const std::string& words, double size = 11);
  /// A curve with a marker at every point that has a tip.
  void curve(const std::vector<std::pair<double, double>>& points, const std::string& color,
             std::size_t shape, const std::vector<std::string>& tips, double width = 2);

 private:
  Svg& svg_;
  Frame frame_;
  Axis axis_;
  double places_ = 1;
};

/// The legend of the colours, in rows from `left` to `right`.
struct LegendEntry {
  std::string color, words;
  std::size_t marker = kBox;  ///< or a shape of Svg::marker
  static constexpr std::size_t kBox = static_cast<std::size_t>(-1);
};
/// Returns the y below it; draws nothing if `svg` is null.
double draw_legend(Svg* svg, const std::vector<LegendEntry>& entries, double left, double top,
                   double right);

}  // namespace systole
