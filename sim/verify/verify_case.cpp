#include "sim/verify/verify_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "sim/verify/followers.h"
#include "sim/verify/kinds.h"
#include "sim/verify/program_writer.h"
#include "systole/cosim/random.h"

namespace systole::verify {
namespace {

using cosim::Random;

constexpr std::uint64_t kOperandBytes = 65536;
constexpr std::uint64_t kGuardBytes = 16384;
constexpr std::uint64_t kCommandBytes = 16;
constexpr int kLargestRingLog2 = 8;
constexpr const char* kWaitsForSums = "counts: wait_for_sums";

Layout lay_out(std::uint64_t first_address) {
  std::uint64_t next = first_address;
  const auto block = [&](std::uint64_t size) {
    const Block placed{.base = next, .size = size};
    next += size;
    return placed;
  };
  // Inputs and outputs lie side by side, because the writer numbers their bytes consecutively.
  Layout layout;
  layout.inputs = block(kOperandBytes);
  layout.outputs = block(kOperandBytes);
  layout.closed = block(kGuardBytes);
  layout.trap = block(kGuardBytes);
  layout.ring = block((kCommandBytes << kLargestRingLog2) + 4096);
  return layout;
}

sim::MemoryBehaviour random_behaviour(Random& random, int bus_bytes) {
  sim::MemoryBehaviour behaviour;
  const auto one_of = [&](std::initializer_list<int> values) {
    return values.begin()[random.below(static_cast<std::uint32_t>(values.size()))];
  };
  behaviour.latency = one_of({1, 2, 7, 20, 64, 64, 150});
  behaviour.write_latency = one_of({1, 3, 20, 64, 150});
  behaviour.bytes_per_cycle = one_of({0, 0, 0, 1, bus_bytes / 2, bus_bytes - 1});
  behaviour.bursts = one_of({1, 2, 5, 64, 64, 256});
  behaviour.mix_reads = random.below(2) != 0;
  behaviour.seed = random.bits();
  if (random.below(2) != 0) {
    const auto often = [&] {
      return static_cast<std::uint8_t>(random.below(3) * random.below(90));
    };
    behaviour.stalls = {often(), often(), often(), often(), often()};
  }
  return behaviour;
}

Ending random_ending(Random& random) {
  // Half of the cases test results, the others faults.
  if (random.below(2) != 0) return Ending::kDone;
  return static_cast<Ending>(random.between(1, static_cast<int>(Ending::kReset)));
}

/// Later additions to the cases. They have a generator of their own, so recorded seeds stay valid.
void add_rarities(Case& which, Random& random) {
  which.harness.register_seed = random.bits32();
  // Memory answers every beat of the trap with an error, or one byte's in each command's length.
  const Block& trap = which.layout.trap;
  sim::ErrorRange reads{.base = trap.base, .end = trap.end(), .writes = false};
  if (random.below(2) != 0) {
    reads.every = kCommandBytes;
    reads.at = random.below(kCommandBytes);
  }
  which.behaviour.error_ranges = {
      reads, {.base = trap.base, .end = trap.end(), .reads = false, .writes = true}};
  if (random.below(4) != 0) return;
  // Before the last program: after power-on, or after the reset that an earlier one needs.
  const int actions = random.between(1, 20);
  which.programs.insert(
      which.programs.end() - 1,
      ProgramWriter(which.array_size, which.layout, random, 2).write_missing_shape(actions));
}

/// In some cases, before the last program, one that waits for a neighbour in vain. Later still.
void add_lone_program(Case& which, Random& random) {
  if (random.below(8) != 0) return;
  const int actions = random.between(1, 20);
  which.programs.insert(
      which.programs.end() - 1,
      ProgramWriter(which.array_size, which.layout, random, 3).write(actions, Ending::kLinkStall));
}

/// Bytes that are mostly ordinary and sometimes extreme numbers, whether read as bf16, int8 or 32
/// bits.
void fill(std::span<std::byte> bytes, Random& random) {
  constexpr std::size_t kPatch = 256;
  for (std::size_t at = 0; at < bytes.size(); at += kPatch) {
    const auto style = random.below(8);
    for (std::size_t i = 0; i < kPatch; i += 4) {
      std::uint32_t word = random.bits32();
      const std::uint32_t sign = word & 0x80008000;
      if (style < 4) {  // bf16 around 1, also as the upper half of an fp32
        word = sign | ((0x3f003f00 + (word & 0x00ff00ff)) & 0x7fff7fff);
      } else if (style == 4) {  // small int8 and small int32
        word = random.below(2) != 0 ? word & 0x07070707 : word & 0xff;
      } else if (style == 5) {  // the ends of the formats
        constexpr std::uint32_t kExtremes[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                               0x7fc00000, 0x00800000, 0x007fffff, 0x7f7fffff,
                                               0x80808080, 0x7f7f7f7f, 0x3f803f80, 0x00010001};
        word = kExtremes[random.below(std::size(kExtremes))];
      }  // else any bits
      std::memcpy(&bytes[at + i], &word, sizeof word);
    }
  }
}

/// The kind that a seed's case must have: consecutive seeds go through all kinds, so few cases
/// cover them. Cases of N = 4 have no such kind, because long campaigns of them are recorded by
/// seed.
std::string kind_to_meet(std::uint64_t seed, int array_size) {
  static const std::vector<std::string> kinds = directed_kinds();
  return array_size == 4 ? "" : kinds[seed % kinds.size()];
}

bool meets(const Case& which, const std::string& kind) {
  for (const Program& program : which.programs) {
    // In a program that faults, it is unknown which commands are done.
    const std::size_t done = program.ending == Ending::kDone ? program.commands.size() : 0;
    const auto kinds = kinds_of(which, program, done);
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) return true;
  }
  return false;
}

// A beat in 40 clocks or so, and reads as fast as they come.
void take_writes_slowly(sim::MemoryBehaviour& behaviour) {
  behaviour.bytes_per_cycle = 0;
  behaviour.stalls = {.write = 250};
}

Case draw_case(std::uint64_t seed, int array_size, int bus_bytes, std::uint64_t attempt,
               bool waits_for_sums) {
  constexpr std::uint64_t kFarApart = 0x9e3779b97f4a7c15;
  Random random(seed * 1000003 + static_cast<std::uint64_t>(array_size) + attempt * kFarApart);
  Case which{.seed = seed, .array_size = array_size};
  // Anywhere in 40 bits, and not page-aligned, so that bursts meet page boundaries anywhere.
  which.first_address = 0x1000;
  if (random.below(2) != 0) {
    which.first_address =
        (random.bits() & ((std::uint64_t{1} << 40) - 1) & ~std::uint64_t{0x3f}) + 0x1000;
    which.first_address = std::min(which.first_address, (std::uint64_t{1} << 40) - 0x40000);
  }
  which.layout = lay_out(which.first_address);
  which.behaviour = random_behaviour(random, bus_bytes == 0 ? array_size : bus_bytes);
  which.behaviour.bus_bytes = bus_bytes;
  which.harness.lite_seed = random.below(2) != 0 ? random.bits() | 1 : 0;
  which.ring_log2 = random.between(0, kLargestRingLog2);
  which.ring_offset = random.below(4096 / kCommandBytes) * kCommandBytes;

  if (waits_for_sums) {
    // A product that meets a store must be in its queue before the store ends, whatever the host
    // does.
    which.ring_log2 = kLargestRingLog2;
    which.behaviour.bytes_per_cycle = std::max(1, array_size / 8);
  }
  const Ending ending = waits_for_sums ? Ending::kDone : random_ending(random);
  const int actions = random.between(1, random.below(4) == 0 ? 60 : 20);
  ProgramWriter writer(array_size, which.layout, random);
  which.programs.push_back(waits_for_sums ? writer.write_waiting_for_sums(actions)
                                          : writer.write(actions, ending));
  if (ending != Ending::kDone) {
    which.programs.push_back(
        ProgramWriter(array_size, which.layout, random, 1).write(actions, Ending::kDone));
  }
  Random rarities(~seed * 1000003 + static_cast<std::uint64_t>(array_size) + attempt * kFarApart);
  add_rarities(which, rarities);
  constexpr std::uint64_t kLinks = 0xd6e8feb86659fd93;
  Random links(seed * kLinks + static_cast<std::uint64_t>(array_size) + attempt * kFarApart);
  add_lone_program(which, links);
  return which;
}

}  // namespace

