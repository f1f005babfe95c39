#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace llvm {
class APInt;
}

namespace systole::compiler {

/// Something with a name that can be sliced: bits [offset, offset + width) of `base`.
struct Reference {
  std::string base;
  unsigned offset = 0;
  unsigned width = 0;
  unsigned base_width = 0;  ///< of the whole signal; equal to width for a signal of its own
  unsigned dropped = 0;     ///< unread low bits of the value that the signal lacks
};

/// "x_q", "x_q[31:16]" or "x_q[3]". Bits that a narrower signal lacks read as zeros.
std::string to_text(const Reference& reference);
/// Bits [high:low] of it.
std::string slice_text(const Reference& reference, unsigned high, unsigned low);

/// The bits of a leaf, all elements together.
unsigned bits_of(const Leaf& leaf);
/// "logic", "logic [15:0]" for them.
std::string logic_type(const Leaf& leaf);
/// One element of the signal that holds a leaf, element 0 lowest.
Reference element_of(const std::string& signal, const Leaf& leaf, std::int64_t element);

/// "28'hfffffff", "8'd3", "1'b0".
std::string literal_of(const llvm::APInt& value);
std::string zeros(unsigned width);

/// "if (condition)".
std::string if_head(const std::string& condition);

/// "{a, b, c}"; concatenations inside are spelled out, and one part alone is itself.
std::string join_concatenation(const std::vector<std::string>& parts);

/// Whether the text binds as one operand: a name, a call, or one outer pair of braces.
bool is_closed(const std::string& text);

}  // namespace systole::compiler
