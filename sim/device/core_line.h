#pragma once

#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hls/kernels/link.h"
#include "sim/device/device_port.h"
#include "sim/device/neighbours.h"

namespace systole::sim {

/// A line of simulated cores, each with a link to the one above and to the one below. What a core
/// sends arrives kFlight clocks later, so each runs kFlight clocks by itself, and then all meet.
/// Cores are shared between threads, each of which runs one core after the other; bits and clocks
/// do not depend on their number.
///
/// Timing   links are kernels::Link's in every clock
/// Limits   the ports of the cores are made with HarnessOptions::neighbours = &neighbours(core),
/// and
///          clocks pass only inside run(), in all cores alike
class CoreLine {
 public:
  static constexpr int kFlight = kernels::kLinkFlight;

  explicit CoreLine(int cores, int threads = 1);
  ~CoreLine();

  int cores() const { return static_cast<int>(cores_.size()); }
  Neighbours& neighbours(int core);

  /// Holds beats from the core below for `clocks` clocks, starting now.
  void stall_from_below(int core, std::uint64_t clocks);

  /// Calls hosts[i], which drives ports[i], for all cores at once. A core whose host has returned
  /// goes on in its clocks until all have.
  ///
  /// Errors   what a host threw, that of the lowest core first; the others are given up
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

  void exchange();
  void play(std::size_t core, DevicePort& port, const std::function<void()>& host);
  void work(std::size_t first, std::span<DevicePort* const> ports,
            std::span<const std::function<void()>> hosts);

  std::vector<std::unique_ptr<Core>> cores_;
  std::size_t threads_;
  std::unique_ptr<std::barrier<Meet>> barrier_;
  std::vector<std::exception_ptr> errors_;  ///< by core
  std::atomic<int> left_ = 0;               ///< hosts that have not returned
  std::atomic<bool> failed_ = false;        ///< a host has thrown
  bool ends_ = false;                       ///< at the last meeting all hosts had returned
  bool gives_up_ = false;                   ///< at the last meeting one had thrown
};

}  // namespace systole::sim
