#pragma once

#include <exception>
#include <utility>

namespace systole::sim {

/// The first exception in a simulation's processes, kept for the caller of the simulation: SystemC
/// would not survive an exception that leaves a process.
class Failure {
 public:
  /// Runs a process's step unless one has failed before.
  template <typename Step>
  void guard(Step&& step) {
    if (first_) return;
    try {
      std::forward<Step>(step)();
    } catch (const std::exception&) {
      first_ = std::current_exception();
    }
  }

  explicit operator bool() const { return first_ != nullptr; }
  void rethrow() const { std::rethrow_exception(first_); }
  void clear() { first_ = nullptr; }

 private:
  std::exception_ptr first_;
};

}  // namespace systole::sim
