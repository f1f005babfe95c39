#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/nn/layers/parameter.h"
#include "host/nn/training/training.h"

namespace systole::nn {

/// A model and its training data, as the training loop sees them. Sequential::fit makes one; a
/// model with its own kind of data derives one and gets epochs, callbacks, checkpoints and the rest
/// of FitOptions from train().
class Trainable {
 public:
  struct Step {
    Score score;
    std::int64_t samples = 0;  ///< the score's weight in the epoch's mean
    double input_seconds = 0;  ///< wall time that the batch took on a thread of its own
  };

  virtual ~Trainable() = default;

  virtual std::int64_t batches() const = 0;  ///< in an epoch

  /// Starts batches first..end-1 of this epoch, one for each step. The order of the samples
  /// depends on the seed and the epoch alone; epochs count from 1.
  virtual void begin_epoch(std::int64_t epoch, std::int64_t first, std::int64_t end) = 0;
  /// The next steps, at most `most`, that run together: callbacks see the model after them.
  virtual std::vector<Step> train_some(std::int64_t most) = 0;

  virtual bool can_validate() const = 0;
  virtual Score validate() = 0;

  virtual std::vector<Parameter*> parameters() = 0;

  /// Updates so far: Adam's t, and the seed of randomness within a step.
  virtual std::int64_t updates() const = 0;
  virtual void set_updates(std::int64_t updates) = 0;
  virtual float learning_rate() const = 0;
  virtual void set_learning_rate(float rate) = 0;

  /// The learning rate of the last update, schedule included.
  virtual float step_rate() const { return learning_rate(); }

  /// Properties that a resumed run must share, such as {"precision", "bf16"}; a checkpoint with
  /// other values is refused with the first that differs.
  virtual std::map<std::string, std::string> identity() const = 0;
};

/// The training loop. The Trainable handles the options about data: validation_data, batch_size and
/// seed.
///
/// Errors   std::invalid_argument for invalid options; CheckpointError for a checkpoint of another
///          run; TrainingError when the loss is not finite; whatever train_some and callbacks throw
History train(Trainable& model, const FitOptions& options);

}  // namespace systole::nn
