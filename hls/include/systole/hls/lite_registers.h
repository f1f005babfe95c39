#pragma once

#include "systole/hls/lite_handshake.h"
#include "systole/hls/stream.h"

namespace systole::hls {

/// Registers every map has: `control`, whose bit 0 starts, and `status`: busy, done since the last
/// start, error of the last run.
inline constexpr int kLiteControl = 0;
inline constexpr int kLiteStatus = 4;

/// A function's registers on AXI4-Lite, which `hlsc --interface axi4lite` instantiates.
///
/// Shapes   Map::Arguments and Map::Results are the function's scalars; Map::write and Map::read
///          place them in registers of 32 bits, Map::writable_bits has the bits of an argument's
///          register, and Map::is_readable says which registers can be read
/// Timing   an access takes two clocks, and one more for its answer; `start` is set for one clock
/// Errors   SLVERR for what is no register, a write to what is only read, of part of a word or of a
///          1 to a bit that the register does not have, a read of control, and any write while the
///          function is busy; nothing changes then
template <typename Map>
class LiteRegisters {
 public:
  struct Inputs {
    Beat<UInt<12>> write_address;
    Beat<LiteWrite> write_data;
    UInt1 write_response_ready;
    Beat<UInt<12>> read_address;
    UInt1 read_data_ready;
    UInt1 done;
    UInt1 error;
    typename Map::Results results;
  };
  struct Outputs {
    UInt1 write_address_ready;
    UInt1 write_data_ready;
    Beat<UInt<2>> write_response;
    UInt1 read_address_ready;
    Beat<LiteRead> read_data;
    UInt1 start;
    typename Map::Arguments arguments;
  };

  Outputs outputs() const {
    return {.write_address_ready = handshake_.write_ready,
            .write_data_ready = handshake_.write_ready,
            .write_response = {.valid = handshake_.write_done, .data = write_response_},
            .read_address_ready = handshake_.read_ready,
            .read_data = {.valid = handshake_.read_done, .data = read_data_},
            .start = start_,
            .arguments = arguments_};
  }

  void clock(const Inputs& in) {
    read(in);
    start_ = UInt1(0);
    if (in.done) {
      busy_ = UInt1(0);
      done_ = UInt1(1);
    }
    write(in);
    handshake_.clock(in);
  }

  void reset() {
    handshake_.reset();
    start_ = UInt1(0);
    busy_ = UInt1(0);
    done_ = UInt1(0);
  }

 private:
  void write(const Inputs& in) {
    const UInt<12> offset = in.write_address.data;
    const UInt32 data = in.write_data.data.data;
    const UInt32 bits = offset == kLiteControl ? UInt32(1) : Map::writable_bits(offset);
    const bool takes =
        bits != 0 && (data & ~bits) == 0 && in.write_data.data.strobe == 15 && !busy_ && !start_;
    if (!handshake_.write_ready) return;
    write_response_ = takes ? LiteRead::kOkay : LiteRead::kSlaveError;
    if (!takes) return;
    if (offset != kLiteControl) {
      Map::write(arguments_, offset, data);
    } else if (data != 0) {
      start_ = UInt1(1);
      busy_ = UInt1(1);
      done_ = UInt1(0);
    }
  }

  void read(const Inputs& in) {
    if (!handshake_.read_ready) return;
    const UInt<12> offset = in.read_address.data;
    const bool is_status = offset == kLiteStatus;
    read_data_.data = is_status ? UInt32(concat(in.error, done_, busy_))
                                : Map::read(offset, arguments_, in.results);
    read_data_.response =
        is_status || Map::is_readable(offset) ? LiteRead::kOkay : LiteRead::kSlaveError;
  }

  LiteHandshake handshake_;
  UInt<2> write_response_;
  LiteRead read_data_;
  UInt1 start_, busy_, done_;
  typename Map::Arguments arguments_;
};

}  // namespace systole::hls
