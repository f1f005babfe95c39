#pragma once

#include "hls/kernels/engine.h"

namespace systole::kernels {

/// A tensor in memory that the vector engine reads or writes as words of N elements.
///
/// Shapes   rows x cols elements; each row begins a word, and the lanes past its end are 0 when
///          read and ignored when written
/// Limits   rows, cols >= 1; any alignment of address and row_stride, which count modulo Address
struct VectorStream {
  Address address;    ///< of the first element
  UInt32 row_stride;  ///< bytes from row to row; 0 reads one row again and again
  UInt16 rows;        ///< rows of the tensor
  UInt16 cols;        ///< elements of a row
  UInt<2> format;     ///< kStream...
  UInt1 broadcasts;   ///< each row holds one element in memory, which fills all its words when read
  CommandIndex command;  ///< its number, for a fault's report
};

/// Instructions or constants in memory, and where they go in the engine.
struct VectorProgram {
  Address address;  ///< of the first
  UInt<6> place;    ///< of the first
  UInt1 constants;  ///< else instructions
  UInt<7> count;    ///< how many
};

/// What an element is in memory; in a lane it always has 32 bits.
inline constexpr int kStreamInt8 =
    kVectorStreamFormatInt8;  ///< int32 in a lane; saturates when written
inline constexpr int kStreamBf16 =
    kVectorStreamFormatBf16;  ///< fp32 in a lane; rounds to nearest even when written
inline constexpr int kStreamWord = kVectorStreamFormatWord;  ///< fp32 or int32
inline constexpr int kStreamHalf =
    kVectorStreamFormatHalf;  ///< the low 16 bits of a lane; for writing only
static_assert(kStreamInt8 == kLoadTypeInt8 && kStreamBf16 == kLoadTypeBf16 &&
              kStreamWord == kLoadTypeWord32);

}  // namespace systole::kernels
