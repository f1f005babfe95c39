#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "host/device/device_map.h"
#include "host/device/device_sizes.h"
#include "host/device/memory.h"

namespace systole {

/// What a device does that costs energy. Lanes of padding count as the others do, since the device
/// works on them.
///
/// Units    elements for what the array and the lanes compute; words of N elements for buffers,
///          accumulators, registers and streams; beats of the bus for memory
enum class Action : std::uint8_t {
  // The array: each row that enters meets N x N weights.
  kMultiplyAddsBf16,
  kMultiplyAddsInt8,
  kWeightLoads,  ///< weights that an element takes
  // The accumulators.
  kAddsFp32,
  kAddsInt32,
  kSumWrites,
  kSumReads,  ///< to be added to, or to be stored
  // The buffers.
  kRowWrites,
  kRowReads,
  kWeightWrites,
  kWeightReads,
  kMaskWrites,
  kMaskReads,
  kStoredSums,  ///< sums that pass through store's lanes
  // The bus, by who moves what.
  kCommandBeats,
  kLoadRowBeats,
  kLoadWeightBeats,
  kLoadSumBeats,
  kLoadMaskBeats,
  kVectorProgramBeats,
  kVectorReadBeats,
  kStoreBeats,
  kVectorWriteBeats,
  // The vector engine. Its register file has three copies, one for each operand.
  kVectorWordsTaken,  ///< from input streams
  kVectorWordsSent,
  kVectorRegisterReads,
  kVectorRegisterWrites,
  kLinkWordsReceived,  ///< of those taken and sent, from and to neighbouring cores
  kLinkWordsSent,
  kVectorEmptySlots,  ///< instructions issued for a slot without a word
  kVectorOperations,  ///< of a lane: the first of kVectorOperations kinds, as VectorOperation has
                      ///< them
};
inline constexpr std::size_t kVectorOperationKinds = 21;
/// Words that an instruction of the vector engine goes through, each with registers of its own.
inline constexpr std::uint64_t kVectorSlots = 8;
inline constexpr std::size_t kActions =
    static_cast<std::size_t>(Action::kVectorOperations) + kVectorOperationKinds;

/// "multiply_adds_bf16", ..., "vector_fma", ...: in records and in Accelergy's action counts.
extern const std::array<std::string_view, kActions> kActionNames;

/// How often a device did each of them.
struct ActionCounts {
  std::array<std::uint64_t, kActions> counts{};

  std::uint64_t operator[](Action which) const { return counts[static_cast<std::size_t>(which)]; }
  std::uint64_t& operator[](Action which) { return counts[static_cast<std::size_t>(which)]; }

  std::uint64_t read_beats() const;
  std::uint64_t write_beats() const;
  std::uint64_t vector_operations() const;  ///< of all kinds

  ActionCounts& operator+=(const ActionCounts& other);
  friend ActionCounts operator-(ActionCounts a, const ActionCounts& b);
  friend bool operator==(const ActionCounts&, const ActionCounts&) = default;
};

/// What a program makes a device do, from its commands, and its micro-programs in `memory`: no
/// action depends on data or clocks.
///
/// Limits   the program ends without a fault, and brings no micro-program that it has written
///          itself
/// Source   the kernels of hls/kernels; action_watch_test counts the same in the RTL
ActionCounts count_actions(std::span<const device::CommandWord> commands, const DeviceSizes& sizes,
                           const Memory& memory);

}  // namespace systole
