#pragma once

#include "systole/hls/thread.h"

namespace systole::tests {

using namespace systole::hls;

/// Two beats in, one out.
inline Thread sum_pairs(StreamIn<UInt8>& values, StreamOut<UInt<9>>& sums) {
pair:
  for (;;) {
    const UInt8 first = co_await values.pop();
    const UInt8 second = co_await values.pop();
    co_await sums.push(first + second);
  }
}

/// A block of rows, a column at a time.
struct BlockCommand {
  UInt16 base;
  UInt8 rows;
  UInt8 columns;
  UInt8 stride;
};
inline Thread block_addresses(StreamIn<BlockCommand>& commands, StreamOut<UInt16>& addresses,
                              UInt8& blocks) {
  blocks = UInt8(0);
command:
  for (;;) {
    const BlockCommand block = co_await commands.pop();
    UInt8 row;
  row:
    do {
      UInt8 column;
    column:
      do {
        co_await addresses.push(truncate<UInt16>(block.base + row * block.stride + column));
        column = truncate<UInt8>(column + UInt1(1));
      } while (column < block.columns);
      row = truncate<UInt8>(row + UInt1(1));
    } while (row < block.rows);
    blocks = truncate<UInt8>(blocks + UInt1(1));
  }
}

}  // namespace systole::tests
