#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/device/interpreted_links.h"
#include "sim/device/windowed_memory.h"

namespace systole {

class InterpretedProducts;
class InterpretedVectors;

/// Executes a program's effects on memory, command by command in ring order, as
/// docs/accelerator.md and docs/numerics.md define them. Buffers and sums keep their contents.
///
/// Limits   N = 4, 8, 16, 32, 64, 128; kMostWords words for each load, matmul and
///          vector_stream. Engines do not run in parallel: the result is the device's if tokens
///          order all accesses of one place. Tokens and fences do nothing here, so faults of the
///          ring and of tokens are not found.
/// Timing   keeps none; runs at the speed of this processor's vector unit
/// Errors   std::invalid_argument for another N; std::length_error, before it takes effect, for a
///          command of more words. Faults are returned: an illegal command, one without its shape,
///          a burst outside every window (with its address), and memory errors (with the row's
///          address for a read, the burst's for a write). A faulty command's earlier bursts take
///          effect.
class ProgramInterpreter {
 public:
  static constexpr int kRowBufferRows = 8192;
  static constexpr int kWeightBufferRows = 4096;
  static constexpr int kAccumulatorRows = 1024;
  static constexpr int kMaskRows = 2048;

  /// Words of N elements that one command may load or multiply, 32 times the rows buffer. A legal
  /// command can ask for 2^32: hours on the device, and gigabytes here.
  static constexpr std::uint64_t kMostWords = 32 * kRowBufferRows;

  /// The bus has N bytes if `bus_bytes` is 0.
  ProgramInterpreter(int array_size, ProgramMemory& memory, int bus_bytes = 0);
  ~ProgramInterpreter();

  int array_size() const { return size_; }
  void set_windows(std::span<const ProgramWindow> windows) { memory_.set_windows(windows); }

  /// The neighbours of this core; it has none unless told.
  void set_links(const InterpretedLinks& links);
  /// Whether the command starts a stream that a neighbour has still to send.
  bool waits_for_neighbour(const device::CommandWord& command) const;

  /// As control.reset: forgets shapes, scale, seed and vector programs; sets the marker to 0.
  void reset();

  /// Runs one command; `index` is its number in the ring, for the fault.
  ProgramFault execute(const device::CommandWord& command, std::uint32_t index);

  /// Runs commands until the first fault, and tells of each (sim::Progress).
  ProgramFault run(std::span<const device::CommandWord> commands, std::uint32_t first_index = 0);

  /// The last fence's marker.
  std::uint32_t marker() const { return marker_; }

 private:
  std::uint64_t words_of(const device::CommandWord& command) const;
  ProgramFault load(const device::Load& command);
  ProgramFault load_row(const device::Load& command, std::uint32_t row);
  ProgramFault load_patch(const device::Load& command, std::uint32_t row);
  void put_words(const device::Load& command, std::uint32_t row);
  void multiply(const device::Matmul& command);
  ProgramFault store(const device::Store& command);
  void put_operands(device::LoadType type, const std::byte* from, std::size_t count,
                    std::uint16_t* lane) const;
  void convert_line(device::StoreFormat format);
  void seed_random(std::uint32_t seed);

  int size_;
  WindowedMemory memory_;
  std::vector<std::uint16_t> rows_, weights_;  // [words][N]
  std::vector<std::uint32_t> sums_;            // [words][N]
  std::vector<std::int8_t> masks_;             // [words][N], 1 keeps a sum
  std::vector<std::uint32_t> random_;          // [N]
  std::vector<std::byte> line_;                // a memory row in transit
  std::vector<std::uint32_t> sums_line_;       // the sums it is made from
  std::vector<std::uint16_t> word_;            // the elements of a word for the masks
  std::unique_ptr<InterpretedProducts> products_;
  std::unique_ptr<InterpretedVectors> vectors_;

  device::LoadShape load_shape_;
  device::LoadPatches load_patches_;
  device::MatmulShape matmul_shape_;
  device::StoreShape store_shape_;
  device::StoreScale store_scale_;
  unsigned shapes_ = 0;  ///< set by commands since reset; bits as device::shapes_set_by
  std::uint32_t marker_ = 0;
};

}  // namespace systole
