#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/nn/training/models.h"

namespace systole {

/// The MODEL of `systole train` and `compare` that is not a chain of layers: translation.
inline constexpr std::string_view kTranslationModel = "nmt";

/// The options shared by `train` and `compare`: the network, its data, and how to train it.
struct TrainingOptions {
  std::string model;
  std::string dataset;    ///< empty: the model's first
  std::string precision;  ///< empty: the device's usual one
  std::int64_t batch_size = 128;
  std::int64_t epochs = 1;
  std::optional<std::int64_t> steps_per_epoch;
  std::int64_t steps_per_execution = 1;  ///< of a launch, at most
  std::string optimizer = "adam";
  std::optional<float> learning_rate;   ///< empty: the model's
  std::string schedule = "constant";    ///< a word of nn::parse_schedule
  std::optional<float> clip_norm;       ///< empty: the model's, or none
  std::optional<float> dropout;         ///< empty: the model's
  std::optional<std::int64_t> context;  ///< of text; empty: the model's
  std::optional<std::int64_t> test_samples;
  std::optional<std::string> data_dir;
  std::uint64_t seed = 1;
};

/// The help of --optimizer.
inline constexpr const char* kOptimizers =
    "adam; adamw, with a decay of 0.1 of matrices; or sgd with momentum 0.9";

/// Adds all options except --batch-size and --seed. The variables must outlive parsing.
void add_training_options(CLI::App& command, TrainingOptions& options);

/// The named chain of layers, its data set and its optimizer, with the options filled in.
///
/// Errors   UsageError for an unknown model, data set or optimizer, listing the known ones
struct TrainingChoice {
  nn::Model model;
  std::string dataset;
  nn::Optimizer optimizer;
  nn::Schedule schedule = {};
  std::optional<float> clip_norm = {};
};
TrainingChoice choose_training(const TrainingOptions& options);

/// "adam, learning rate 0.001" and any further options of the updates.
std::string describe_updates(const TrainingChoice& choice);

/// The requested precision, or the device's usual one.
///
/// Errors   UsageError for a precision in which this device cannot train
DataType choose_precision(const TrainingOptions& options, const Device& device);

}  // namespace systole
