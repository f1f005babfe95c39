#include "host/nn/training/prefetcher.h"

#include <chrono>
#include <utility>

namespace systole::nn {

void Prefetcher::begin(std::uint64_t seed, std::int64_t epoch, std::int64_t first,
                       std::int64_t end) {
  stop();
  ready_.clear();
  batches_.shuffle(seed, epoch);
  stopping_ = false;
  if (first < end) thread_ = std::thread([this, first, end] { gather(first, end); });
}

void Prefetcher::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Prefetcher::gather(std::int64_t first, std::int64_t end) {
  for (std::int64_t i = first; i < end; ++i) {
    Ready batch;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || ready_.size() < ahead_; });
      if (stopping_) return;
      if (!spare_.empty()) {
        batch = std::move(spare_.back());
        spare_.pop_back();
      }
    }
    try {
      const auto start = std::chrono::steady_clock::now();
      batches_.take(i, batch.inputs, batch.labels);
      if (prepare_) batch.prepared = prepare_(i, batch.inputs, batch.labels);
      const auto now = std::chrono::steady_clock::now();
      batch.seconds = std::chrono::duration<double>(now - start).count();
    } catch (...) {
      batch.error = std::current_exception();
    }
    const bool failed = batch.error != nullptr;
    {
      const std::lock_guard lock(mutex_);
      ready_.push_back(std::move(batch));
    }
    changed_.notify_all();
    if (failed) return;
  }
}

void Prefetcher::next() {
  Ready batch;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty(); });
    if (ready_.front().error) std::rethrow_exception(ready_.front().error);
    batch = std::move(ready_.front());
    ready_.pop_front();
  }
  changed_.notify_all();
  inputs_.resize(batch.inputs.rows, batch.inputs.row_size);
  std::swap(inputs_.values, batch.inputs.values);
  std::swap(labels_, batch.labels);
  prepared_ = std::move(batch.prepared);
  seconds_ = batch.seconds;
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(batch));
}

}  // namespace systole::nn
