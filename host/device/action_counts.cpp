#include "host/device/action_counts.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "hls/kernels/vector/instruction.h"
#include "host/device/element_size.h"
#include "host/device/patch_stretches.h"

namespace systole {

static_assert(kVectorOperationKinds == kernels::kVectorOperations);

const std::array<std::string_view, kActions> kActionNames = {
    "multiply_adds_bf16",
    "multiply_adds_int8",
    "weight_loads",
    "adds_fp32",
    "adds_int32",
    "sum_writes",
    "sum_reads",
    "row_writes",
    "row_reads",
    "weight_writes",
    "weight_reads",
    "mask_writes",
    "mask_reads",
    "stored_sums",
    "command_beats",
    "load_row_beats",
    "load_weight_beats",
    "load_sum_beats",
    "load_mask_beats",
    "vector_program_beats",
    "vector_read_beats",
    "store_beats",
    "vector_write_beats",
    "vector_words_taken",
    "vector_words_sent",
    "vector_register_reads",
    "vector_register_writes",
    "link_words_received",
    "link_words_sent",
    "vector_empty_slots",
    "vector_fma",
    "vector_maximum",
    "vector_minimum",
    "vector_compare",
    "vector_select",
    "vector_and",
    "vector_or",
    "vector_xor",
    "vector_shift_left",
    "vector_shift_right",
    "vector_shift_right_signed",
    "vector_multiply_add",
    "vector_multiply_high",
    "vector_to_integer",
    "vector_to_float",
    "vector_to_bf16",
    "vector_to_bf16_stochastic",
    "vector_exponent",
    "vector_significand",
    "vector_scale",
    "vector_seed",
};

namespace {

constexpr std::uint64_t kRegisterCopies = 3;

constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step;
}

class Counter {
 public:
  Counter(const DeviceSizes& sizes, const Memory& memory)
      : n_(static_cast<std::uint64_t>(sizes.array_size)),
        beat_bytes_(static_cast<std::uint64_t>(sizes.beat_bytes())),
        memory_(memory) {}

  void add(const device::CommandWord& command) {
    add(Action::kCommandBeats, rounded_up(sizeof command, beat_bytes_));
    switch (device::opcode_of(command)) {
      case device::Opcode::kLoadShape:
        load_shape_ = device::decode_load_shape(command);
        break;
      case device::Opcode::kLoadPatches:
        patches_ = device::decode_load_patches(command);
        break;
      case device::Opcode::kLoad:
        load(device::decode_load(command));
        break;
      case device::Opcode::kMatmulShape:
        matmul_shape_ = device::decode_matmul_shape(command);
        break;
      case device::Opcode::kMatmul:
        multiply(device::decode_matmul(command));
        break;
      case device::Opcode::kStoreShape:
        store_shape_ = device::decode_store_shape(command);
        break;
      case device::Opcode::kStore:
        store(device::decode_store(command));
        break;
      case device::Opcode::kVectorProgram:
        bring(device::decode_vector_program(command));
        break;
      case device::Opcode::kVectorStream:
        stream(device::decode_vector_stream(command));
        break;
      case device::Opcode::kVectorRun:
        run(device::decode_vector_run(command));
        break;
      case device::Opcode::kStoreScale:
      case device::Opcode::kFence:
        break;
    }
  }

  const ActionCounts& counts() const { return counts_; }

 private:
  void add(Action which, std::uint64_t count) { counts_[which] += count; }

  /// Beats that hold some of `bytes` bytes from `address` on. Bursts are cut at multiples of a
  /// beat.
  std::uint64_t beats(std::uint64_t address, std::uint64_t bytes) const {
    if (bytes == 0) return 0;
    return (address + bytes - 1) / beat_bytes_ - address / beat_bytes_ + 1;
  }
  std::uint64_t beats_of_rows(std::uint64_t address, std::uint64_t rows, std::uint64_t stride,
                              std::uint64_t bytes) const {
    if (stride % beat_bytes_ == 0) return rows * beats(address, bytes);
    std::uint64_t sum = 0;
    for (std::uint64_t row = 0; row < rows; ++row) sum += beats(address + row * stride, bytes);
    return sum;
  }

  void load(const device::Load& command) {
    const auto element = static_cast<std::uint64_t>(loaded_bytes(command.type));
    const std::uint64_t rows = load_shape_.rows, bytes = load_shape_.cols * element;
    const std::uint64_t moved =
        command.patches ? patch_beats(command, bytes)
                        : beats_of_rows(command.address, rows, load_shape_.row_stride, bytes);
    constexpr Action kBeats[] = {Action::kLoadRowBeats, Action::kLoadWeightBeats,
                                 Action::kLoadSumBeats, Action::kLoadMaskBeats};
    constexpr Action kWrites[] = {Action::kRowWrites, Action::kWeightWrites, Action::kSumWrites,
                                  Action::kMaskWrites};
    const auto buffer = static_cast<std::size_t>(command.buffer);
    add(kBeats[buffer], moved);
    add(kWrites[buffer], rows * rounded_up(load_shape_.cols, n_));
  }

  /// Each line of a patch that has bytes in its image is a stretch of its own.
  std::uint64_t patch_beats(const device::Load& command, std::uint64_t row_bytes) const {
    std::uint64_t sum = 0;
    for (std::uint64_t row = 0; row < load_shape_.rows; ++row) {
      for_each_stretch(patches_, command, load_shape_.row_stride, row, row_bytes,
                       [&](const PatchStretch& stretch) {
                         sum += beats(stretch.address, stretch.bytes);
                         return true;
                       });
    }
    return sum;
  }

