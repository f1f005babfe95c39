#pragma once

#include "hls/kernels/engine.h"

namespace systole::kernels {

/// What the parts of the load engine hand each other.

/// Bytes of a memory row: up to 65535 elements of 4 bytes.
using LoadBytes = UInt<18>;

/// A load whose words are still to come.
struct LoadBlock {
  UInt<2> buffer;         ///< kLoadBuffer number
  UInt<2> type;           ///< of its elements in memory
  BufferRow row;          ///< of the buffer for the first word
  BufferRow tile_stride;  ///< from a word to the next of its row
  EngineBits signal;      ///< tokens to give at its end
  CommandIndex command;   ///< its number, for a fault's report
};

/// A part of a block's row: zeros, then bytes that lie side by side in memory.
///
/// Limits   not both 0
struct LoadSegment {
  LoadBytes zeros;      ///< bytes of zeros before the others
  LoadBytes bytes;      ///< bytes of memory
  Address address;      ///< of the first byte
  UInt1 last_of_row;    ///< ends its row
  UInt1 last_of_block;  ///< ends its block
};

/// A segment's bytes, and the command that wants them.
struct LoadStretch {
  LoadBytes bytes;       ///< its length
  Address address;       ///< of the first byte
  CommandIndex command;  ///< its number, for a fault's report
};

/// Segments whose bytes are under way; each is at least one beat of the latency that can be hidden.
inline constexpr int kLoadSegments = 128;
/// Blocks under way.
inline constexpr int kLoadBlocks = 16;
/// Beats of a burst; bursts are cut at multiples of as many, so they never cross 4 KiB.
template <int kBus>
inline constexpr int kLoadBurstBeats = kBus * kBurstBeats > 4096 ? 4096 / kBus : kBurstBeats;

}  // namespace systole::kernels
