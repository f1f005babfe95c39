#pragma once

#include <cstdio>
#include <string>

#include "host/nn/training/callback.h"

namespace systole::nn {

/// Keras' progress bar, as a callback. On a terminal it redraws one line:
///
///     Epoch 1/3
///     469/469 [==============================] - 2s 4ms/step - loss: 0.5214 - accuracy: 0.8172 -
///     val_loss: ...
///
/// In a pipe it prints plain lines at intervals, and one at the end of each epoch.
///
/// Timing   at most ten lines a second on a terminal, ten an epoch (or one in 30 s) in a pipe
class ProgressBar : public Callback {
 public:
  explicit ProgressBar(std::FILE* stream = stderr);
  ~ProgressBar() override;  ///< ends the line of an interrupted run
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void on_epoch_begin(FitState& state) override;
  void on_step_end(FitState& state) override;
  void on_epoch_end(FitState& state) override;
  void on_train_end(FitState& state) override;

 private:
  bool is_due(const Progress& progress) const;
  void draw(const Progress& progress, const std::string& time, const std::string& more);

  std::FILE* stream_;
  bool terminal_;
  bool line_is_open_ = false;
  double last_seconds_ = 0;
  std::int64_t last_tenth_ = 0;
};

}  // namespace systole::nn
