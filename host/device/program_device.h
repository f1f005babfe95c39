#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "host/device/device_map.h"
#include "host/device/device_sizes.h"
#include "host/device/memory.h"
#include "host/device/product.h"

namespace systole {

/// A product of a program. Its depth has `stretch` elements a stretch, each of which begins a tile
/// of the array (numerics.md, section 5); 0: all is one stretch.
struct ProductUnit {
  Product product;
  std::int64_t stretch = 0;
};

/// A kernel of a program: the commands of the vector engine in the order of their effects.
struct KernelUnit {
  std::vector<device::CommandWord> commands;
};

/// What one engine computes.
using ProgramUnit = std::variant<ProductUnit, KernelUnit>;

/// The most commands of a program: one doorbell names all of them.
inline constexpr std::int64_t kDoorbellCommands = std::int64_t{1}
                                                  << (device::kCommandIndexBits - 1);

/// A program in device memory: `commands` from address `ring` on, a multiple of 16. Everything it
/// reads or writes lies in [base, end). `units` is what the builder claims that the program
/// computes, one after the other; the commands decide. Programs of one `number` are one program:
/// the same commands, units and micro-programs at the same addresses, in memory that has not been
/// freed in between. A device need not look again at what it found out about it; 0 claims nothing.
struct PlacedProgram {
  std::span<const device::CommandWord> commands;
  std::uint64_t ring = 0;
  std::uint64_t base = 0, end = 0;
  std::span<const ProgramUnit> units = {};
  std::uint64_t number = 0;
  std::uint64_t multiplies = 0, macs = 0;  ///< its products and their multiply-adds, to be counted
  std::uint32_t link_patience = 0;  ///< clocks that its streams wait for a neighbour; 0: none
};

/// A number that no program of this process has.
std::uint64_t new_program_number();

/// How a program ended.
struct ProgramResult {
  std::array<std::uint64_t, device::kCounters> counts{};
  device::FaultCode fault = device::FaultCode::kNone;
  std::uint32_t command = 0;  ///< the index of the command that met the fault
  std::uint64_t address = 0;
};

/// Something that runs programs: a device driven through its registers, or a model of one.
///
/// Timing   run returns when the program is done; every program starts on a freshly reset device,
///          so its clocks do not depend on what ran before
/// Limits   1 to kDoorbellCommands commands
/// Errors   faults are returned; the device is usable afterwards. DeviceError if it hangs
class ProgramDevice {
 public:
  virtual ~ProgramDevice() = default;

  virtual const DeviceSizes& sizes() const = 0;  ///< as its registers say
  virtual ProgramResult run(const PlacedProgram& program) = 0;
  virtual Memory& memory() = 0;
};

}  // namespace systole
