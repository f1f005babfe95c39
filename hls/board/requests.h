#pragma once

#include "hls/board/link_map.h"
#include "hls/kernels/engine.h"
#include "systole/hls/thread.h"

namespace systole::board {

using namespace systole::hls;
using systole::hls::clock;

/// What the board says of itself.
struct Identity {
  UInt32 array_size;
  UInt32 memory_bytes;
  UInt32 clock_khz;
};

/// A request whose checksum is right; the payload of one that writes lies in the payload memory.
struct Request {
  UInt8 sequence;
  UInt8 command;
  UInt<11> count;  ///< words
  UInt32 address;  ///< bytes
};

/// A place in the payload memory.
using Place = UInt<index_bits(link::kMostWords)>;

/// A word of memory to read or write, and the answer to either.
struct WordAccess {
  UInt32 address;
  UInt1 write;
  UInt32 data;
};
struct WordAnswer {
  UInt32 data;
  UInt1 error;
};

/// Four bytes of a reply, the lowest first. The first word follows the start byte, and the checksum
/// follows the last.
struct ReplyWord {
  UInt32 word;
  UInt1 starts;
  UInt1 ends;
};

/// CRC-32 as in Ethernet, a byte at a time.
inline UInt32 check_step(const UInt32& check, const UInt8& byte) {
  UInt32 next = check ^ byte;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const UInt32 half = concat(UInt1(0), slice<31, 1>(next));
    next = next[0] ? half ^ UInt32(0xedb88320) : half;
  }
  return next;
}

/// Finds requests in the bytes of the line, checks them and hands them on, one at a time.
///
/// Timing   three clocks a byte at least. Between a request and its `done`, bytes are not taken
/// Errors   what is no request is dropped: a wrong checksum, a payload that is too long, a gap of
///          `patience` clocks inside it
inline Thread receive_requests(StreamIn<UInt8>& bytes, const UInt<24>& patience, UInt1& keep,
                               Place& keep_place, UInt32& keep_word, StreamOut<Request>& requests,
                               StreamIn<UInt1>& done) {
  keep = 0;
  keep_place = 0;
  keep_word = 0;
hunt:
  for (;;) {
    if (co_await bytes.pop() != link::kRequestStart) continue;
    UInt32 check = link::kCheckStart;
    UInt<64> header = 0;
    UInt32 word = 0;
    UInt<13> at = 0;  // bytes that have come
    UInt<13> end = link::kHeaderBytes + link::kCheckBytes;
    bool whole = true;
  byte:
    do {
      UInt<24> waited = 0;
    gap:
      do {
        co_await clock();
        keep = 0;
        waited += 1;
      } while (!bytes.valid() && waited != patience);
      whole = static_cast<bool>(bytes.valid());
      if (whole) {
        const UInt8 byte = co_await bytes.pop();
        check = check_step(check, byte);
        word = concat(byte, slice<31, 8>(word));
        at += 1;
        if (at <= link::kHeaderBytes) header = concat(byte, slice<63, 8>(header));
        const UInt16 count = slice<31, 16>(header);
        if (at == link::kHeaderBytes) {
          whole = count <= link::kMostWords;
          if (header[8]) end = concat(truncate<UInt<11>>(count + 3), UInt<2>(0));
        }
        if (at > link::kHeaderBytes && at != end && slice<1, 0>(at) == 0) {
          keep = 1;
          keep_place = truncate<Place>(slice<12, 2>(at) - 3);
          keep_word = word;
        }
      }
    } while (whole && at != end);
    if (!whole || check != link::kCheckResidue) continue;
    co_await requests.push({.sequence = slice<7, 0>(header),
                            .command = slice<15, 8>(header),
                            .count = slice<26, 16>(header),
                            .address = slice<63, 32>(header)});
    co_await done.pop();
  }
}

