#include "sim/device/program_interpreter.h"

#include <algorithm>
#include <cstring>

#include "host/device/element_size.h"
#include "host/device/patch_stretches.h"
#include "sim/device/by_array_size.h"
#include "sim/device/interpreted_products.h"
#include "sim/device/interpreted_vectors.h"
#include "sim/device/progress.h"
#include "sim/model/block_kernels.h"

namespace systole {
namespace {

using device::FaultCode;
using device::LoadBuffer;
using device::LoadType;
using device::StoreFormat;

/// 1 if an element is greater than zero.
std::int8_t is_positive(LoadType type, std::uint16_t bits) {
  if (type == LoadType::kInt8) return static_cast<std::int8_t>(bits) > 0;
  return bits != 0 && bits <= 0x7f80;  // neither a sign nor a NaN
}

}  // namespace

ProgramInterpreter::ProgramInterpreter(int array_size, ProgramMemory& memory, int bus_bytes)
    : size_(array_size), memory_(bus_bytes == 0 ? array_size : bus_bytes, memory) {
  sim::ControlSizes::require(array_size);
  const auto lanes = static_cast<std::size_t>(array_size);
  rows_.resize(kRowBufferRows * lanes);
  weights_.resize(kWeightBufferRows * lanes);
  sums_.resize(kAccumulatorRows * lanes);
  masks_.resize(kMaskRows * lanes);
  word_.resize(lanes);
  random_.resize(lanes, 1);
  sums_line_.resize(lanes);
  products_ = std::make_unique<InterpretedProducts>(array_size);
  vectors_ = std::make_unique<InterpretedVectors>(array_size, memory_);
  reset();
}

ProgramInterpreter::~ProgramInterpreter() = default;

void ProgramInterpreter::set_links(const InterpretedLinks& links) { vectors_->set_links(links); }

bool ProgramInterpreter::waits_for_neighbour(const device::CommandWord& command) const {
  return device::is_legal(command, size_) &&
         device::opcode_of(command) == device::Opcode::kVectorStream &&
         vectors_->waits_for_neighbour(device::decode_vector_stream(command));
}

void ProgramInterpreter::reset() {
  vectors_->reset();
  shapes_ = 0;
  marker_ = 0;
}

ProgramFault ProgramInterpreter::run(std::span<const device::CommandWord> commands,
                                     std::uint32_t first_index) {
  const auto count = static_cast<std::uint32_t>(commands.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const ProgramFault fault = execute(commands[i], first_index + i);
    if (fault.code != FaultCode::kNone) return fault;
    sim::tell_progress({.done = i + 1, .commands = count});
  }
  return {};
}

ProgramFault ProgramInterpreter::execute(const device::CommandWord& command, std::uint32_t index) {
  if (!device::is_legal(command, size_)) return {FaultCode::kIllegalCommand, index, 0};
  if ((device::shapes_needed_by(command) & ~shapes_) != 0) {
    return {FaultCode::kMissingShape, index, 0};
  }
  if (const std::uint64_t words = words_of(command); words > kMostWords) {
    throw std::length_error(fmt::format(
        "command {} takes {} words of {} elements, and the interpreter takes {} a command: split "
        "its shape's rows, columns or tiles over several commands",
        index, words, size_, kMostWords));
  }
  shapes_ |= device::shapes_set_by(command);
  ProgramFault fault;
  switch (device::opcode_of(command)) {
    case device::Opcode::kFence:
      marker_ = device::decode_fence(command).marker;
      break;
    case device::Opcode::kLoadShape:
      load_shape_ = device::decode_load_shape(command);
      break;
    case device::Opcode::kLoadPatches:
      load_patches_ = device::decode_load_patches(command);
      break;
    case device::Opcode::kLoad:
      fault = load(device::decode_load(command));
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
    case device::Opcode::kStoreScale:
      store_scale_ = device::decode_store_scale(command);
      if (store_scale_.seed != 0) seed_random(store_scale_.seed);
      break;
    case device::Opcode::kStore:
      fault = store(device::decode_store(command));
      break;
    case device::Opcode::kVectorProgram:
      return vectors_->load(device::decode_vector_program(command), index);
    case device::Opcode::kVectorStream:
      return vectors_->start(device::decode_vector_stream(command), index);
    case device::Opcode::kVectorRun:
      return vectors_->run(device::decode_vector_run(command), index);
  }
  fault.command = fault.code == FaultCode::kNone ? 0 : index;
  return fault;
}

// A store's shape cannot ask for more than 2^16.
std::uint64_t ProgramInterpreter::words_of(const device::CommandWord& command) const {
  const auto lanes = static_cast<std::uint64_t>(size_);
  switch (device::opcode_of(command)) {
    case device::Opcode::kLoad:
      return load_shape_.rows * ((load_shape_.cols + lanes - 1) / lanes);
    case device::Opcode::kMatmul:
      return std::uint64_t{matmul_shape_.rows} * matmul_shape_.tiles;
    case device::Opcode::kVectorStream: {
      const device::VectorStream stream = device::decode_vector_stream(command);
      return stream.writes ? 0 : stream.rows * ((stream.cols + lanes - 1) / lanes);
    }
    default:
      return 0;
  }
}

ProgramFault ProgramInterpreter::load(const device::Load& command) {
  line_.resize(load_shape_.cols * static_cast<std::size_t>(loaded_bytes(command.type)));
  if (command.buffer == LoadBuffer::kRows) products_->rows_changed();
  for (std::uint32_t row = 0; row < load_shape_.rows; ++row) {
    const ProgramFault fault = command.patches ? load_patch(command, row) : load_row(command, row);
    if (fault.code != FaultCode::kNone) return fault;
    put_words(command, row);
  }
  return {};
}

ProgramFault ProgramInterpreter::load_row(const device::Load& command, std::uint32_t row) {
  return memory_.read(command.address + std::uint64_t{row} * load_shape_.row_stride, line_);
}

ProgramFault ProgramInterpreter::load_patch(const device::Load& command, std::uint32_t row) {
  std::fill(line_.begin(), line_.end(), std::byte{0});
  ProgramFault fault;
  for_each_stretch(load_patches_, command, load_shape_.row_stride, row, line_.size(),
                   [&](const PatchStretch& stretch) {
                     fault = memory_.read(stretch.address,
                                          std::span(line_).subspan(stretch.at, stretch.bytes));
                     return fault.code == FaultCode::kNone;
                   });
  return fault;
}

void ProgramInterpreter::put_words(const device::Load& command, std::uint32_t row) {
  const auto lanes = static_cast<std::size_t>(size_);
  const auto bytes = static_cast<std::size_t>(loaded_bytes(command.type));
  for (std::size_t t = 0; t * lanes < load_shape_.cols; ++t) {
    const std::size_t word = command.row + t * load_shape_.tile_stride + row;
    const std::size_t count = std::min<std::size_t>(lanes, load_shape_.cols - t * lanes);
    const std::byte* from = &line_[t * lanes * bytes];
    switch (command.buffer) {
      case LoadBuffer::kRows:
        put_operands(command.type, from, count, &rows_[word % kRowBufferRows * lanes]);
        break;
      case LoadBuffer::kWeights:
        put_operands(command.type, from, count, &weights_[word % kWeightBufferRows * lanes]);
        break;
      case LoadBuffer::kAccumulators: {
        std::uint32_t* sums = &sums_[word % kAccumulatorRows * lanes];
        std::memcpy(sums, from, count * sizeof *sums);
        std::fill(sums + count, sums + lanes, 0U);
        break;
      }
      case LoadBuffer::kMasks: {
        std::uint16_t* lane = word_.data();
        put_operands(command.type, from, count, lane);
        std::int8_t* mask = &masks_[word % kMaskRows * lanes];
        for (std::size_t n = 0; n < lanes; ++n) mask[n] = is_positive(command.type, lane[n]);
        break;
      }
    }
  }
}

void ProgramInterpreter::put_operands(LoadType type, const std::byte* from, std::size_t count,
                                      std::uint16_t* lane) const {
  if (type == LoadType::kInt8) {
    for (std::size_t n = 0; n < count; ++n) {
      lane[n] = static_cast<std::uint16_t>(static_cast<std::int8_t>(from[n]));
    }
  } else {
    std::memcpy(lane, from, count * sizeof *lane);
  }
  std::fill(lane + count, lane + size_, std::uint16_t{0});
}

void ProgramInterpreter::multiply(const device::Matmul& command) {
  products_->multiply(matmul_shape_, command, rows_, weights_, sums_);
}

void ProgramInterpreter::convert_line(StoreFormat format) {
  const RowKernels& rows = block_kernels().begin()->rows;
  const auto count = static_cast<std::int64_t>(store_shape_.cols);
  const std::uint32_t* sums = sums_line_.data();
  switch (format) {
    case StoreFormat::kWord32:
      std::memcpy(line_.data(), sums, line_.size());
      return;
    case StoreFormat::kBf16:
      return rows.to_bf16(sums, reinterpret_cast<std::uint16_t*>(line_.data()), count);
    case StoreFormat::kBf16Stochastic:
      return rows.to_bf16_stochastic(sums, random_.data(),
                                     reinterpret_cast<std::uint16_t*>(line_.data()), count);
    case StoreFormat::kInt8FromFp32:
      return rows.quantize(sums, store_scale_.scale, reinterpret_cast<std::int8_t*>(line_.data()),
                           count);
    case StoreFormat::kInt8FromInt32:
      return rows.requantize(sums, store_scale_.scale, store_scale_.shift,
                             reinterpret_cast<std::int8_t*>(line_.data()), count);
    case StoreFormat::kFp32FromInt32:
      return rows.int32_to_fp32(sums, reinterpret_cast<std::uint32_t*>(line_.data()), count);
  }
}

ProgramFault ProgramInterpreter::store(const device::Store& command) {
  const RowKernels& rows = block_kernels().begin()->rows;
  const auto lanes = static_cast<std::size_t>(size_);
  const auto count = static_cast<std::int64_t>(store_shape_.cols);
  line_.resize(store_shape_.cols * static_cast<std::size_t>(stored_bytes(command.format)));
  for (std::uint32_t row = 0; row < store_shape_.rows; ++row) {
    if (command.format == StoreFormat::kBf16Stochastic) rows.step_random(random_.data(), size_);
    std::copy_n(&sums_[(command.sum_row + row) % kAccumulatorRows * lanes], count,
                sums_line_.begin());
    if (command.relu) rows.relu(sums_line_.data(), count);
    if (command.masked) {
      const std::int8_t* mask = &masks_[(command.mask_row + row) % kMaskRows * lanes];
      rows.keep_int8(mask, sums_line_.data(), count);
    }
    convert_line(command.format);
    const ProgramFault fault =
        memory_.write(command.address + std::uint64_t{row} * store_shape_.row_stride, line_);
    if (fault.code != FaultCode::kNone) return fault;
  }
  return {};
}

void ProgramInterpreter::seed_random(std::uint32_t seed) {
  for (std::size_t n = 0; n < random_.size(); ++n) {
    const std::uint32_t state = seed ^ static_cast<std::uint32_t>(n * 0x9e37'79b9U);
    random_[n] = state == 0 ? 1 : state;
  }
}

}  // namespace systole
