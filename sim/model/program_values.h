#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "host/device/disk_cache.h"
#include "host/device/program_device.h"
#include "sim/device/program_interpreter.h"
#include "sim/model/first_run_notice.h"
#include "sim/model/kernel_runner.h"
#include "sim/model/product_runner.h"

namespace systole {

/// Computes the effects of programs on memory at the speed of the CPU's vector unit.
///
/// A program's commands define its effect. If its builder also names the units that it computes,
/// products and kernels, they are computed whole, many times faster than command by command. The
/// builder is not trusted: on a program's first run both ways are taken and every bit of the
/// results is compared. `disk` remembers which programs were found equal.
///
/// Timing   the first run of a program on a machine costs both ways and a copy of its results;
///          `notice` says so when that takes long
/// Numbers  docs/numerics.md
/// Errors   DeviceError if a program does not compute its units. Faults are returned
class ProgramValues {
 public:
  ProgramValues(int array_size, int threads, ProgramMemory& memory, DiskCache disk = DiskCache({}),
                int bus_bytes = 0, FirstRunNotice& notice = FirstRunNotice::of_comparisons())
      : array_size_(array_size),
        memory_(&memory),
        interpreter_(array_size, memory, bus_bytes),
        products_(array_size, threads, memory),
        kernels_(array_size, threads, memory),
        disk_(std::move(disk)),
        notice_(&notice) {}

  ProgramFault run(const PlacedProgram& program);

 private:
  bool can_run_units(const PlacedProgram& program) const;
  void run_units(const PlacedProgram& program);
  ProgramFault interpret(const PlacedProgram& program);
  ProgramFault compare(const PlacedProgram& program);
  std::string identity_of(const PlacedProgram& program) const;
  ProgramFault run_first(const PlacedProgram& program);

  int array_size_;
  ProgramMemory* memory_;
  ProgramInterpreter interpreter_;
  ProductRunner products_;
  KernelRunner kernels_;
  DiskCache disk_;
  FirstRunNotice* notice_;
  std::unordered_set<std::uint64_t> compared_;  // hashes of the programs found equal to their units
  std::unordered_set<std::uint64_t> numbers_;   // likewise, PlacedProgram::number
};

}  // namespace systole
