#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace systole::sim {

/// Work with a stack of its own, which runs until it pauses.
///
/// Limits   one thread resumes it, always the same; `work` throws nothing, never pauses in a catch
///          block, and ends before the fiber is destroyed
class Fiber {
 public:
  explicit Fiber(std::function<void()> work);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the work until it pauses or ends.
  void resume();
  /// Called by the work: back to where it was resumed.
  void pause();
  bool has_ended() const { return has_ended_; }

 private:
  static constexpr std::size_t kStackBytes = std::size_t{1} << 21;
  static void enter(unsigned low, unsigned high);

  std::function<void()> work_;
  std::unique_ptr<std::byte[]> stack_;
  ucontext_t own_{}, resumer_{};
  bool has_ended_ = false;
};

}  // namespace systole::sim
