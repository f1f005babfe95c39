#pragma once

#include "hls/board/requests.h"
#include "hls/board/uart.h"
#include "systole/hls/ram.h"

namespace systole::board {

/// The board's end of the serial link: requests from the line, replies to it, and between them
/// accesses to the accelerator's registers and to memory.
///
/// Units    step: uart.h. patience: clocks between two bytes of a request
/// Limits   one request at a time
/// Source   docs/board.md has the frames
class BoardLink {
 public:
  struct Inputs {
    UInt1 line;  ///< as it comes from the pin
    UInt16 step;
    UInt<24> patience;
    Identity identity;

    UInt1 write_address_ready;
    UInt1 write_data_ready;
    Beat<UInt<2>> write_response;
    UInt1 read_address_ready;
    Beat<LiteRead> read_data;

    UInt1 access_ready;
    Beat<WordAnswer> answer;
  };
  struct Outputs {
    UInt1 line;
    UInt<2> lights;  ///< busy, faulted

    Beat<UInt<12>> write_address;
    Beat<LiteWrite> write_data;
    UInt1 write_response_ready;
    Beat<UInt<12>> read_address;
    UInt1 read_data_ready;

    Beat<WordAccess> access;
    UInt1 answer_ready;
  };

  Outputs outputs() const {
    return {.line = line_out_,
            .lights = lights_,
            .write_address = write_address_.front(),
            .write_data = write_data_.front(),
            .write_response_ready = write_response_.ready(),
            .read_address = read_address_.front(),
            .read_data_ready = read_data_.ready(),
            .access = accesses_.front(),
            .answer_ready = answers_.ready()};
  }

  void clock(const Inputs& in) {
    fetched_ = payload_
                   .clock({.read_enable = 1,
                           .read_address = fetch_place_,
                           .write_enable = keep_,
                           .write_address = keep_place_,
                           .write_data = keep_word_})
                   .read_data;
    receiver_.connect(line_in_, in.step, byte_, byte_valid_);
    bytes_.push({.valid = byte_valid_, .data = byte_});
    receive_.connect(bytes_, in.patience, keep_, keep_place_, keep_word_, requests_, done_);
    run_.connect(requests_, done_, in.identity, fetch_place_, fetched_, write_address_, write_data_,
                 write_response_, read_address_, read_data_, accesses_, answers_, replies_,
                 lights_);
    reply_.connect(replies_, reply_bytes_);
    sender_.connect(reply_bytes_, in.step, line_out_);

    write_address_.pop(in.write_address_ready);
    write_data_.pop(in.write_data_ready);
    write_response_.push(in.write_response);
    read_address_.pop(in.read_address_ready);
    read_data_.push(in.read_data);
    accesses_.pop(in.access_ready);
    answers_.push(in.answer);
    update();

    line_in_ = line_early_;
    line_early_ = in.line;
  }

  void reset() {
    line_in_ = 1;
    line_early_ = 1;
    line_out_ = 1;
    lights_ = 0;
    keep_ = 0;
    receiver_.reset();
    receive_.reset();
    run_.reset();
    reply_.reset();
    sender_.reset();
    bytes_.reset();
    requests_.reset();
    done_.reset();
    replies_.reset();
    reply_bytes_.reset();
    write_address_.reset();
    write_data_.reset();
    write_response_.reset();
    read_address_.reset();
    read_data_.reset();
    accesses_.reset();
    answers_.reset();
  }

 private:
  void update() {
    bytes_.update();
    requests_.update();
    done_.update();
    replies_.update();
    reply_bytes_.update();
    write_address_.update();
    write_data_.update();
    write_response_.update();
    read_address_.update();
    read_data_.update();
    accesses_.update();
    answers_.update();
  }

  UInt1 line_early_, line_in_;  // the line changes at any time: two registers make it a value
  UInt1 line_out_;
  UInt<2> lights_;
  UInt8 byte_;
  UInt1 byte_valid_;
  UInt1 keep_;
  Place keep_place_, fetch_place_;
  UInt32 keep_word_, fetched_;
  Ram<UInt32, link::kMostWords> payload_;

  Process<&receive_bytes> receiver_;
  Process<&receive_requests> receive_;
  Process<&run_requests> run_;
  Process<&send_replies> reply_;
  Process<&send_bytes> sender_;
  Channel<UInt8, 4> bytes_;
  Channel<Request, 1> requests_;
  Channel<UInt1, 1> done_;
  Channel<ReplyWord, 2> replies_;
  Channel<UInt8, 2> reply_bytes_;
  Channel<UInt<12>, 1> write_address_;
  Channel<LiteWrite, 1> write_data_;
  Channel<UInt<2>, 1> write_response_;
  Channel<UInt<12>, 1> read_address_;
  Channel<LiteRead, 1> read_data_;
  Channel<WordAccess, 1> accesses_;
  Channel<WordAnswer, 1> answers_;
};

}  // namespace systole::board
