#include "sim/device/core_line.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <type_traits>
#include <utility>

#include "sim/device/fiber.h"

namespace systole::sim {

class CoreLine::Core final : public Neighbours {
 public:
  Core(CoreLine& line, bool has_above, bool has_below) : line_(line) {
    up_.exists = has_above;
    down_.exists = has_below;
    for (End* end : {&up_, &down_}) {
      end->sender.reset();
      end->receiver.reset();
    }
  }

  void show(ToDevice& to) const override {
    show(up_, to.up);
    show(down_, to.down);
  }

  void clock(const FromDevice& from, const ToDevice& to) override {
    clock(up_, from.up, to.up);
    clock(down_, from.down, to.down);
    if (++place_ < kFlight) return;
    place_ = 0;
    fiber->pause();
    if (line_.gives_up_) throw GivenUp();
  }

  Fiber* fiber = nullptr;  ///< that runs it

  End& up() { return up_; }
  End& down() { return down_; }

 private:
  static void show(const End& end, LinkToDevice& to) {
    if (!end.exists) return;
    const auto beat = end.receiver.outputs().beat;
    to.in = beat.data;
    to.in.valid = static_cast<bool>(beat.valid) && end.stalls == 0;
    to.out_ready = static_cast<bool>(end.sender.outputs().beat_ready);
  }

  void clock(End& end, const LinkFromDevice& from, const LinkToDevice& to) {
    if (!end.exists) return;
    const auto now = static_cast<std::size_t>(place_);
    end.leaves[now] = {.beat = end.sender.outputs().wire, .credit = end.receiver.outputs().credit};
    const Wires& arrives = end.arrives[now];
    end.sender.clock({.beat = {.valid = hls::UInt1::from(from.out.valid), .data = from.out},
                      .credit = arrives.credit});
    end.receiver.clock(
        {.wire = arrives.beat, .beat_ready = hls::UInt1::from(from.in_ready && to.in.valid)});
    if (end.stalls > 0) --end.stalls;
  }

  CoreLine& line_;
  End up_, down_;
  int place_ = 0;  ///< of this clock since the last meeting
};

CoreLine::CoreLine(int cores, int threads, LineRanks ranks)
    : threads_(static_cast<std::size_t>(std::clamp(threads, 1, cores))), ranks_(std::move(ranks)) {
  for (int i = 0; i < cores; ++i) {
    cores_.push_back(std::make_unique<Core>(*this, i + 1 < cores || ranks_.has_above(),
                                            i > 0 || ranks_.has_below()));
  }
}

CoreLine::~CoreLine() = default;

Neighbours& CoreLine::neighbours(int core) { return *cores_[static_cast<std::size_t>(core)]; }

void CoreLine::stall_from_below(int core, std::uint64_t clocks) {
  cores_[static_cast<std::size_t>(core)]->down().stalls = clocks;
}

void CoreLine::exchange() noexcept {
  for (std::size_t i = 0; i + 1 < cores_.size(); ++i) {
    End& below = cores_[i]->up();
    End& above = cores_[i + 1]->down();
    above.arrives = below.leaves;
    below.arrives = above.leaves;
  }
  if (ranks_.is_one()) {
    ends_ = left_ == 0;
    gives_up_ = failed_;
    return;
  }
  if (ends_ || gives_up_) return;
  try {
    meet_ranks();
  } catch (...) {
    rank_error_ = std::current_exception();
    gives_up_ = true;
  }
}

CoreLine::RankMessage CoreLine::message(const Flight& leaves, const Course& course) {
  RankMessage message{.course = course};
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    message.wires[i] = {.beat = leaves[i].beat.data, .credit = static_cast<bool>(leaves[i].credit)};
    message.wires[i].beat.valid = static_cast<bool>(leaves[i].beat.valid);
  }
  return message;
}

CoreLine::Flight CoreLine::arrival(const RankMessage& message) {
  Flight arrives;
  for (std::size_t i = 0; i < arrives.size(); ++i) {
    const auto& [beat, credit] = message.wires[i];
    arrives[i] = {.beat = {.valid = hls::UInt1::from(beat.valid), .data = beat},
                  .credit = hls::UInt1::from(credit)};
  }
  return arrives;
}

