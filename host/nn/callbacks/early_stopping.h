#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/nn/training/callback.h"

namespace systole::nn {

/// Ends a training whose monitored figure has not improved for `patience` epochs in a row.
///
/// Limits   monitor: loss, accuracy, val_loss or val_accuracy; patience >= 1; min_delta >= 0, the
///          least improvement that counts. Epochs without validation do not count.
/// Errors   std::invalid_argument from the constructor and from on_train_begin
struct EarlyStoppingOptions {
  std::string monitor = "val_loss";
  std::int64_t patience = 1;
  double min_delta = 0;
  bool restore_best_weights = false;  ///< at the end of the training, whatever ended it
};

class EarlyStopping : public Callback {
 public:
  explicit EarlyStopping(EarlyStoppingOptions options = {});

  void on_train_begin(FitState& state) override;
  void on_epoch_end(FitState& state) override;
  void on_train_end(FitState& state) override;
  void save(Checkpoint& checkpoint) const override;
  void load(const Checkpoint& checkpoint) override;

  std::int64_t best_epoch() const { return best_epoch_; }  ///< from 1; 0: none yet

 private:
  void stop_if_patience_ends(FitState& state) const;

  EarlyStoppingOptions options_;
  double best_ = 0;
  std::int64_t best_epoch_ = 0;
  std::int64_t waited_ = 0;
  std::vector<std::string> names_;  ///< of the best weights
  std::vector<Shape> shapes_;
  std::vector<std::vector<float>> weights_;
};

}  // namespace systole::nn
