#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/report/comparison.h"
#include "host/report/svg.h"

namespace systole {

/// A drawing and its caption: what is measured, simulated, assumed.
struct Figure {
  std::string name;  ///< of its files: "training-time"
  std::string title;
  std::string caption;
  Svg svg;
};

/// The figures for which this comparison has data: training time by device, time of an epoch by
/// batch size, where the clocks go, where the energy goes, accuracy by epoch, the first epoch
/// against the rest, loss by step.
std::vector<Figure> draw_figures(const Comparison& comparison);

/// One figure each, for draw_figures; none where there is no data.
Figure training_time_figure(const Comparison& comparison);
Figure epoch_time_figure(const Comparison& comparison);
std::optional<Figure> clocks_figure(const Comparison& comparison);
std::optional<Figure> energy_figure(const Comparison& comparison);
std::optional<Figure> accuracy_figure(const Comparison& comparison);
Figure first_epoch_figure(const Comparison& comparison);
Figure loss_figure(const Comparison& comparison);

}  // namespace systole
