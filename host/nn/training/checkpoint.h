#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/nn/layers/parameter.h"
#include "host/nn/training/safetensors.h"

namespace systole::nn {

/// The state of a training by name: words, numbers and arrays. On disk a safetensors file with the
/// words and numbers in its metadata, and beside them a checksum of all bytes.
///
/// Numbers  everything reads back bit for bit
/// Errors   CheckpointError, one line: path, what is wrong, what to do
class Checkpoint {
 public:
  /// Reads a file that save() wrote; uses nothing from one that differs in any byte.
  static Checkpoint load(const std::filesystem::path& path);

  /// Writes the file whole or not at all; see host/data/atomic_file.h.
  void save(const std::filesystem::path& path) const;

  void set(const std::string& key, const std::string& words);
  void set(const std::string& key, std::int64_t number);
  void set(const std::string& key, double number);
  void set(const std::string& key, const Shape& shape, std::span<const float> values);
  void set(const std::string& key, std::span<const double> values);

  bool has(const std::string& key) const;
  std::string words(const std::string& key) const;
  std::int64_t integer(const std::string& key) const;  ///< refuses negative ones
  double number(const std::string& key) const;
  std::vector<double> doubles(const std::string& key) const;

  /// An array of exactly this shape, all values finite.
  std::vector<float> floats(const std::string& key, const Shape& shape) const;

  /// An array's shape.
  Shape shape(const std::string& key) const;

  /// The names of all arrays beginning with `prefix`, sorted.
  std::vector<std::string> arrays(const std::string& prefix) const;

  /// The error "FILE: WHAT", or "this checkpoint: WHAT" if it was not read from a file.
  CheckpointError error(const std::string& what) const;

 private:
  const StoredTensor& array(const std::string& key, const char* type) const;

  Safetensors content_;
  std::string source_ = "this checkpoint";
};

/// Adds values and optimizer state of all parameters.
///
/// Errors   TrainingError naming a parameter that is not finite
void save_parameters(Checkpoint& checkpoint, std::span<Parameter* const> parameters);

/// Restores them. Checks everything before changing anything.
///
/// Errors   CheckpointError for a missing or surplus parameter, another shape, or a value that is
///          not finite
void restore_parameters(const Checkpoint& checkpoint, std::span<Parameter* const> parameters);

/// Restores the values alone, for inference.
void load_weights(const Checkpoint& checkpoint, std::span<Parameter* const> parameters);

}  // namespace systole::nn
