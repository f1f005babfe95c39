#include "host/nn/training/callback.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/nn/training/training_loop.h"

namespace systole::nn {

void FitState::stop(std::string reason) {
  if (history.stopped.empty()) history.stopped = std::move(reason);
}

std::optional<double> figure(const History::Epoch& epoch, std::string_view name) {
  if (name == "loss") return epoch.loss;
  if (name == "accuracy") return epoch.accuracy;
  const bool is_loss = name == "val_loss";
  if (!is_loss && name != "val_accuracy") {
    throw std::invalid_argument(fmt::format(
        "unknown figure '{}': choose from loss, accuracy, val_loss, val_accuracy", name));
  }
  if (!epoch.validation) return {};
  return is_loss ? epoch.validation->loss : epoch.validation->accuracy;
}

bool is_better(std::string_view name, double value, double best, double min_delta) {
  return name.ends_with("loss") ? value < best - min_delta : value > best + min_delta;
}

void need_figure(const char* who, std::string_view name, const FitState& state) {
  figure({}, name);
  if (name.starts_with("val_") && !state.model.can_validate()) {
    throw std::invalid_argument(
        fmt::format("{} monitors {}, but there is no validation data: give fit validation_data, or "
                    "monitor loss or accuracy",
                    who, name));
  }
}

}  // namespace systole::nn
