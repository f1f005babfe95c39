#pragma once

#include <deque>
#include <memory>
#include <span>

#include "host/nn/losses/loss.h"
#include "host/nn/training/program.h"

namespace systole::nn {

/// A batch's forward pass as one program, with loss and accuracy. If the builder is training, also
/// the backward pass into Parameter::gradient and the layers' own updates.
///
/// Timing   run blocks; one thread at a time
class Step {
 public:
  /// Keeps the values of `traced` and their gradients from each run. Multiplier and parameters must
  /// outlive it.
  Step(Builder& builder, Value loss, Value accuracy, Multiplier& multiplier,
       std::span<const Value> traced = {});

  /// Sets an input of the batch.
  void read(std::string_view input, const void* data) { program_.read(input, data); }

  /// step: updates so far; first_row: where this core's rows begin in the whole batch.
  Score run(std::int64_t step, std::int64_t first_row = 0);

  struct Trace {
    Tensor value, gradient;
  };
  const std::deque<Trace>& traces() const { return traces_; }

 private:
  Program write(Builder& builder, Value loss, Value accuracy, std::span<const Value> traced);

  Multiplier& multiplier_;
  std::deque<Trace> traces_;
  std::vector<Parameter*> updated_;  ///< by layers
  float loss_ = 0, accuracy_ = 0;
  std::uint32_t step_ = 0, first_row_ = 0;
  Program program_;
};

}  // namespace systole::nn