  void multiply(const device::Matmul& command) {
    const std::uint64_t tiles = matmul_shape_.tiles, rows = matmul_shape_.rows;
    const std::uint64_t entering = rows + (command.ones_row ? 1 : 0);
    const std::uint64_t adding = command.accumulate ? tiles : tiles - 1;
    add(command.is_int8 ? Action::kMultiplyAddsInt8 : Action::kMultiplyAddsBf16,
        tiles * entering * n_ * n_);
    add(Action::kWeightLoads, tiles * n_ * n_);
    add(Action::kWeightReads, tiles * n_);
    add(Action::kRowReads, tiles * (command.transpose_a ? rounded_up(rows, n_) * n_ : rows));
    add(command.is_int8 ? Action::kAddsInt32 : Action::kAddsFp32, adding * entering * n_);
    add(Action::kSumReads, adding * entering);
    add(Action::kSumWrites, tiles * entering);
  }

  void store(const device::Store& command) {
    const std::uint64_t rows = store_shape_.rows;
    add(Action::kSumReads, rows);
    add(Action::kStoredSums, rows * n_);
    if (command.masked) add(Action::kMaskReads, rows);
    add(Action::kStoreBeats, beats_of_rows(command.address, rows, store_shape_.row_stride,
                                           store_shape_.cols * static_cast<std::uint64_t>(
                                                                   stored_bytes(command.format))));
  }

  void bring(const device::VectorProgram& command) {
    const std::uint64_t each = command.constants ? 4 : 8;
    add(Action::kVectorProgramBeats, beats(command.address, command.count * each));
    if (command.constants) return;
    std::vector<std::byte> bytes(command.count * each);
    memory_.read(command.address, bytes);
    for (std::size_t i = 0; i < command.count; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, &bytes[i * each], each);
      code_[(command.place + i) % code_.size()] = word;
    }
  }

  void stream(const device::VectorStream& command) {
    if (command.end != device::VectorStreamEnd::kMemory) {
      add(command.writes ? Action::kLinkWordsSent : Action::kLinkWordsReceived,
          command.rows * rounded_up(command.cols, n_));
      return;
    }
    const auto element = static_cast<std::uint64_t>(streamed_bytes(command.format));
    if (!command.writes) {
      const std::uint64_t elements = command.broadcasts ? 1 : command.cols;
      add(Action::kVectorReadBeats,
          beats_of_rows(command.address, command.rows, command.row_stride, elements * element));
      return;
    }
    // Each word that is written is a burst.
    for (std::uint64_t column = 0; column < command.cols; column += n_) {
      const std::uint64_t elements = std::min<std::uint64_t>(n_, command.cols - column);
      add(Action::kVectorWriteBeats, beats_of_rows(command.address + column * element, command.rows,
                                                   command.row_stride, elements * element));
    }
  }

  void run(const device::VectorRun& command) {
    const std::uint64_t words = command.words;
    const std::uint64_t slots = rounded_up(words, kVectorSlots) * kVectorSlots;
    for (unsigned i = command.first; i <= command.last; ++i) {
      const auto code = kernels::decode_vector(kernels::UInt<64>::from(code_[i]));
      const auto is_stream = [](const auto& source) {
        return source == kernels::UInt<6>(kernels::kSourceStream);
      };
      counts_
          .counts[static_cast<std::size_t>(Action::kVectorOperations) + code.operation.value()] +=
          words * n_;
      add(Action::kVectorEmptySlots, slots - words);
      add(Action::kVectorRegisterReads, kRegisterCopies * slots);
      if (code.writes) add(Action::kVectorRegisterWrites, kRegisterCopies * words);
      if (is_stream(code.a) || is_stream(code.b) || is_stream(code.c)) {
        add(Action::kVectorWordsTaken, words);
      }
      if (code.out != 0) add(Action::kVectorWordsSent, words);
    }
  }

  std::uint64_t n_, beat_bytes_;
  const Memory& memory_;
  device::LoadShape load_shape_;
  device::LoadPatches patches_;
  device::MatmulShape matmul_shape_;
  device::StoreShape store_shape_;
  std::array<std::uint64_t, 64> code_{};
  ActionCounts counts_;
};

std::uint64_t sum_of(const ActionCounts& counts, Action first, Action last) {
  std::uint64_t sum = 0;
  for (auto i = static_cast<std::size_t>(first); i <= static_cast<std::size_t>(last); ++i) {
    sum += counts.counts[i];
  }
  return sum;
}

}  // namespace

std::uint64_t ActionCounts::read_beats() const {
  return sum_of(*this, Action::kCommandBeats, Action::kVectorReadBeats);
}

std::uint64_t ActionCounts::write_beats() const {
  return sum_of(*this, Action::kStoreBeats, Action::kVectorWriteBeats);
}

std::uint64_t ActionCounts::vector_operations() const {
  std::uint64_t sum = 0;
  for (auto i = static_cast<std::size_t>(Action::kVectorOperations); i < kActions; ++i) {
    sum += counts[i];
  }
  return sum;
}

ActionCounts& ActionCounts::operator+=(const ActionCounts& other) {
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  return *this;
}

ActionCounts operator-(ActionCounts a, const ActionCounts& b) {
  for (std::size_t i = 0; i < a.counts.size(); ++i) a.counts[i] -= b.counts[i];
  return a;
}

ActionCounts count_actions(std::span<const device::CommandWord> commands, const DeviceSizes& sizes,
                           const Memory& memory) {
  Counter counter(sizes, memory);
  for (const device::CommandWord& command : commands) counter.add(command);
  return counter.counts();
}

}  // namespace systole
