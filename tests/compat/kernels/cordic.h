#pragma once

#include "ap_int.h"

/// Sine and cosine of an angle of the first quadrant, 2^13 to one radian, by twelve rotations.
struct SineCosine {
  ap_int<16> cosine;
  ap_int<16> sine;
};

inline SineCosine cordic(ap_int<16> theta) {
  constexpr int kAngles[12] = {6434, 3798, 2007, 1019, 511, 256, 128, 64, 32, 16, 8, 4};
  ap_int<16> x = 4975;  // the product of the rotations' gains
  ap_int<16> y = 0;
  ap_int<16> z = theta;
rotate:
  for (int i = 0; i < 12; i++) {
    const ap_int<16> dx = y >> i;
    const ap_int<16> dy = x >> i;
    if (z < 0) {
      x += dx;
      y -= dy;
      z += kAngles[i];
    } else {
      x -= dx;
      y += dy;
      z -= kAngles[i];
    }
  }
  SineCosine result;
  result.cosine = x;
  result.sine = y;
  return result;
}
