#include "host/nn/training/prefetcher.h"

#include <chrono>
#include <utility>

namespace systole::nn {

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Prefetcher::begin(std::uint64_t seed, std::int64_t epoch, std::int64_t first,
                       std::int64_t end) {
  stop();
  {
    const std::lock_guard lock(mutex_);
    ready_.clear();
    job_ = {.seed = seed, .epoch = epoch, .next = first, .end = end};
  }
  changed_.notify_all();
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
}

void Prefetcher::stop() {
  std::unique_lock lock(mutex_);
  job_.end = job_.next;
  changed_.wait(lock, [&] { return !is_busy_; });
}

void Prefetcher::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock,
                  [&] { return is_over_ || (job_.next < job_.end && ready_.size() < ahead_); });
    if (is_over_) return;
    const Job job = job_;
    ++job_.next;
    job_.is_shuffled = true;
    is_busy_ = true;
    Ready batch;
    if (!spare_.empty()) {
      batch = std::move(spare_.back());
      spare_.pop_back();
    }
    lock.unlock();
    try {
      gather(job, batch);
    } catch (...) {
      batch.error = std::current_exception();
    }
    lock.lock();
    is_busy_ = false;
    if (batch.error) job_.end = job_.next;
    ready_.push_back(std::move(batch));
    changed_.notify_all();
  }
}

void Prefetcher::gather(const Job& job, Ready& batch) {
  const auto start = std::chrono::steady_clock::now();
  if (!job.is_shuffled) batches_.shuffle(job.seed, job.epoch);
  Ready& gathered = prepare_ ? unprepared_ : batch;
  batches_.take(job.next, gathered.inputs, gathered.labels);
  if (prepare_) batch.prepared = prepare_(job.next, gathered.inputs, gathered.labels);
  const auto now = std::chrono::steady_clock::now();
  batch.seconds = std::chrono::duration<double>(now - start).count();
}

void Prefetcher::next() {
  Ready batch;
  bool has_more = false;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty(); });
    if (ready_.front().error) std::rethrow_exception(ready_.front().error);
    batch = std::move(ready_.front());
    ready_.pop_front();
    has_more = job_.next < job_.end;
  }
  if (has_more) changed_.notify_all();  // to wake a thread takes microseconds
  inputs_.resize(batch.inputs.rows, batch.inputs.row_size);
  std::swap(inputs_.values, batch.inputs.values);
  std::swap(labels_, batch.labels);
  prepared_ = std::move(batch.prepared);
  seconds_ = batch.seconds;
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(batch));
}

}  // namespace systole::nn
