#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>

#include "host/capi/systole.h"
#include "host/python/core/counters.h"

// What the plugins of TensorFlow and PJRT share.
namespace systole::python {

/// The codes of absl::Status, whose numbers TensorFlow and XLA have as well.
enum class Code : std::uint8_t {
  kInvalidArgument = 3,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kUnimplemented = 12,
  kInternal = 13,
};

/// What the framework gets as an exception of the code's class, with this text.
class Failure : public std::runtime_error {
 public:
  Failure(Code code, const std::string& text) : std::runtime_error(text), code_(code) {}
  Code code() const { return code_; }

 private:
  Code code_;
};

/// Calls `work`; its exceptions become `fail(failure)`.
template <typename Work, typename Fail>
void guarded(const Work& work, const Fail& fail) noexcept {
  try {
    work();
  } catch (const Failure& failure) {
    fail(failure);
  } catch (const std::bad_alloc&) {
    fail(Failure(Code::kResourceExhausted, "the host's memory is full"));
  } catch (const std::exception& error) {
    fail(Failure(Code::kInternal, error.what()));
  }
}

/// Errors   Failure with libsystole's text for any status but SYSTOLE_OK
void check(systole_status status);

/// Opens the device that the environment names: $SYSTOLE_DEVICE (NAME or NAME:CORES, by default
/// model), $SYSTOLE_CONFIGURATION, $SYSTOLE_ARRAY_SIZE, $SYSTOLE_THREADS and $SYSTOLE_PRECISION,
/// which stand for the fields of systole_options. The process then keeps up to 1 GiB of freed
/// memory. Of several cores, the device runs programs on all of them together.
///
/// Errors   Failure
systole_device* open_device(int cores = 1);

/// One core: an open device and its programs, one for each text.
///
/// Timing   thread-safe; calls take turns
/// Errors   Failure with libsystole's text
class Core {
 public:
  /// Of open_device.
  Core();
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Runs StableHLO text on buffers in its order, and counts it.
  systole_step run(const std::string& text, std::span<const systole_buffer> inputs,
                   const systole_buffer& output);

  const systole_device_info& info() const { return counters_.core; }
  systole_core_counters counters();  ///< since it was opened
  void count_copy(bool from_core);

 private:
  std::mutex mutex_;
  systole_device* device_ = nullptr;
  std::map<std::string, systole_program*> programs_;
  systole_core_counters counters_{};
};

void add(systole_step& sum, const systole_step& step);  ///< all but the utilization
/// Of the clocks of arrays of this core's size.
double utilization(const systole_step& done, const systole_device_info& core);

inline constexpr int kMostCores = 8;

/// The cores that $SYSTOLE_DEVICE asks for: 1 to kMostCores, by default 1.
///
/// Errors   Failure if it asks for others
int core_count();

}  // namespace systole::python
