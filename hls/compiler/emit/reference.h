#pragma once

#include <cstdint>
#include <string>

#include "hls/compiler/frontend/layout.h"
#include "hls/compiler/verilog/expression.h"

namespace systole::compiler {

/// Something with a name that can be sliced: bits [offset, offset + width) of `base`.
struct Reference {
  sv::Expression base;
  unsigned offset = 0;
  unsigned width = 0;
  unsigned base_width = 0;  ///< of the whole signal; equal to width for a signal of its own
  unsigned dropped = 0;     ///< unread low bits of the value that the signal lacks
  unsigned unit = 0;        ///< bits of one element where `base` is several; else 0
};

/// "x_q", "x_q[31:16]" or "x_q[3]". Bits that a narrower signal lacks read as zeros.
sv::Expression expression_of(const Reference& reference);
/// Bits [high:low] of it.
sv::Expression slice_of(const Reference& reference, unsigned high, unsigned low);

/// The bits of a leaf, all elements together.
unsigned bits_of(const Leaf& leaf);
/// "logic", "logic [15:0]" for them.
std::string logic_type(const Leaf& leaf);
/// One element of the signal that holds a leaf, element 0 lowest.
Reference element_of(const sv::Expression& signal, const Leaf& leaf, std::int64_t element);

/// The unit of a vector of elements: bits of one have places alone.
unsigned unit_of(unsigned width, std::int64_t elements);

/// 128 for 96 elements: an array's size is a power of two, so that simulation needs no index
/// checks. Unused elements cost no hardware.
unsigned array_size(std::int64_t elements);

}  // namespace systole::compiler