void CoreLine::meet_ranks() {
  static_assert(std::is_trivially_copyable_v<RankMessage>);
  if (failed_ && failed_at_ == Course::kNever) failed_at_ = meetings_;
  End& lowest = cores_.front()->down();
  End& highest = cores_.back()->up();
  Course own = course_;
  own.have_returned = left_ == 0 && below_.have_returned;
  own.has_failed = failed_ || below_.has_failed;
  const RankMessage to_below = message(lowest.leaves, own);
  const RankMessage to_above = message(highest.leaves, own);
  RankMessage from_below, from_above;
  ranks_.exchange({.to_below = std::as_bytes(std::span(&to_below, 1)),
                   .to_above = std::as_bytes(std::span(&to_above, 1)),
                   .from_below = std::as_writable_bytes(std::span(&from_below, 1)),
                   .from_above = std::as_writable_bytes(std::span(&from_above, 1))});
  if (ranks_.has_below()) {
    lowest.arrives = arrival(from_below);
    below_ = from_below.course;
  }
  if (ranks_.has_above()) {
    highest.arrives = arrival(from_above);
    course_ = from_above.course;
  } else if (course_.last_meeting == Course::kNever) {
    // The lowest rank knows of it size() - 1 meetings later.
    course_.gives_up = failed_ || below_.has_failed;
    const bool ends = course_.gives_up || (left_ == 0 && below_.have_returned);
    if (ends) course_.last_meeting = meetings_ + static_cast<std::uint64_t>(ranks_.size()) - 1;
  }
  const bool is_last = course_.last_meeting == meetings_;
  ends_ = is_last && !course_.gives_up;
  gives_up_ = failed_ || (is_last && course_.gives_up);
  ++meetings_;
}

/// The cores of a rank stop when one has failed; the other ranks learn it at their meetings. Of the
/// faults only those of the first such meeting count, as in one process.
void CoreLine::end_with_ranks() {
  for (Core* outer : {cores_.front().get(), cores_.back().get()}) {
    outer->up().leaves = outer->down().leaves = {};
  }
  while (meetings_ <= course_.last_meeting) meet_ranks();
  if (!course_.gives_up) return;
  const std::vector<std::uint64_t> failed = ranks_.gather<std::uint64_t>({&failed_at_, 1});
  if (*std::ranges::min_element(failed) < failed_at_) throw GivenUp();
}

void CoreLine::play(std::size_t core, DevicePort& port, const std::function<void()>& host) {
  try {
    host();
    --left_;
    while (!ends_) port.run(1);
  } catch (const GivenUp&) {
  } catch (...) {
    errors_[core] = std::current_exception();
    failed_ = true;
  }
}

/// A thread's part of a run: every threads_-th core, each until it meets the others.
void CoreLine::work(std::size_t first, std::span<DevicePort* const> ports,
                    std::span<const std::function<void()>> hosts) {
  std::vector<std::unique_ptr<Fiber>> own;
  for (std::size_t core = first; core < cores_.size(); core += threads_) {
    own.push_back(std::make_unique<Fiber>([=, this] { play(core, *ports[core], hosts[core]); }));
    cores_[core]->fiber = own.back().get();
  }
  for (;;) {
    for (const auto& fiber : own) {
      if (!fiber->has_ended()) fiber->resume();
    }
    if (std::ranges::all_of(own, [](const auto& fiber) { return fiber->has_ended(); })) break;
    barrier_->arrive_and_wait();
  }
  barrier_->arrive_and_drop();
}

void CoreLine::run(std::span<DevicePort* const> ports,
                   std::span<const std::function<void()>> hosts) {
  barrier_ =
      std::make_unique<std::barrier<Meet>>(static_cast<std::ptrdiff_t>(threads_), Meet{this});
  left_ = cores();
  failed_ = ends_ = gives_up_ = false;
  meetings_ = 0;
  failed_at_ = Course::kNever;
  below_ = course_ = {};
  below_.have_returned = !ranks_.has_below();
  rank_error_ = nullptr;
  errors_.assign(cores_.size(), nullptr);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < threads_; ++i) {
      threads.emplace_back([=, this] { work(i, ports, hosts); });
    }
    work(0, ports, hosts);
  }
  if (rank_error_) std::rethrow_exception(rank_error_);
  if (!ranks_.is_one()) end_with_ranks();
  for (const std::exception_ptr& error : errors_) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace systole::sim
