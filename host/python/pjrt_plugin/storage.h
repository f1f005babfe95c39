#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

namespace systole::pjrt {

class Program;

/// A value's memory: on the host, or left on the device by the program that computed it, until
/// somebody needs it elsewhere.
///
/// Timing   used with lock_storages held
class Storage {
 public:
  explicit Storage(std::size_t size);
  /// An output that stays on the device.
  Storage(std::size_t size, std::shared_ptr<Program> program, int output);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::size_t size() const { return size_; }
  /// The bytes on the host, dense and row-major; fetched where they are on the device.
  ///
  /// Errors   Failure
  std::byte* host();

  /// Whether it is this program's output on the device.
  bool is_left_by(const Program& program, int output) const {
    return program_.get() == &program && output_ == output;
  }
  /// The program takes it up again, or it is not needed any more.
  void leave() { program_.reset(); }

 private:
  struct Free {
    void operator()(std::byte* bytes) const;
  };

  std::size_t size_;
  std::unique_ptr<std::byte, Free> bytes_;  ///< null as long as the device has it
  std::shared_ptr<Program> program_;        ///< null if the host has it
  int output_ = -1;
};

/// Storages and the programs that left them change together.
std::unique_lock<std::mutex> lock_storages();

}  // namespace systole::pjrt
