#include "host/report/figures.h"

namespace systole {

std::vector<Figure> draw_figures(const Comparison& comparison) {
  std::vector<Figure> all;
  for (std::optional<Figure> figure :
       {std::optional(training_time_figure(comparison)),
        std::optional(epoch_time_figure(comparison)), clocks_figure(comparison),
        energy_figure(comparison), accuracy_figure(comparison),
        std::optional(first_epoch_figure(comparison)), std::optional(loss_figure(comparison))}) {
    if (figure) all.push_back(*std::move(figure));
  }
  return all;
}

}  // namespace systole
