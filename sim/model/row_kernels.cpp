#include "sim/model/row_kernels.h"

#include "hls/kernels/convert.h"
#include "hls/kernels/requantize.h"

namespace systole {
namespace {

using namespace hls;

Fp32 fp32(std::uint32_t bits) { return Fp32::from_bits(UInt32::from(bits)); }
Int32 int32(std::uint32_t bits) { return as_signed(UInt32::from(bits)); }
std::uint32_t bits(const Fp32& value) { return static_cast<std::uint32_t>(value.bits().value()); }
std::uint16_t bits(const Bf16& value) { return static_cast<std::uint16_t>(value.bits().value()); }

void relu(std::uint32_t* sums, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if ((sums[i] & 0x8000'0000U) != 0) sums[i] = 0;
  }
}

void keep_bf16(const std::uint16_t* mask, std::uint32_t* sums, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const bool is_positive = mask[i] != 0 && mask[i] <= 0x7f80;  // neither a sign nor a NaN
    if (!is_positive) sums[i] = 0;
  }
}

void keep_int8(const std::int8_t* mask, std::uint32_t* sums, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (mask[i] <= 0) sums[i] = 0;
  }
}

void to_bf16(const std::uint32_t* sums, std::uint16_t* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = bits(kernels::fp32_to_bf16(fp32(sums[i])));
}

void to_bf16_stochastic(const std::uint32_t* sums, const std::uint32_t* random, std::uint16_t* out,
                        std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto number = UInt16::from(random[i] & 0xffff);
    out[i] = bits(kernels::fp32_to_bf16_stochastic(fp32(sums[i]), number));
  }
}

void step_random(std::uint32_t* states, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const UInt32 next = kernels::random_step(UInt32::from(states[i]));
    states[i] = static_cast<std::uint32_t>(next.value());
  }
}

void quantize(const std::uint32_t* sums, std::uint16_t bf16_scale, std::int8_t* out,
              std::int64_t count) {
  const auto scale = Bf16::from_bits(UInt16::from(bf16_scale));
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::int8_t>(kernels::quantize(fp32(sums[i]), scale).value());
  }
}

void requantize(const std::uint32_t* int32_sums, std::uint16_t scale, int shift, std::int8_t* out,
                std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::int8_t>(
        kernels::requantize(int32(int32_sums[i]), UInt16::from(scale), UInt<5>::from(shift))
            .value());
  }
}

void int32_to_fp32(const std::uint32_t* int32_sums, std::uint32_t* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    out[i] = bits(kernels::int32_to_fp32(int32(int32_sums[i])));
}

void from_bf16(const std::uint16_t* elements, std::uint32_t* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<std::uint32_t>(elements[i]) << 16;
}

void from_int8(const std::int8_t* elements, std::uint32_t* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<std::uint32_t>(elements[i]);
}

}  // namespace

RowKernels portable_row_kernels() {
  return {.relu = relu,
          .keep_bf16 = keep_bf16,
          .keep_int8 = keep_int8,
          .to_bf16 = to_bf16,
          .to_bf16_stochastic = to_bf16_stochastic,
          .step_random = step_random,
          .quantize = quantize,
          .requantize = requantize,
          .from_bf16 = from_bf16,
          .from_int8 = from_int8,
          .int32_to_fp32 = int32_to_fp32};
}

}  // namespace systole
