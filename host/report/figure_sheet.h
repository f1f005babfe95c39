#pragma once

#include <string>
#include <vector>

#include "host/report/chart.h"
#include "host/report/comparison.h"

namespace systole {

/// Okabe and Ito's colours, which colour-blind readers can tell apart, on light and dark.
inline constexpr const char* kCpuColor = "#d55e00";
inline constexpr const char* kHostColor = "#999999";
inline constexpr const char* kColors[] = {"#0072b2", "#009e73", "#cc79a7",
                                          "#e69f00", "#56b4e9", "#d55e00"};

/// A subject's colour and marker, the same in every figure.
std::string color_of(const Comparison& comparison, const std::string& subject);
std::size_t marker_of(const Comparison& comparison, const std::string& subject);

/// A drawing with title and legend, and rows of charts below.
///
/// Limits   two charts side by side
class Sheet {
 public:
  Sheet(const std::string& title, const std::vector<LegendEntry>& legend, std::size_t charts = 1);

  Svg& svg() { return svg_; }
  Chart::Frame frame(std::size_t chart) const;
  static constexpr double kWidth = 860;

 private:
  std::size_t in_row() const { return charts_ == 1 ? 1 : 2; }
  std::size_t charts_;
  double top_;
  Svg svg_;
};

std::vector<std::string> to_words(const std::vector<std::int64_t>& numbers);

/// "1 epoch", "3 epochs".
std::string counted(std::int64_t count, const char* what);

}  // namespace systole