std::vector<std::string> directed_kinds() {
  std::vector<std::string> kinds = kinds_to_have();
  kinds.emplace_back(kWaitsForSums);
  return kinds;
}

Case make_case(std::uint64_t seed, int array_size, int bus_bytes) {
  const std::string kind = kind_to_meet(seed, array_size);
  const bool waits_for_sums = kind == kWaitsForSums;
  for (std::uint64_t attempt = 0;; ++attempt) {
    Case which = draw_case(seed, array_size, bus_bytes, attempt, waits_for_sums);
    if (!kind.empty() && !waits_for_sums && !meets(which, kind)) continue;
    if (kind == kManyOutputs) take_writes_slowly(which.behaviour);
    // With a generator of their own too, so recorded cases keep their programs up to the fault.
    constexpr std::uint64_t kFollowers = 0xbf58476d1ce4e5b9;
    Random random(seed * kFollowers + static_cast<std::uint64_t>(array_size));
    for (Program& program : which.programs) {
      add_followers(program, which.layout, array_size, random);
    }
    return which;
  }
}

DeviceMemory make_memory(const Case& which) {
  DeviceMemory memory(DeviceMemory::kDefaultCapacityBytes, which.first_address);
  Random random(which.seed);
  const Layout& layout = which.layout;
  for (const Block& block :
       {layout.inputs, layout.outputs, layout.closed, layout.trap, layout.ring}) {
    const std::uint64_t base = memory.allocate(static_cast<std::int64_t>(block.size));
    fill(memory.elements<std::byte>(base, static_cast<std::int64_t>(block.size)), random);
  }
  for (const Program& program : which.programs) {
    for (const Placed& placed : program.placed) memory.write(placed.address, placed.bytes);
  }
  return memory;
}

std::uint64_t ring_base(const Case& which, const Program& program) {
  const Layout& layout = which.layout;
  const Block& block = program.ending == Ending::kRingWindow  ? layout.closed
                       : program.ending == Ending::kRingError ? layout.trap
                                                              : layout.ring;
  return block.base + which.ring_offset;
}

std::array<WindowSetting, device::kWindows> windows(const Layout& layout) {
  return {{{layout.inputs, true, false},
           {layout.outputs, true, true},
           {layout.trap, true, true},
           {layout.ring, true, false}}};
}

std::string describe(const sim::MemoryBehaviour& b) {
  return fmt::format(
      "latency {}, write latency {}, {} bytes a cycle, {} bursts, stalls {} {} {} {} {}{}",
      b.latency, b.write_latency, b.bytes_per_cycle, b.bursts, b.stalls.read_request, b.stalls.read,
      b.stalls.write_request, b.stalls.write, b.stalls.response,
      b.mix_reads ? ", reads mixed" : "");
}

}  // namespace systole::verify
