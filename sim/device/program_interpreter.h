#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/driver/device_map.h"

namespace systole {

class InterpretedProducts;

/// The memory that a program reads and writes, seen from the device.
class ProgramMemory {
 public:
  virtual ~ProgramMemory() = default;
  /// Where `size_bytes` bytes from `address` on lie, while nothing is freed; null where memory
  /// would answer with an error.
  virtual std::byte* locate(std::uint64_t address, std::int64_t size_bytes) = 0;
};

/// A part of memory that the host has opened: base <= address < end.
struct ProgramWindow {
  std::uint64_t base = 0, end = 0;
  bool readable = false, writable = false;
};

/// The first fault of a program; code kNone where there is none.
struct ProgramFault {
  device::FaultCode code = device::FaultCode::kNone;
  std::uint16_t command = 0;
  std::uint64_t address = 0;
  friend bool operator==(const ProgramFault&, const ProgramFault&) = default;
};

/// What a program does to memory: its commands, one after the other in the order of the ring, as
/// docs/accelerator.md and docs/numerics.md say. Buffers and sums keep what they hold.
///
/// Limits   N = 4, 8, 16, 32, 64, 128. Engines do not run apart here: the result is the device's
///          where tokens order all accesses of one place. Tokens and fences themselves do nothing,
///          so faults of the ring and of tokens are not found.
/// Timing   none; at the speed of this processor's vector unit
/// Errors   std::invalid_argument for another N. Faults are returned: an illegal command,
///          one without its shape, a burst outside every window (with its address), memory's errors
///          (with the row's address where it reads, the burst's where it writes). What the faulty
///          command did before its burst is done.
class ProgramInterpreter {
 public:
  static constexpr int kRowBufferRows = 8192;
  static constexpr int kWeightBufferRows = 4096;
  static constexpr int kAccumulatorRows = 1024;
  static constexpr int kMaskRows = 2048;

  ProgramInterpreter(int array_size, ProgramMemory& memory);
  ~ProgramInterpreter();

  int array_size() const { return size_; }
  void set_windows(std::span<const ProgramWindow> windows) {
    windows_.assign(windows.begin(), windows.end());
  }

  /// What control.reset does: no shape, scale or seed is set any more, and the marker is 0.
  void reset();

  /// Runs one command; `index` is its number in the ring, for the fault.
  ProgramFault execute(const device::CommandWord& command, std::uint16_t index);

  /// Runs commands until the first fault.
  ProgramFault run(std::span<const device::CommandWord> commands, std::uint16_t first_index = 0);

  /// The marker of the last fence.
  std::uint32_t marker() const { return marker_; }

 private:
  ProgramFault load(const device::Load& command);
  ProgramFault load_row(const device::Load& command, std::uint32_t row);
  ProgramFault load_patch(const device::Load& command, std::uint32_t row);
  ProgramFault read(std::uint64_t address, std::span<std::byte> destination);
  ProgramFault write(std::uint64_t address, std::span<const std::byte> source);
  void put_words(const device::Load& command, std::uint32_t row);
  void multiply(const device::Matmul& command);
  ProgramFault store(const device::Store& command);
  void put_operands(device::LoadType type, const std::byte* from, std::size_t count,
                    std::uint16_t* lane) const;
  void convert_line(device::StoreFormat format);
  void seed_random(std::uint32_t seed);

  int size_;
  ProgramMemory* memory_;
  std::vector<ProgramWindow> windows_;
  std::vector<std::uint16_t> rows_, weights_;  // [words][N]
  std::vector<std::uint32_t> sums_;            // [words][N]
  std::vector<std::int8_t> masks_;             // [words][N], 1 where a sum is kept
  std::vector<std::uint32_t> random_;          // [N]
  std::vector<std::byte> line_;                // a memory row on its way
  std::vector<std::uint32_t> sums_line_;       // the sums that become it
  std::vector<std::uint16_t> word_;            // a word for the masks, as elements
  std::unique_ptr<InterpretedProducts> products_;

  device::LoadShape load_shape_;
  device::LoadPatches load_patches_;
  device::MatmulShape matmul_shape_;
  device::StoreShape store_shape_;
  device::StoreScale store_scale_;
  unsigned shapes_ = 0;  ///< that commands since reset have set, bits as device::shapes_set_by
  std::uint32_t marker_ = 0;
};

}  // namespace systole
