#pragma once

#include "hls/kernels/convert.h"
#include "hls/kernels/requantize.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// The conversions of the vector unit as pipelines; Bf16 and Fp32 as ports.
struct Conversions {
  struct Inputs {
    Fp32 value;
    Bf16 scale;
    UInt16 random;
    Int32 sum;
    UInt16 integer_scale;
    UInt<5> shift;
  };
  struct Outputs {
    Bf16 nearest;
    Bf16 stochastic;
    Fp32 widened;
    Fp32 converted;
    Int8 requantized;
    Int8 quantized;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{.nearest = nearest_.output(),
                      .stochastic = stochastic_.output(),
                      .widened = kernels::bf16_to_fp32(in.scale),
                      .converted = converted_.output(),
                      .requantized = requantized_.output(),
                      .quantized = quantized_.output()};
    nearest_.clock(in.value);
    stochastic_.clock(in.value, in.random);
    converted_.clock(in.sum);
    requantized_.clock(in.sum, in.integer_scale, in.shift);
    quantized_.clock(in.value, in.scale);
    return out;
  }

 private:
  Pipeline<&kernels::fp32_to_bf16, kernels::kFp32ToBf16Stages> nearest_;
  Pipeline<&kernels::fp32_to_bf16_stochastic, kernels::kFp32ToBf16Stages> stochastic_;
  Pipeline<&kernels::int32_to_fp32, kernels::kInt32ToFp32Stages> converted_;
  Pipeline<&kernels::requantize, kernels::kRequantizeStages> requantized_;
  Pipeline<&kernels::quantize, kernels::kQuantizeStages> quantized_;
};

/// Rounds a stream of fp32 with its own random numbers; Bf16 and Fp32 as registers and in structs.
struct StochasticRounder {
  struct Sample {
    Fp32 value;
    UInt1 valid;
  };
  struct Inputs {
    Sample sample;
    UInt1 negate;
  };
  struct Outputs {
    Vec<Bf16, 2> rounded;
    UInt1 is_special;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{.rounded = {{rounded_, previous_}}, .is_special = as_bit(held_.is_special())};
    if (in.sample.valid) {
      previous_ = rounded_;
      rounded_ = kernels::fp32_to_bf16_stochastic(held_, slice<15, 0>(state_));
      state_ = kernels::random_step(state_);
      const UInt1 sign = in.sample.value.sign() ^ in.negate;
      held_ = Fp32::from_fields(sign, in.sample.value.exponent(), in.sample.value.fraction());
    }
    return out;
  }
  void reset() {
    held_ = Fp32::from_bits(UInt32(0));
    rounded_ = Bf16::from_bits(UInt16(0));
    previous_ = Bf16::from_bits(UInt16(0));
    state_ = UInt32(0x2a);
  }

 private:
  Fp32 held_;
  Bf16 rounded_;
  Bf16 previous_;
  UInt32 state_;
};

}  // namespace systole::tests
