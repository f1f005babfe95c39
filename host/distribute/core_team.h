#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace systole {

/// Threads that drive cores, each core always from the same thread.
///
/// Limits   cores >= 1, 1 <= workers <= cores; the caller is the first worker
/// Timing   run returns when the job is done for every core
/// Errors   what a job throws comes out of run, the lowest core's first; the other cores finish
class CoreTeam {
 public:
  CoreTeam(int cores, int workers);
  ~CoreTeam();
  CoreTeam(const CoreTeam&) = delete;
  CoreTeam& operator=(const CoreTeam&) = delete;

  void run(const std::function<void(int core)>& job);

 private:
  void work(int worker);
  void serve(int worker);

  int cores_, workers_;
  std::vector<std::exception_ptr> failures_;  // one for each core
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(int)>* job_ = nullptr;
  std::uint64_t round_ = 0;
  int busy_ = 0;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace systole
