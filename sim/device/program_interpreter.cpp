#include "sim/device/program_interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "hls/kernels/convert.h"
#include "hls/kernels/requantize.h"
#include "host/driver/element_size.h"
#include "host/runtime/convert.h"
#include "sim/device/interpreted_products.h"

namespace systole {
namespace {

using device::FaultCode;
using device::LoadBuffer;
using device::LoadType;
using device::StoreFormat;

constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 40) - 1;
constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kBurstBeats = 16;

/// Bytes up to the next multiple of `cut`, of `left` that are wanted: a burst's.
std::uint64_t burst_bytes(std::uint64_t address, std::uint64_t left, std::uint64_t cut) {
  return std::min(left, cut - address % cut);
}

/// 1 where an element is greater than zero.
std::uint8_t is_positive(LoadType type, std::uint16_t bits) {
  if (type == LoadType::kInt8) return static_cast<std::int8_t>(bits) > 0;
  return bits != 0 && bits <= 0x7f80;  // neither a sign nor a NaN
}

}  // namespace

ProgramInterpreter::ProgramInterpreter(int array_size, ProgramMemory& memory)
    : size_(array_size), memory_(&memory) {
  if (array_size < 4 || array_size > 128 || (array_size & (array_size - 1)) != 0) {
    throw std::invalid_argument(
        fmt::format("no {0} x {0} array: N can be 4, 8, 16, 32, 64 or 128", array_size));
  }
  const auto lanes = static_cast<std::size_t>(array_size);
  rows_.resize(kRowBufferRows * lanes);
  weights_.resize(kWeightBufferRows * lanes);
  sums_.resize(kAccumulatorRows * lanes);
  masks_.resize(kMaskRows * lanes);
  word_.resize(lanes);
  random_.resize(lanes, 1);
  products_ = std::make_unique<InterpretedProducts>(array_size);
  reset();
}

ProgramInterpreter::~ProgramInterpreter() = default;

void ProgramInterpreter::reset() {
  load_shape_ = {};
  load_patches_ = {};
  matmul_shape_ = {};
  store_shape_ = {};
  store_scale_ = {};
  marker_ = 0;
  std::fill(random_.begin(), random_.end(), 1U);
}

ProgramFault ProgramInterpreter::run(std::span<const device::CommandWord> commands,
                                     std::uint16_t first_index) {
  for (const device::CommandWord& command : commands) {
    const ProgramFault fault = execute(command, first_index++);
    if (fault.code != FaultCode::kNone) return fault;
  }
  return {};
}

ProgramFault ProgramInterpreter::execute(const device::CommandWord& command, std::uint16_t index) {
  if (!device::is_legal(command, size_)) return {FaultCode::kIllegalCommand, index, 0};
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
  }
  fault.command = fault.code == FaultCode::kNone ? std::uint16_t{0} : index;
  return fault;
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
  return read(command.address + std::uint64_t{row} * load_shape_.row_stride, line_);
}

ProgramFault ProgramInterpreter::load_patch(const device::Load& command, std::uint32_t row) {
  const device::LoadPatches& patch = load_patches_;
  const std::uint64_t pixel = std::uint64_t{command.out_y} * patch.out_width + command.out_x + row;
  const std::uint64_t image = pixel / (std::uint64_t{patch.out_height} * patch.out_width);
  const auto place =
      static_cast<std::int64_t>(pixel % (std::uint64_t{patch.out_height} * patch.out_width));
  const std::int64_t top = place / patch.out_width * patch.stride - patch.pad_top;
  const std::int64_t left = place % patch.out_width * patch.stride - patch.pad_left;
  const std::int64_t pixel_bytes = patch.pixel_bytes;
  const std::int64_t segment_bytes = patch.kernel_width * pixel_bytes;
  const auto line_bytes = static_cast<std::int64_t>(line_.size());

  std::fill(line_.begin(), line_.end(), std::byte{0});
  for (std::int64_t i = 0; i < patch.kernel_height; ++i) {
    const std::int64_t y = top + i;
    if (y < 0 || y >= patch.height) continue;
    const std::int64_t first = std::max<std::int64_t>(left, 0);
    const std::int64_t end = std::min<std::int64_t>(left + patch.kernel_width, patch.width);
    if (first >= end) continue;
    const std::int64_t at = i * segment_bytes + (first - left) * pixel_bytes;
    const std::int64_t bytes = std::min((end - first) * pixel_bytes, line_bytes - at);
    if (bytes <= 0) continue;
    const std::uint64_t address =
        command.address + image * load_shape_.row_stride +
        static_cast<std::uint64_t>((y * patch.width + first) * pixel_bytes);
    const ProgramFault fault = read(
        address,
        std::span(line_).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(bytes)));
    if (fault.code != FaultCode::kNone) return fault;
  }
  return {};
}

