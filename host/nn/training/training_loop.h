#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/nn/layers/parameter.h"
#include "host/nn/training/training.h"

namespace systole::nn {

/// A model and the data that it learns from, as the training loop sees them. Sequential::fit makes
/// one; a model with its own kind of data derives its own, and gets epochs, callbacks, checkpoints
/// and the rest of FitOptions from train().
class Trainable {
 public:
  struct Step {
    Score score;
    std::int64_t samples = 0;  ///< what the score counts for in the epoch's mean
  };

  virtual ~Trainable() = default;

  virtual std::int64_t batches() const = 0;  ///< in an epoch

  /// Batches first..end-1 of this epoch follow, one for each train_next. The order of the samples
  /// depends on the seed and the epoch alone; epochs count from 1.
  virtual void begin_epoch(std::int64_t epoch, std::int64_t first, std::int64_t end) = 0;
  virtual Step train_next() = 0;

  virtual bool can_validate() const = 0;
  virtual Score validate() = 0;

  virtual std::vector<Parameter*> parameters() = 0;

  /// Updates so far: Adam's t, and the step that randomness within a step is seeded by.
  virtual std::int64_t updates() const = 0;
  virtual void set_updates(std::int64_t updates) = 0;
  virtual float learning_rate() const = 0;
  virtual void set_learning_rate(float rate) = 0;

  /// What the last update was made with: the learning rate, as a schedule changed it.
  virtual float step_rate() const { return learning_rate(); }

  /// What has to be the same for a run to be taken up again, such as {"precision", "bf16"}; a
  /// checkpoint with other values is refused, saying which differ.
  virtual std::map<std::string, std::string> identity() const = 0;
};

/// The training loop. Of the options, those about the data (validation_data, batch_size, seed) are
/// the Trainable's business.
///
/// Errors   std::invalid_argument for options that do not fit; CheckpointError for a checkpoint
///          that does not; TrainingError when the loss is not finite; what train_next and callbacks
///          throw
History train(Trainable& model, const FitOptions& options);

}  // namespace systole::nn
