#pragma once

#include <filesystem>
#include <string>

#include "host/cli/comparison.h"

namespace systole {

/// compare.png and compare.svg: loss by step, time by device, where the device's clocks go,
/// accuracy.
///
/// Timing   the constructor proves that gnuplot is there and the folder can be written, before any
///          work is done for the figure; the folder is made if need be
/// Limits   an empty folder draws nothing
/// Errors   std::runtime_error saying what to install or which path cannot be written; neither file
///          is replaced before both are whole
class ComparisonFigure {
 public:
  explicit ComparisonFigure(const std::string& folder);
  void write(const Comparison& comparison) const;

 private:
  std::filesystem::path folder_;
};

/// The gnuplot commands of the figure, without terminal and output.
std::string figure_commands(const Comparison& comparison);

}  // namespace systole
