#pragma once

#include <cstdint>

namespace systole::kernels {

/// Seeds of 1 / a and 1 / sqrt(a): the eight bits below the leading one of a value in [1/2, 1), for
/// the middle of each of 64 intervals.
///
/// Numbers  kReciprocalSeeds[i] is for a in [1 + i / 64, 1 + (i + 1) / 64); kReciprocalRootSeeds[i]
///          for a in [2, 4) (i < 32) and [1, 2), 32 intervals each; relative errors below 2^-6.8
inline constexpr std::uint8_t kReciprocalSeeds[64] = {
    252, 244, 237, 229, 222, 215, 209, 202, 196, 190, 184, 178, 172, 167, 161, 156,
    151, 146, 141, 136, 132, 127, 123, 118, 114, 110, 106, 102, 98,  94,  91,  87,
    84,  80,  77,  73,  70,  67,  64,  61,  58,  55,  52,  49,  46,  43,  41,  38,
    35,  33,  30,  28,  25,  23,  21,  18,  16,  14,  11,  9,   7,   5,   3,   1,
};
inline constexpr std::uint8_t kReciprocalRootSeeds[64] = {
    103, 98,  93,  88,  83,  78,  74,  70,  66,  62,  58,  55,  51,  48,  44,  41,
    38,  35,  32,  29,  27,  24,  21,  19,  16,  14,  12,  10,  7,   5,   3,   1,
    252, 244, 237, 230, 223, 217, 211, 205, 199, 194, 188, 183, 178, 173, 169, 164,
    160, 156, 152, 148, 144, 140, 136, 133, 129, 126, 123, 119, 116, 113, 110, 107,
};

}  // namespace systole::kernels
