#pragma once

#include <exception>
#include <utility>

namespace systole::sim {

/// The first exception of a simulation's processes, kept for whoever runs the simulation: one that
/// left a process would end SystemC for good.
class Failure {
 public:
  /// Runs a process's step, unless something has failed before.
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
