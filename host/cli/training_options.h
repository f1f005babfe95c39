#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "host/nn/training/models.h"

namespace systole {

/// What `train` and `compare` both ask for: which network, on what data, how.
struct TrainingOptions {
  std::string model;
  std::string dataset;    ///< empty: the model's first
  std::string precision;  ///< empty: fp32 on cpu, bf16 elsewhere
  std::int64_t batch_size = 128;
  std::int64_t epochs = 1;
  std::optional<std::int64_t> steps_per_epoch;
  std::string optimizer = "adam";
  std::optional<float> learning_rate;  ///< empty: the model's
  std::string schedule = "constant";   ///< a word of nn::parse_schedule
  std::optional<float> clip_norm;      ///< empty: the model's, or none
  std::optional<float> dropout;        ///< empty: the model's
  std::optional<std::int64_t> test_samples;
  std::string data_dir;
  std::uint64_t seed = 1;
};

/// Adds all but --batch-size and --seed. The variables must outlive parsing.
void add_training_options(CLI::App& command, TrainingOptions& options);

/// The named model; its data set and optimizer with the options filled in.
///
/// Errors   UsageError listing what there is, for a model, data set or optimizer there is not
struct TrainingChoice {
  nn::Model model;
  std::string dataset;
  nn::Optimizer optimizer;
  nn::Schedule schedule = {};
  std::optional<float> clip_norm = {};
};
TrainingChoice choose_training(const TrainingOptions& options);

/// "adam, learning rate 0.001", and what else was asked for of the updates.
std::string describe_updates(const TrainingChoice& choice);

/// The precision asked for, or the device's usual one.
///
/// Errors   UsageError for one that cannot be trained in on this device
DataType choose_precision(const TrainingOptions& options, const Device& device);

}  // namespace systole
