#include "sim/device/core_line.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "sim/device/fiber.h"

namespace systole::sim {
namespace {

/// Ends a host because another one has thrown.
class GivenUp : public std::runtime_error {
 public:
  GivenUp() : std::runtime_error("another core of the line has failed") {}
};

}  // namespace

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

CoreLine::CoreLine(int cores, int threads)
    : threads_(static_cast<std::size_t>(std::clamp(threads, 1, cores))) {
  for (int i = 0; i < cores; ++i) {
    cores_.push_back(std::make_unique<Core>(*this, i + 1 < cores, i > 0));
  }
}

CoreLine::~CoreLine() = default;

Neighbours& CoreLine::neighbours(int core) { return *cores_[static_cast<std::size_t>(core)]; }

void CoreLine::stall_from_below(int core, std::uint64_t clocks) {
  cores_[static_cast<std::size_t>(core)]->down().stalls = clocks;
}

void CoreLine::exchange() {
  for (std::size_t i = 0; i + 1 < cores_.size(); ++i) {
    End& below = cores_[i]->up();
    End& above = cores_[i + 1]->down();
    above.arrives = below.leaves;
    below.arrives = above.leaves;
  }
  ends_ = left_ == 0;
  gives_up_ = failed_;
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
  errors_.assign(cores_.size(), nullptr);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < threads_; ++i) {
      threads.emplace_back([=, this] { work(i, ports, hosts); });
    }
    work(0, ports, hosts);
  }
  for (const std::exception_ptr& error : errors_) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace systole::sim
