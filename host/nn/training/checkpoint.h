#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/nn/layers/parameter.h"
#include "host/nn/training/safetensors.h"

namespace systole::nn {

/// The state of a training, by name: words, numbers and arrays; in a file, a safetensors file whose
/// metadata hold the words and numbers.
///
/// Numbers  everything reads back to the same bits
/// Errors   CheckpointError, one line: path, what is wrong, what to do
class Checkpoint {
 public:
  /// Reads a file. Nothing of a file that is damaged in any way is used.
  static Checkpoint load(const std::filesystem::path& path);

  /// Writes it as host/data/atomic_file.h says: whole or not at all.
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

  /// An array of this very shape, all of it finite.
  std::vector<float> floats(const std::string& key, const Shape& shape) const;

  /// The names of all arrays that begin with `prefix`, sorted.
  std::vector<std::string> arrays(const std::string& prefix) const;

  /// "FILE: WHAT", to be thrown; where it was not read from a file, "this checkpoint: WHAT".
  CheckpointError error(const std::string& what) const;

 private:
  const StoredTensor& array(const std::string& key, const char* type) const;

  Safetensors content_;
  std::string source_ = "this checkpoint";
};

/// Values and optimizer state of all parameters.
///
/// Errors   TrainingError naming the parameter, for one that is not finite
void save_parameters(Checkpoint& checkpoint, std::span<Parameter* const> parameters);

/// The other way. Everything is checked before anything is changed.
///
/// Errors   CheckpointError for a parameter that is missing, left over, of another shape or not
///          finite
void restore_parameters(const Checkpoint& checkpoint, std::span<Parameter* const> parameters);

/// The values alone, for a model that is only to be used: whoever trained it, and however far.
void load_weights(const Checkpoint& checkpoint, std::span<Parameter* const> parameters);

}  // namespace systole::nn
