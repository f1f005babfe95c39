#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/driver/device_map.h"
#include "host/driver/memory.h"

namespace systole {

struct Product;

/// The most commands of a program: one doorbell names all of them.
inline constexpr std::int64_t kDoorbellCommands = std::int64_t{1}
                                                  << (device::kCommandIndexBits - 1);

/// A program in device memory: `commands` from address `ring` on, a multiple of 16. Everything it
/// reads or writes lies in [base, end). `products` is what the builder claims the program computes;
/// the commands decide.
struct PlacedProgram {
  std::span<const device::CommandWord> commands;
  std::uint64_t ring = 0;
  std::uint64_t base = 0, end = 0;
  const std::vector<Product>* products = nullptr;
  std::uint64_t multiplies = 0, macs = 0;  ///< its products and their multiply-adds, to be counted
};

/// How a program ended.
struct ProgramResult {
  std::array<std::uint64_t, device::kCounters> counts{};
  device::FaultCode fault = device::FaultCode::kNone;
  std::uint32_t command = 0;  ///< the index of the command that met the fault
  std::uint64_t address = 0;
};

/// Sizes of the device's array, buffers and bus, as read from its registers.
struct DeviceShape {
  int array_size = 0;
  std::int64_t bank_rows = 0, row_words = 0, weight_words = 0, mask_words = 0;
  int bus_bytes = 0;  ///< of a beat
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

  virtual DeviceShape shape() const = 0;
  virtual ProgramResult run(const PlacedProgram& program) = 0;
  virtual Memory& memory() = 0;
};

}  // namespace systole
