#include "host/energy/program_energy.h"

#include <numeric>

#include "hls/kernels/vector/instruction.h"

namespace systole::energy {

const std::array<std::string_view, kCauses> kCauseNames = {
    "array", "accumulators", "buffers", "vector", "memory", "links", "static"};

namespace {

constexpr std::int64_t kOperandBytes = 2, kSumBytes = 4;

/// Prices the actions of a device.
class Price {
 public:
  Price(const ActionCounts& actions, const DeviceSizes& sizes, const Table& table)
      : actions_(actions), sizes_(sizes), table_(table), n_(sizes.array_size) {}

  double array() const {
    return count(Action::kMultiplyAddsBf16) * (of(Cost::kMultiplyBf16) + of(Cost::kAddFp32)) +
           count(Action::kMultiplyAddsInt8) * (of(Cost::kMultiplyInt8) + of(Cost::kAddInt32));
  }

  double accumulators() const {
    return count(Action::kAddsFp32) * of(Cost::kAddFp32) +
           count(Action::kAddsInt32) * of(Cost::kAddInt32) +
           count(Action::kStoredSums) * of(Cost::kAddInt32) +
           (count(Action::kSumReads) + count(Action::kSumWrites)) *
               words(sizes_.bank_rows, kSumBytes * n_);
  }

  double buffers() const {
    return (count(Action::kRowReads) + count(Action::kRowWrites)) *
               words(sizes_.row_words, kOperandBytes * n_) +
           (count(Action::kWeightReads) + count(Action::kWeightWrites)) *
               words(sizes_.weight_words, kOperandBytes * n_) +
           (count(Action::kMaskReads) + count(Action::kMaskWrites)) *
               words(sizes_.mask_words, (n_ + 7) / 8);
  }

  double vector() const {
    double sum =
        (count(Action::kVectorRegisterReads) + count(Action::kVectorRegisterWrites)) *
        words(kernels::kVectorRegisters * static_cast<std::int64_t>(kVectorSlots), kSumBytes * n_);
    for (std::size_t kind = 0; kind < kVectorOperationKinds; ++kind) {
      const auto first = static_cast<std::size_t>(Action::kVectorOperations);
      sum += static_cast<double>(actions_.counts[first + kind]) * vector_operation(kind, table_);
    }
    return sum;
  }

  double memory() const {
    const auto beats = static_cast<double>(actions_.read_beats() + actions_.write_beats());
    return beats * static_cast<double>(sizes_.beat_bytes()) / 8 * of(Cost::kMemory);
  }

  double links() const {
    return count(Action::kLinkWordsSent) * static_cast<double>(kSumBytes * n_) / 8 *
           of(Cost::kLink);
  }

 private:
  double count(Action which) const { return static_cast<double>(actions_[which]); }
  double of(Cost which) const { return table_[which].picojoules; }

  /// An access to a word of a memory that is `depth` words deep.
  double words(std::int64_t depth, std::int64_t word_bytes) const {
    return table_.sram(depth * word_bytes) * static_cast<double>(word_bytes) / 8;
  }

  const ActionCounts& actions_;
  const DeviceSizes& sizes_;
  const Table& table_;
  std::int64_t n_;
};

}  // namespace

double Energy::total() const { return std::accumulate(joules.begin(), joules.end(), 0.0); }

double vector_operation(std::size_t kind, const Table& table) {
  using kernels::VectorOperation;
  const double add_fp32 = table[Cost::kAddFp32].picojoules;
  const double add_int32 = table[Cost::kAddInt32].picojoules;
  switch (static_cast<VectorOperation>(kind)) {
    case VectorOperation::kFma:
      return table[Cost::kMultiplyFp32].picojoules + add_fp32;
    case VectorOperation::kMultiplyAdd:
      return table[Cost::kMultiplyInt32].picojoules + add_int32;
    case VectorOperation::kMultiplyHigh:
      return table[Cost::kMultiplyInt32].picojoules;
    default:
      return add_int32;
  }
}

Energy energy_of(const ActionCounts& actions, double seconds, const DeviceSizes& sizes,
                 const Table& table) {
  const Price price(actions, sizes, table);
  Energy energy;
  energy.joules = {kPico * price.array(),       kPico * price.accumulators(),
                   kPico * price.buffers(),     kPico * price.vector(),
                   kPico * price.memory(),      kPico * price.links(),
                   table.static_watts * seconds};
  return energy;
}

}  // namespace systole::energy
