#pragma once

#include "ac_int.h"

/// A pixel from RGB to studio-range YUV in eight bits, by the integer matrix of BT.601.
inline ac_int<24, false> rgb_to_yuv(ac_int<24, false> rgb) {
  const ac_int<8, false> r = rgb.slc<8>(16);
  const ac_int<8, false> g = rgb.slc<8>(8);
  const ac_int<8, false> b = rgb.slc<8>(0);
  const ac_int<18, true> y = (66 * r + 129 * g + 25 * b + 128) >> 8;
  const ac_int<18, true> u = (-38 * r - 74 * g + 112 * b + 128) >> 8;
  const ac_int<18, true> v = (112 * r - 94 * g - 18 * b + 128) >> 8;
  ac_int<24, false> yuv = 0;
  yuv.set_slc(16, ac_int<8, false>(y + 16));
  yuv.set_slc(8, ac_int<8, false>(u + 128));
  yuv.set_slc(0, ac_int<8, false>(v + 128));
  return yuv;
}
