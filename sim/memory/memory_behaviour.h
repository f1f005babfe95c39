#pragma once

#include <cstdint>
#include <vector>

namespace systole::sim {

/// In how many of 256 clocks a channel of the memory stalls: is not ready, or shows nothing new.
struct MemoryStalls {
  std::uint8_t read_request = 0;
  std::uint8_t read = 0;
  std::uint8_t write_request = 0;
  std::uint8_t write = 0;
  std::uint8_t response = 0;
};

/// Bytes that fail: in [base, end), the one at `at` of each `every`. A beat that reads one of them
/// is answered with an error, and so is a burst that writes one.
struct ErrorRange {
  std::uint64_t base = 0;
  std::uint64_t end = 0;
  bool reads = true;
  bool writes = true;
  std::uint64_t every = 1;
  std::uint64_t at = 0;

  /// Whether an access to [first, last] includes one of them.
  bool meets(std::uint64_t first, std::uint64_t last, bool is_read) const;
};

/// How a memory answers on AXI4.
///
/// Units    latency: clocks from the one in which AR is accepted to the first in which its data may
///          be shown. write_latency: the same from the last W to B. Both at least 1.
///          bytes_per_cycle: per direction; 0 and anything above the bus mean a beat every clock.
///          bus_bytes: of a beat; 0 is the array's N. bursts: how many reads, and how many writes,
///          may be accepted and not yet answered
/// Numbers  stalls and the order of reads with different ids are drawn from the seed
struct MemoryBehaviour {
  int latency = 64;
  int write_latency = 64;
  int bytes_per_cycle = 0;
  int bus_bytes = 0;
  int bursts = 64;
  MemoryStalls stalls{};
  bool mix_reads = false;  ///< beats of bursts with different ids come in random order
  std::uint64_t seed = 1;

  std::vector<ErrorRange> error_ranges{};
  int read_error_every = 0;   ///< every n-th read burst answers with an error; 0 none
  int write_error_every = 0;  ///< the same for write bursts, which then write nothing
};

/// Errors   std::invalid_argument for latencies below 1, a negative bandwidth, or bursts outside
///          1 .. 256
void check_behaviour(const MemoryBehaviour& behaviour);

}  // namespace systole::sim
