#pragma once

#include <cstdio>

#include "host/nn/training.h"

namespace systole::nn {

/// Keras' progress bar, as fit's on_step. On a terminal one line is drawn again and again:
///
///     Epoch 1/3
///     469/469 [==============================] - 2s 4ms/step - loss: 0.5214 - accuracy: 0.8172
///
/// In a pipe it is a plain line now and then, and one at the end of each epoch.
///
/// Timing   at most ten lines a second on a terminal, ten an epoch (or one in 30 s) in a pipe
class ProgressBar {
 public:
  explicit ProgressBar(std::FILE* stream = stderr);
  ~ProgressBar();  ///< ends the line of a run that broke off
  ProgressBar(const ProgressBar&) = default;
  ProgressBar& operator=(const ProgressBar&) = default;
  void operator()(const Progress& progress);

 private:
  bool is_due(const Progress& progress) const;

  std::FILE* stream_;
  bool terminal_;
  bool line_is_open_ = false;
  double last_seconds_ = 0;
  std::int64_t last_tenth_ = 0;
};

}  // namespace systole::nn
