#pragma once

#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "hls/kernels/link.h"
#include "host/distribute/line_ranks.h"
#include "sim/device/device_port.h"
#include "sim/device/neighbours.h"

namespace systole::sim {

/// Ends a host because another core of the line has failed.
class GivenUp : public std::runtime_error {
 public:
  GivenUp() : std::runtime_error("another core of the line has failed") {}
};

/// A line of simulated cores, each with a link to the one above and to the one below. What a core
/// sends arrives kFlight clocks later, so each runs kFlight clocks by itself, and then all meet.
/// Cores are shared between threads, each of which runs one core after the other; bits and clocks
/// do not depend on their number. The line goes on over ranks, which meet as often.
///
/// Timing   links are kernels::Link's in every clock
/// Limits   the ports of the cores are made with HarnessOptions::neighbours = &neighbours(core),
/// and
///          clocks pass only inside run(), in all cores alike
class CoreLine {
 public:
  static constexpr int kFlight = kernels::kLinkFlight;

  explicit CoreLine(int cores, int threads = 1, LineRanks ranks = {});
  ~CoreLine();

  int cores() const { return static_cast<int>(cores_.size()); }
  Neighbours& neighbours(int core);

  /// Holds beats from the core below for `clocks` clocks, starting now.
  void stall_from_below(int core, std::uint64_t clocks);

  /// Calls hosts[i], which drives ports[i], for all cores at once. A core whose host has returned
  /// goes on in its clocks until all have, on all ranks.
  ///
  /// Errors   what a host threw, that of the lowest core first; the others are given up. GivenUp
  ///          where hosts of other ranks threw, no later; RankError when a rank has left
  void run(std::span<DevicePort* const> ports, std::span<const std::function<void()>> hosts);

 private:
  /// What is on the wires in a clock: a beat one way, a credit the other.
  struct Wires {
    hls::Beat<LinkBeat> beat{};
    hls::UInt1 credit{0};
  };
  using Flight = std::array<Wires, kFlight>;

  /// A core's ends of the links to one neighbour.
  struct End {
    static constexpr int kPlaces = kernels::link_places(kFlight);
    kernels::LinkSender<LinkBeat, kPlaces> sender;
    kernels::LinkReceiver<LinkBeat, kPlaces> receiver;
    Flight leaves{}, arrives{};
    bool exists = false;
    std::uint64_t stalls = 0;  ///< clocks
  };
  class Core;
  struct Meet {
    CoreLine* line;
    void operator()() noexcept { line->exchange(); }
  };
  /// How a run ends, as ranks tell each other at their meetings: upwards whether the hosts of a
  /// rank and of all below it have returned, and whether one has thrown; downwards what the highest
  /// rank has made of it, which is there when all know.
  struct Course {
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};
    bool have_returned = true, has_failed = false;
    std::uint64_t last_meeting = kNever;
    bool gives_up = false;
  };
  /// What a rank sends its neighbour at a meeting.
  struct RankMessage {
    struct Clock {
      LinkBeat beat{};
      bool credit = false;
    };
    std::array<Clock, kFlight> wires{};
    Course course;
  };
  static RankMessage message(const Flight& leaves, const Course& course);
  static Flight arrival(const RankMessage& message);

  void exchange() noexcept;
  void meet_ranks();
  void end_with_ranks();
  void play(std::size_t core, DevicePort& port, const std::function<void()>& host);
  void work(std::size_t first, std::span<DevicePort* const> ports,
            std::span<const std::function<void()>> hosts);

  std::vector<std::unique_ptr<Core>> cores_;
  std::size_t threads_;
  LineRanks ranks_;
  std::unique_ptr<std::barrier<Meet>> barrier_;
  std::vector<std::exception_ptr> errors_;  ///< by core
  std::atomic<int> left_ = 0;               ///< hosts that have not returned
  std::atomic<bool> failed_ = false;        ///< a host has thrown
  bool ends_ = false;                       ///< at the last meeting all hosts had returned
  bool gives_up_ = false;                   ///< at the last meeting one had thrown
  std::uint64_t meetings_ = 0;              ///< of this run
  std::uint64_t failed_at_ = 0;             ///< the meeting at which one of this rank had thrown
  Course below_, course_;                   ///< of the ranks below; of the run
  std::exception_ptr rank_error_;
};

}  // namespace systole::sim