ProgramFault ProgramInterpreter::read(std::uint64_t address, std::span<std::byte> destination) {
  const std::uint64_t cut = kBurstBeats * static_cast<std::uint64_t>(size_);
  const std::uint64_t first = address & kAddressMask;
  while (!destination.empty()) {
    address &= kAddressMask;
    const std::uint64_t bytes = burst_bytes(address, destination.size(), cut);
    const bool allowed =
        std::any_of(windows_.begin(), windows_.end(), [&](const ProgramWindow& window) {
          return window.readable && window.base <= address && address + bytes <= window.end;
        });
    if (!allowed) return {FaultCode::kReadWindow, 0, address};
    const std::byte* from = memory_->locate(address, static_cast<std::int64_t>(bytes));
    if (from == nullptr) return {FaultCode::kReadError, 0, first};
    std::memcpy(destination.data(), from, bytes);
    destination = destination.subspan(bytes);
    address += bytes;
  }
  return {};
}

ProgramFault ProgramInterpreter::write(std::uint64_t address, std::span<const std::byte> source) {
  while (!source.empty()) {
    address &= kAddressMask;
    const std::uint64_t bytes = burst_bytes(address, source.size(), kPageBytes);
    const bool allowed =
        std::any_of(windows_.begin(), windows_.end(), [&](const ProgramWindow& window) {
          return window.writable && window.base <= address && address + bytes <= window.end;
        });
    if (!allowed) return {FaultCode::kWriteWindow, 0, address};
    std::byte* to = memory_->locate(address, static_cast<std::int64_t>(bytes));
    if (to == nullptr) return {FaultCode::kWriteError, 0, address};
    std::memcpy(to, source.data(), bytes);
    source = source.subspan(bytes);
    address += bytes;
  }
  return {};
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
        std::uint8_t* mask = &masks_[word % kMaskRows * lanes];
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

std::uint32_t ProgramInterpreter::converted(StoreFormat format, std::uint32_t sum,
                                            std::size_t lane) const {
  using namespace hls;
  const auto fp32 = Fp32::from_bits(UInt32::from(sum));
  const auto int32 = as_signed(UInt32::from(sum));
  switch (format) {
    case StoreFormat::kWord32:
      return sum;
    case StoreFormat::kBf16:
      return to_bf16(std::bit_cast<float>(sum));
    case StoreFormat::kBf16Stochastic: {
      const auto random = UInt16::from(random_[lane] & 0xffff);
      return static_cast<std::uint32_t>(
          kernels::fp32_to_bf16_stochastic(fp32, random).bits().value());
    }
    case StoreFormat::kInt8FromFp32:
      return static_cast<std::uint8_t>(
          kernels::quantize(fp32, Bf16::from_bits(UInt16::from(store_scale_.scale))).value());
    case StoreFormat::kInt8FromInt32:
      return static_cast<std::uint8_t>(kernels::requantize(int32, UInt16::from(store_scale_.scale),
                                                           UInt<5>::from(store_scale_.shift))
                                           .value());
    case StoreFormat::kFp32FromInt32:
      return static_cast<std::uint32_t>(kernels::int32_to_fp32(int32).bits().value());
  }
  return sum;
}

ProgramFault ProgramInterpreter::store(const device::Store& command) {
  const auto bytes = static_cast<std::size_t>(stored_bytes(command.format));
  line_.resize(store_shape_.cols * bytes);
  for (std::uint32_t row = 0; row < store_shape_.rows; ++row) {
    if (command.format == StoreFormat::kBf16Stochastic) {
      for (std::uint32_t& state : random_) {
        state = static_cast<std::uint32_t>(kernels::random_step(hls::UInt32::from(state)).value());
      }
    }
    const auto lanes = static_cast<std::size_t>(size_);
    const std::uint32_t* sums = &sums_[(command.sum_row + row) % kAccumulatorRows * lanes];
    const std::uint8_t* mask = &masks_[(command.mask_row + row) % kMaskRows * lanes];
    for (std::size_t n = 0; n < store_shape_.cols; ++n) {
      const bool cut =
          (command.relu && (sums[n] & 0x8000'0000U) != 0) || (command.masked && mask[n] == 0);
      const std::uint32_t sum = cut ? 0 : sums[n];
      const std::uint32_t element =
          command.format == StoreFormat::kWord32 ? sum : converted(command.format, sum, n);
      std::memcpy(&line_[n * bytes], &element, bytes);
    }
    const ProgramFault fault =
        write(command.address + std::uint64_t{row} * store_shape_.row_stride, line_);
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
