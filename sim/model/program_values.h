#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "host/device/disk_cache.h"
#include "host/device/program_device.h"
#include "host/distribute/line_ranks.h"
#include "sim/device/program_interpreter.h"
#include "sim/model/first_run_notice.h"
#include "sim/model/kernel_runner.h"
#include "sim/model/product_runner.h"

namespace systole {

/// Computes the effects of programs on memory at the speed of the CPU's vector unit: of one core's,
/// or of those that the cores of a line run together.
///
/// A program's commands define its effect. If its builder also names the units that it computes,
/// products and kernels, they are computed whole, many times faster than command by command. The
/// builder is not trusted: on a program's first run both ways are taken and every bit of the
/// results is compared. `disk` remembers which programs were found equal.
///
/// Timing   the first run of a program on a machine costs both ways and a copy of its results;
///          `notice` says so when that takes long
/// Numbers  docs/numerics.md
/// Errors   DeviceError if a program does not compute its units. Faults are returned, one for each
///          core
class ProgramValues {
 public:
  ProgramValues(int array_size, int threads, ProgramMemory& memory, DiskCache disk = DiskCache({}),
                int bus_bytes = 0, FirstRunNotice& notice = FirstRunNotice::of_comparisons())
      : ProgramValues(array_size, threads, std::array{&memory}, std::move(disk), bus_bytes,
                      notice) {}

  /// The cores of a line, each with its memory; one core's units run at a time, on all threads.
  ProgramValues(int array_size, int threads, std::span<ProgramMemory* const> memories,
                DiskCache disk = DiskCache({}), int bus_bytes = 0,
                FirstRunNotice& notice = FirstRunNotice::of_comparisons());

  /// Before the first run: the cores' line goes on over these ranks, which run when this one does.
  void join(const LineRanks& ranks) { ranks_ = ranks; }

  ProgramFault run(const PlacedProgram& program) { return run({&program, 1}).front(); }
  std::vector<ProgramFault> run(std::span<const PlacedProgram> programs);

 private:
  using Programs = std::span<const PlacedProgram>;
  using Faults = std::vector<ProgramFault>;
  struct Core {
    Core(int array_size, int threads, ProgramMemory& memory, int bus_bytes)
        : memory(&memory),
          interpreter(array_size, memory, bus_bytes),
          products(array_size, threads, memory),
          kernels(array_size, threads, memory) {}
    bool can_run(const PlacedProgram& program) const;
    /// Whether it need not wait for a neighbour.
    bool can_go_on(const ProgramUnit& unit) const;
    void run(const ProgramUnit& unit);

    ProgramMemory* memory;
    ProgramInterpreter interpreter;
    ProductRunner products;
    KernelRunner kernels;
  };
  /// How to run programs; where ranks differ, the last of their ways.
  enum class Way : std::uint8_t { kUnits, kFirst, kInterpret };
  Way way_of(Programs programs) const;
  bool run_units(Programs programs);
  Faults interpret(Programs programs);
  Faults compare(Programs programs);
  std::string identity_of(Programs programs) const;
  Faults run_first(Programs programs);

  LineRanks ranks_;
  int array_size_;
  std::deque<Core> cores_;
  DiskCache disk_;
  FirstRunNotice* notice_;
  std::unordered_set<std::uint64_t> compared_;  // hashes of the programs found equal to their units
  std::set<std::vector<std::uint64_t>> numbers_;  // likewise, their PlacedProgram::number
};

}  // namespace systole