/// Does what requests ask for and replies. While there are none, `lights` shows the accelerator's
/// busy and faulted bits, read once in 2^12 clocks.
///
/// Numbers  a request to write with the sequence number of the one before is not done again: its
///          reply was lost. Reading has no effect, so it is done every time
inline Thread run_requests(StreamIn<Request>& requests, StreamOut<UInt1>& done,
                           const Identity& identity, Place& fetch_place, const UInt32& fetched,
                           StreamOut<UInt<12>>& write_address, StreamOut<LiteWrite>& write_data,
                           StreamIn<UInt<2>>& write_response, StreamOut<UInt<12>>& read_address,
                           StreamIn<LiteRead>& read_data, StreamOut<WordAccess>& accesses,
                           StreamIn<WordAnswer>& answers, StreamOut<ReplyWord>& replies,
                           UInt<2>& lights) {
  fetch_place = 0;
  lights = 0;
  UInt8 last = 0;
  UInt8 status = 0;
  UInt<12> idle = 0;
request:
  for (;;) {
  wait:
    do {
      co_await clock();
      idle += 1;
      if (idle == 0) {
        co_await read_address.push(UInt<12>(int{kernels::kRegisterStatus}));
        lights = slice<1, 0>((co_await read_data.pop()).data);
      }
    } while (!requests.valid());
    const Request request = co_await requests.pop();
    const bool writes = request.command[0];
    const bool has_registers =
        request.command == link::kReadRegisters || request.command == link::kWriteRegisters;
    const bool has_memory =
        request.command == link::kReadMemory || request.command == link::kWriteMemory;
    const bool is_known = has_registers || has_memory || request.command == link::kReadIdentity;
    const bool repeats = writes && request.sequence == last;
    last = request.sequence;
    if (!repeats) status = is_known ? UInt8(link::kDone) : UInt8(link::kUnknown);
    const UInt<11> count = is_known ? request.count : UInt<11>(0);
    const UInt16 replied = writes ? UInt16(0) : UInt16(count);
    co_await replies.push({.word = concat(replied, concat(request.command, request.sequence)),
                           .starts = 1,
                           .ends = 0});
    UInt<11> at = repeats ? count : UInt<11>(0);
    UInt32 address = request.address;
  word:
    while (at != count) {
      fetch_place = truncate<Place>(at);
      // From the register of this thread through that of its module to that of the memory.
      co_await clock();
      co_await clock();
      co_await clock();
      UInt32 word = fetched;
      if (has_registers && writes) {
        co_await write_address.push(truncate<UInt<12>>(address));
        co_await write_data.push({.data = word, .strobe = 15});
        if (co_await write_response.pop() != 0) status = link::kRefused;
      } else if (has_registers) {
        co_await read_address.push(truncate<UInt<12>>(address));
        const LiteRead read = co_await read_data.pop();
        word = read.data;
        if (read.response != 0) status = link::kRefused;
      } else if (has_memory) {
        co_await accesses.push({.address = address, .write = as_bit(writes), .data = word});
        const WordAnswer answer = co_await answers.pop();
        word = answer.data;
        if (answer.error) status = link::kOutside;
      } else {
        const UInt<3> which = slice<4, 2>(address);
        word = 0;
        if (which == link::kIdentityMagic) word = UInt32(link::kMagic);
        if (which == link::kIdentityVersion) word = UInt32(link::kVersion);
        if (which == link::kIdentityArraySize) word = identity.array_size;
        if (which == link::kIdentityMemoryBytes) word = identity.memory_bytes;
        if (which == link::kIdentityClockKhz) word = identity.clock_khz;
      }
      if (!writes) co_await replies.push({.word = word, .starts = 0, .ends = 0});
      address += 4;
      at += 1;
    }
    co_await replies.push({.word = status, .starts = 0, .ends = 1});
    co_await done.push(UInt1(1));
  }
}

/// The bytes of replies, with start and checksum.
inline Thread send_replies(StreamIn<ReplyWord>& words, StreamOut<UInt8>& bytes) {
  UInt32 check = 0;
  co_await clock();
word:
  for (;;) {
    const ReplyWord part = co_await words.pop();
    if (part.starts) {
      check = link::kCheckStart;
    start:
      co_await bytes.push(UInt8(link::kReplyStart));
    }
    UInt32 rest = part.word;
    UInt<3> count = 0;
  byte:
    do {
      check = check_step(check, slice<7, 0>(rest));
      co_await bytes.push(slice<7, 0>(rest));
      rest = concat(UInt8(0), slice<31, 8>(rest));
      count += 1;
    } while (count != 4);
    if (part.ends) {
      rest = ~check;
      count = 0;
    check:
      do {
        co_await bytes.push(slice<7, 0>(rest));
        rest = concat(UInt8(0), slice<31, 8>(rest));
        count += 1;
      } while (count != 4);
    }
  }
}

}  // namespace systole::board
