#pragma once

#include <any>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "host/nn/training/batches.h"

namespace systole::nn {

/// Gathers the next batches on its own thread while the current one trains, and prepares them for a
/// device there.
///
/// Limits   the Batches must outlive it and must not change between begin and end
/// Timing   up to `ahead` batches wait; memory is reused. The epoch is shuffled on that thread, too
/// Numbers  the batches are those of Batches::take, whatever the threads' timing
/// Errors   next throws what gathering its batch threw
class Prefetcher {
 public:
  /// What else is done with batch `index` on that thread; the result is prepared(), and takes the
  /// place of inputs() and labels().
  using Prepare = std::function<std::any(std::int64_t index, const Tensor& inputs,
                                         std::span<const std::int32_t> labels)>;

  explicit Prefetcher(Batches& batches, Prepare prepare = {}, std::size_t ahead = 2)
      : batches_(batches), prepare_(std::move(prepare)), ahead_(ahead) {}
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Starts batches first..end-1 in the epoch's order, and drops any still pending.
  void begin(std::uint64_t seed, std::int64_t epoch, std::int64_t first, std::int64_t end);

  /// The next batch, in inputs() and labels() until the next call. At most end - first times.
  void next();

  const Tensor& inputs() const { return inputs_; }
  std::span<const std::int32_t> labels() const { return labels_; }
  std::any& prepared() { return prepared_; }
  /// Wall time that the thread took for the batch.
  double seconds() const { return seconds_; }

  /// Waits for the batch under way, after which the thread gathers no more.
  void stop();

 private:
  struct Ready {
    Tensor inputs;
    std::vector<std::int32_t> labels;
    std::any prepared;
    double seconds = 0;
    std::exception_ptr error;
  };

  struct Job {
    std::uint64_t seed = 0;
    std::int64_t epoch = 0, next = 0, end = 0;
    bool is_shuffled = false;
  };

  void work();
  void gather(const Job& job, Ready& batch);

  Batches& batches_;
  Prepare prepare_;
  std::size_t ahead_;
  Tensor inputs_;  // always the same tensor, so its copy on the device is reused
  std::vector<std::int32_t> labels_;
  std::any prepared_;
  double seconds_ = 0;

  Ready unprepared_;  // of the thread: what is only prepared stays there

  std::mutex mutex_;  // guards the rest
  std::condition_variable changed_;
  std::deque<Ready> ready_;
  std::vector<Ready> spare_;
  Job job_;
  bool is_busy_ = false, is_over_ = false;

  std::thread thread_;
};

}  // namespace systole::nn
