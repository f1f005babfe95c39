#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "host/capi/systole.h"
#include "host/python/plugin/counters.h"
#include "tensorflow/c/tf_status.h"

namespace systole::tensorflow {

/// What TensorFlow gets as an exception of the code's class, with this text.
class Failure : public std::runtime_error {
 public:
  Failure(TF_Code code, const std::string& text) : std::runtime_error(text), code_(code) {}
  TF_Code code() const { return code_; }

 private:
  TF_Code code_;
};

/// One core: an open device and its programs, one for each text.
///
/// Timing   thread-safe; calls take turns
/// Errors   Failure with libsystole's text
class Core {
 public:
  /// Reads the environment: $SYSTOLE_DEVICE (NAME or NAME:CORES, by default model),
  /// $SYSTOLE_CONFIGURATION, $SYSTOLE_ARRAY_SIZE, $SYSTOLE_THREADS and $SYSTOLE_PRECISION, which
  /// stand for the fields of systole_options.
  Core();
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Runs StableHLO text on buffers in its order, and counts it.
  void run(const std::string& text, std::span<const systole_buffer> inputs,
           const systole_buffer& output);

  systole_tensorflow_counters counters();  ///< since it was opened
  void count_copy(bool from_core);

 private:
  std::mutex mutex_;
  systole_device* device_ = nullptr;
  std::map<std::string, systole_program*> programs_;
  systole_tensorflow_counters counters_{};
};

inline constexpr int kMostCores = 8;

/// The cores that $SYSTOLE_DEVICE asks for: 1 to kMostCores, by default 1.
///
/// Errors   Failure if it asks for others
int core_count();

}  // namespace systole::tensorflow
