#include "host/distribute/core_team.h"

#include <fmt/format.h>

#include <stdexcept>

namespace systole {

CoreTeam::CoreTeam(int cores, int workers)
    : cores_(cores), workers_(workers), failures_(static_cast<std::size_t>(cores)) {
  if (workers < 1 || workers > cores) {
    throw std::invalid_argument(fmt::format("{} workers for {} cores", workers, cores));
  }
  for (int worker = 1; worker < workers; ++worker) {
    threads_.emplace_back([this, worker] { serve(worker); });
  }
}

CoreTeam::~CoreTeam() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CoreTeam::run(const std::function<void(int)>& job) {
  {
    const std::scoped_lock lock(mutex_);
    job_ = &job;
    busy_ = workers_ - 1;
    ++round_;
  }
  changed_.notify_all();
  work(0);
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return busy_ == 0; });
    job_ = nullptr;
  }
  std::exception_ptr first;
  for (std::exception_ptr& failure : failures_) {
    if (failure && !first) first = failure;
    failure = nullptr;
  }
  if (first) std::rethrow_exception(first);
}

void CoreTeam::work(int worker) {
  for (int core = worker; core < cores_; core += workers_) {
    try {
      (*job_)(core);
    } catch (...) {
      failures_[core] = std::current_exception();
    }
  }
}

void CoreTeam::serve(int worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ended_ || round_ != seen; });
    if (ended_) return;
    seen = round_;
    lock.unlock();
    work(worker);
    lock.lock();
    if (--busy_ == 0) changed_.notify_all();
  }
}

}  // namespace systole
