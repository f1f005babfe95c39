#pragma once

#include "systole/hls/stream.h"
#include "systole/hls/thread.h"
#include "tests/compiler/kernels/threads.h"

namespace systole::tests {

using namespace systole::hls;

/// Adds to each word the number of words before it.
inline Thread number_words(StreamIn<UInt16>& words, StreamOut<UInt16>& numbered,
                           const UInt1& enable, UInt16& count) {
  count = UInt16(0);
word:
  for (;;) {
    const UInt16 word = co_await words.pop();
    if (!enable) continue;
    co_await numbered.push(truncate<UInt16>(word + count));
    count = truncate<UInt16>(count + UInt1(1));
  }
}

/// Two threads and three channels: commands become addresses, addresses are numbered.
struct BlockReader {
  struct Inputs {
    Beat<BlockCommand> command;
    UInt1 address_ready;
    UInt1 enable;
  };
  struct Outputs {
    UInt1 command_ready;
    Beat<UInt16> address;
    UInt16 count;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{
        .command_ready = commands_.ready(), .address = addresses_.front(), .count = count_};
    commands_.push(in.command);
    addresses_.pop(in.address_ready);
    generator_.connect(commands_, raw_, blocks_);
    numbers_.connect(raw_, addresses_, in.enable, count_);
    commands_.update();
    raw_.update();
    addresses_.update();
    return out;
  }
  void reset() {
    generator_.reset();
    numbers_.reset();
    commands_.reset();
    raw_.reset();
    addresses_.reset();
    count_ = UInt16(0);
  }

 private:
  Channel<BlockCommand, 2> commands_;
  Channel<UInt16, 1> raw_;
  Channel<UInt16, 3> addresses_;
  Process<&block_addresses> generator_;
  Process<&number_words> numbers_;
  UInt8 blocks_;
  UInt16 count_;
};

}  // namespace systole::tests
