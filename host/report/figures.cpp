#include "host/report/figures.h"

#include <iterator>

namespace systole {

std::vector<Figure> draw_figures(const Comparison& comparison) {
  std::vector<Figure> all;
  const auto add = [&](std::vector<Figure> some) {
    std::move(some.begin(), some.end(), std::back_inserter(all));
  };
  all.push_back(training_time_figure(comparison));
  all.push_back(epoch_time_figure(comparison));
  add(clocks_figure(comparison));
  add(energy_figure(comparison));
  add(accuracy_figure(comparison));
  all.push_back(first_epoch_figure(comparison));
  all.push_back(loss_figure(comparison));
  return all;
}

}  // namespace systole
