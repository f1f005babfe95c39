#pragma once

#include "hls/kernels/mac.h"
#include "systole/cosim/random.h"
#include "systole/hls/float.h"
#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"

// A processor, a fractal and a neural layer as plain loops.
namespace systole::algorithms {

using namespace systole::hls;

/// Iterations until a point of a 12 x 8 grid leaves the circle, 32 at most; 4.12 fixed point.
inline void mandelbrot(Vec<Vec<UInt<6>, 12>, 8>& picture) {
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 12; ++column) {
      const Int<16> c_real = Int<16>::from(column * 1024 - 8192);
      const Int<16> c_imaginary = Int<16>::from(row * 1170 - 4096);
      Int<20> real = 0;
      Int<20> imaginary = 0;
      UInt<6> count = 0;
      bool inside = true;
      while (inside && count < 32) {
        const auto real_squared = (real * real) >> 12;
        const auto imaginary_squared = (imaginary * imaginary) >> 12;
        inside = real_squared + imaginary_squared < Int<17>(16384);
        if (inside) {
          const auto product = (real * imaginary) >> 11;
          real = truncate<Int<20>>(real_squared - imaginary_squared + c_real);
          imaginary = truncate<Int<20>>(product + c_imaginary);
          count += 1;
        }
      }
      picture[row][column] = count;
    }
  }
}

/// A MIPS subset without exceptions: at most 64 instructions, until one that is all zeros.
inline void mips(const Vec<UInt<32>, 32>& program, Vec<UInt<32>, 16>& data, UInt<32>& result) {
  Vec<UInt<32>, 32> reg;
  for (int i = 0; i < 32; ++i) reg[i] = 0;
  UInt<5> pc = 0;
  bool running = true;
  for (int executed = 0; executed < 64 && running; ++executed) {
    const UInt<32> instruction = program[static_cast<int>(pc.value())];
    pc = truncate<UInt<5>>(pc + UInt<1>(1));
    running = instruction != 0;
    const UInt<6> opcode = truncate<UInt<6>>(instruction >> 26);
    const UInt<5> rs = truncate<UInt<5>>(instruction >> 21);
    const UInt<5> rt = truncate<UInt<5>>(instruction >> 16);
    const UInt<5> rd = truncate<UInt<5>>(instruction >> 11);
    const UInt<5> amount = truncate<UInt<5>>(instruction >> 6);
    const UInt<6> function = truncate<UInt<6>>(instruction);
    const UInt<16> constant = truncate<UInt<16>>(instruction);
    const UInt<32> wide = as_unsigned(Int<32>(as_signed(constant)));
    const UInt<32> a = reg[static_cast<int>(rs.value())];
    const UInt<32> b = reg[static_cast<int>(rt.value())];
    UInt<32> value = 0;
    UInt<5> to = rt;
    bool writes = true;
    switch (opcode.value()) {
      case 0:
        to = rd;
        switch (function.value()) {
          case 0x00:
            value = truncate<UInt<32>>(b << amount);
            break;
          case 0x02:
            value = b >> amount;
            break;
          case 0x21:
            value = truncate<UInt<32>>(a + b);
            break;
          case 0x23:
            value = truncate<UInt<32>>(a - b);
            break;
          case 0x24:
            value = a & b;
            break;
          case 0x25:
            value = a | b;
            break;
          case 0x26:
            value = a ^ b;
            break;
          case 0x2b:
            value = a < b ? UInt<32>(1) : UInt<32>(0);
            break;
          default:
            writes = false;
        }
        break;
      case 0x09:
        value = truncate<UInt<32>>(a + wide);
        break;
      case 0x0c:
        value = a & constant;
        break;
      case 0x0d:
        value = a | constant;
        break;
      case 0x04:
        if (a == b) pc = truncate<UInt<5>>(pc + truncate<UInt<5>>(constant));
        writes = false;
        break;
      case 0x05:
        if (a != b) pc = truncate<UInt<5>>(pc + truncate<UInt<5>>(constant));
        writes = false;
        break;
      case 0x23:
        value = data[static_cast<int>(truncate<UInt<4>>((a + wide) >> 2).value())];
        break;
      case 0x2b:
        data[static_cast<int>(truncate<UInt<4>>((a + wide) >> 2).value())] = b;
        writes = false;
        break;
      default:
        writes = false;
    }
    if (writes && to != 0) reg[static_cast<int>(to.value())] = value;
  }
  result = reg[2];
}

/// Programs of instructions that exist, with registers that meet.
inline void prepare_mips(cosim::Random& random, Vec<UInt<32>, 32>& program, Vec<UInt<32>, 16>&,
                         UInt<32>&) {
  constexpr unsigned kFunctions[] = {0x00, 0x02, 0x21, 0x23, 0x24, 0x25, 0x26, 0x2b};
  constexpr unsigned kOpcodes[] = {0x09, 0x0c, 0x0d, 0x04, 0x05, 0x23, 0x2b};
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t registers = std::uint64_t{random.below(6)} << 21 | random.below(6) << 16;
    std::uint64_t word = 0;
    if (random.below(2) == 0) {
      word =
          registers | random.below(6) << 11 | random.below(32) << 6 | kFunctions[random.below(8)];
    } else {
      word = registers | std::uint64_t{kOpcodes[random.below(7)]} << 26 | random.below(1u << 16);
    }
    program[i] = UInt<32>::from(random.below(40) == 0 ? 0 : word);
  }
}

/// A bf16 layer of 16 neurons with 32 inputs, in fp32. Neurons inside, so that a sum is due again
/// only after all the others.
inline void dense_bf16(const Vec<UInt<16>, 32>& input, const Vec<Vec<UInt<16>, 16>, 32>& weight,
                       const Vec<UInt<32>, 16>& bias, Vec<UInt<32>, 16>& output) {
  for (int neuron = 0; neuron < 16; ++neuron) output[neuron] = bias[neuron];
  for (int i = 0; i < 32; ++i) {
    const UInt<16> value = input[i];
    for (int neuron = 0; neuron < 16; ++neuron) {
      output[neuron] = Pipeline<&kernels::mac, kernels::kMacStages>::call(
          UInt1(0), value, weight[i][neuron], output[neuron]);
    }
  }
}

}  // namespace systole::algorithms
