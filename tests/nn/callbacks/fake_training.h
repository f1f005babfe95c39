#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/nn/training/training_loop.h"

namespace systole::tests {

/// A training without arithmetic: step s of all steps has loss 1 / s, and epochs are validated with
/// the given figures, the last of which repeats.
class FakeTraining : public nn::Trainable {
 public:
  explicit FakeTraining(std::vector<double> val_losses = {}, std::int64_t batches = 3)
      : weight("weight", {1}), val_losses_(std::move(val_losses)), batches_(batches) {}

  std::int64_t batches() const override { return batches_; }
  void begin_epoch(std::int64_t, std::int64_t, std::int64_t) override {}
  std::vector<Step> train_some(std::int64_t) override {
    ++updates_;
    weight.value[0] = static_cast<float>(updates_);
    return {
        {.score = {.loss = 1.0 / static_cast<double>(updates_), .accuracy = 0.75}, .samples = 8}};
  }
  bool can_validate() const override { return !val_losses_.empty(); }
  nn::Score validate() override {
    const std::size_t last = val_losses_.size() - 1;
    const double loss = val_losses_[validations_ < last ? validations_ : last];
    ++validations_;
    return {.loss = loss, .accuracy = 1 - loss};
  }
  std::vector<nn::Parameter*> parameters() override { return {&weight}; }
  std::int64_t updates() const override { return updates_; }
  void set_updates(std::int64_t updates) override { updates_ = updates; }
  float learning_rate() const override { return rate_; }
  void set_learning_rate(float rate) override { rate_ = rate; }
  std::map<std::string, std::string> identity() const override { return {{"model", name}}; }

  nn::Parameter weight;  ///< its value counts the updates
  std::string name = "fake";

 private:
  std::vector<double> val_losses_;
  std::int64_t batches_;
  std::size_t validations_ = 0;
  std::int64_t updates_ = 0;
  float rate_ = 0.5f;
};

}  // namespace systole::tests
