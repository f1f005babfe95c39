#pragma once

#include <deque>
#include <memory>
#include <span>

#include "host/nn/losses/loss.h"
#include "host/nn/training/program.h"

namespace systole::nn {

/// Forward and backward of a batch as one program: the loss, the accuracy, and where the builder is
/// training, gradients, into Parameter::gradient, and what layers update themselves.
///
/// Timing   run blocks; one thread at a time
class Step {
 public:
  /// traced: values that, with their gradients, are kept of a run. Multiplier and parameters
  /// outlive it.
  Step(Builder& builder, Value loss, Value accuracy, Multiplier& multiplier,
       std::span<const Value> traced = {});

  /// Of a batch.
  void read(std::string_view input, const void* data) { program_.read(input, data); }

  /// `step` updates were before; first_row: where the batch begins in the whole one, when that is
  /// shared out.
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
