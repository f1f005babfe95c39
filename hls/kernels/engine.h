#pragma once

#include <type_traits>

#include "hls/kernels/device_map.h"
#include "systole/hls/int.h"
#include "systole/hls/lite_handshake.h"
#include "systole/hls/stream.h"
#include "systole/hls/vec.h"

namespace systole::kernels {

using namespace systole::hls;

/// What the engines of the accelerator share at their edges. docs/accelerator.md has the whole.

/// A byte's address in memory. A board defines SYSTOLE_ADDRESS_BITS where fewer reach all its
/// memory and the byte after it, which spares it carries and registers; higher bits of commands and
/// registers are then dropped.
#ifndef SYSTOLE_ADDRESS_BITS
#define SYSTOLE_ADDRESS_BITS kAddressBits
#endif
using Address = UInt<SYSTOLE_ADDRESS_BITS>;

/// Sizes that do not follow from N; powers of two. A row address beyond a buffer wraps around.
inline constexpr int kRowBufferRows = 8192;
inline constexpr int kWeightBufferRows = 4096;
inline constexpr int kMaskRows = 2048;
/// A row of any buffer; one of a smaller buffer wraps around in it.
using BufferRow = UInt<index_bits(kRowBufferRows)>;

/// What a data path carries in a clock. Kernels with kData = false have none: they keep the
/// device's time and compute nothing, for a host that asks how long a program takes.
/// Hardware is what kData = true says, everywhere.
struct Nothing {};
template <typename T, bool kData>
using Carried = std::conditional_t<kData, T, Nothing>;

/// A command's number since reset, modulo 2^24; a ring's length is at most half of that, so that
/// head and tail tell a full ring from an empty one.
using CommandIndex = UInt<kCommandIndexBits>;
using RingLog2 = UInt<index_bits(kCommandIndexBits)>;

/// A command on its way to an engine, and its number, for a fault's report.
struct Command {
  CommandWord word;    ///< as the ring holds it
  CommandIndex index;  ///< its number since reset
};

/// Engines by their bit in wait, signal, and in the vectors of tokens.
inline constexpr int kLoadBit = 0;
inline constexpr int kComputeBit = 1;
inline constexpr int kStoreBit = 2;
inline constexpr int kVectorBit = 3;
inline constexpr int kEngines = 4;
using EngineBits = UInt<kEngines>;

/// A part of memory that the host has opened, for reading or for writing.
struct Window {
  Address base;  ///< the first address
  Address end;   ///< the address after it
  UInt1 open;    ///< accesses may fall into it
};
inline constexpr int kWindowCount = kWindows;
using Windows = Vec<Window, kWindowCount>;

/// Which windows [first, last] lies in, as far as one clock can tell: a bit for each window.
struct WindowsAround {
  UInt<kWindowCount> begin_before;  ///< open, and their base is not after `first`
  UInt<kWindowCount> end_after;
  bool contain() const { return (begin_before & end_after) != 0; }
};

/// Limits   first <= last
/// Timing   eight comparisons of addresses; `contain` is for the next clock
inline WindowsAround windows_around(const Windows& windows, const Address& first,
                                    const Address& last) {
  WindowsAround around{.begin_before = UInt<kWindowCount>(0), .end_after = UInt<kWindowCount>(0)};
#pragma unroll
  for (int i = 0; i < kWindowCount; ++i) {
    const auto place = UInt<index_bits(kWindowCount)>::from(static_cast<unsigned>(i));
    const UInt1 begins = as_bit(windows[i].open && windows[i].base <= first);
    const UInt1 ends = as_bit(last < windows[i].end);
    around.begin_before = around.begin_before | (UInt<kWindowCount>(begins) << place);
    around.end_after = around.end_after | (UInt<kWindowCount>(ends) << place);
  }
  return around;
}

/// Whether [first, last] lies in one open window.
///
/// Limits   first <= last
inline bool is_open(const Windows& windows, const Address& first, const Address& last) {
  return windows_around(windows, first, last).contain();
}

/// A burst on AXI4's AR or AW: `beats_less_one` + 1 beats as wide as the bus from an address that
/// may lie inside its first beat, INCR, never across 4 KiB.
struct Burst {
  Address address;       ///< of the first wanted byte
  UInt8 beats_less_one;  ///< its length on AXI4
};

/// A beat on R: byte i of `data` comes from the i-th address of the beat.
template <int kBus, bool kData = true>
struct ReadBeat {
  Carried<Vec<UInt8, kBus>, kData> data;  ///< byte i is of the i-th address
  UInt1 error;                            ///< memory could not read it
  UInt1 last;                             ///< of its burst
};

/// A beat on W: only bytes whose strobe is set are written.
template <int kBus, bool kData = true>
struct WriteBeat {
  Carried<Vec<UInt8, kBus>, kData> data;  ///< byte i is of the i-th address
  Carried<UInt<kBus>, kData> strobe;      ///< bytes to write
  UInt1 last;                             ///< of its burst
};

/// Who reads: the id of AR and R.
using Reader = UInt<2>;
inline constexpr int kReaderFetcher = 0;
inline constexpr int kReaderLoad = 1;
inline constexpr int kReaderVector = 2;

/// A burst on AR and who reads.
struct ReadRequest {
  Address address;       ///< of the first wanted byte
  UInt8 beats_less_one;  ///< its length on AXI4
  Reader id;             ///< who reads
};

/// A beat on R, for whom it is.
template <int kBus>
struct MemoryRead {
  Vec<UInt8, kBus> data;  ///< byte i is of the i-th address
  UInt1 error;            ///< memory could not read it
  UInt1 last;             ///< of its burst
  Reader id;              ///< who reads
};

/// Where the commands lie, as the host has set it, and how far they go.
struct Ring {
  Address base;       ///< a multiple of 16
  RingLog2 log2;      ///< it holds 2^log2 commands; at most kCommandIndexBits - 1
  CommandIndex tail;  ///< commands before this index may run
};

/// A fault that an engine meets: the first is kept, and the device stops.
struct EngineFault {
  UInt1 raised;          ///< a fault is reported
  UInt<4> code;          ///< its kFault number
  CommandIndex command;  ///< index of the command that met it
  Address address;       ///< where it was met
};

}  // namespace systole::kernels
