#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <deque>
#include <optional>

#include "hls/kernels/vector/link_reader.h"
#include "hls/kernels/vector/link_writer.h"
#include "tests/support/random.h"

namespace systole::tests {

/// A core that sends and the one above it, which receives.
template <int kN, int kFlight>
struct LinkLine {
  using Writer = kernels::VectorLinkWriter<kN>;
  using Reader = kernels::VectorLinkReader<kN>;

  Writer writer;
  kernels::Link<kernels::LinkBeat<kN>, kFlight> link;
  Reader reader;

  std::deque<kernels::LinkStream> to_send, to_receive;
  std::deque<std::uint32_t> words_to_send;
  std::deque<std::uint32_t> received;
  std::uint32_t patience = 1000;
  bool stop_sender = false, stop_receiver = false;
  std::uint32_t brings = 16, takes = 16;  ///< a word, of 16 clocks
  bool offers_word = false;
  std::uint64_t clocks = 0;
  std::optional<kernels::EngineFault> sender_fault, receiver_fault;
  int waited_for_beat = 0, waited_for_room = 0;
  Random random;

  explicit LinkLine(std::uint64_t seed) : random(seed) {
    writer.reset();
    link.reset();
    reader.reset();
  }

  void add(unsigned rows, unsigned cols, unsigned command) {
    const kernels::LinkStream stream = make(rows, cols, command);
    to_send.push_back(stream);
    to_receive.push_back(stream);
    to_receive.back().is_down = hls::UInt1(1);
    bring(rows * ((cols + kN - 1) / kN));
  }
  static kernels::LinkStream make(unsigned rows, unsigned cols, unsigned command) {
    return {.rows = hls::UInt16::from(rows),
            .cols = hls::UInt16::from(cols),
            .is_down = hls::UInt1(0),
            .command = kernels::CommandIndex::from(command)};
  }
  void bring(unsigned words) {
    for (unsigned i = 0; i < words; ++i) words_to_send.push_back(random.bits32());
  }

  /// What both ends met at an edge.
  struct Edge {
    typename Writer::Inputs to_writer{};
    typename Reader::Inputs to_reader{};
  };

  Edge clock() {
    Edge edge;
    const auto out = writer.outputs();
    const auto wire = link.outputs();
    const auto in = reader.outputs();

    auto& to_writer = edge.to_writer;
    to_writer.stream.valid = hls::as_bit(!to_send.empty() && out.stream_ready);
    if (to_writer.stream.valid) {
      to_writer.stream.data = to_send.front();
      to_send.pop_front();
    }
    offers_word = !words_to_send.empty() && (offers_word || random.below(16) < brings);
    to_writer.word.valid = hls::as_bit(offers_word);
    if (to_writer.word.valid) {
      for (unsigned n = 0; n < kN; ++n) {
        to_writer.word.data[n] = hls::UInt32::from(words_to_send.front() + n);
      }
      if (out.word_ready && !stop_sender) {
        words_to_send.pop_front();
        offers_word = false;
      }
    }
    to_writer.up_out_ready = wire.sent_ready;
    to_writer.patience = hls::UInt32::from(patience);
    to_writer.stop = hls::as_bit(stop_sender);

    auto& to_reader = edge.to_reader;
    to_reader.stream.valid = hls::as_bit(!to_receive.empty() && in.stream_ready);
    if (to_reader.stream.valid) {
      to_reader.stream.data = to_receive.front();
      to_receive.pop_front();
    }
    to_reader.down_in = wire.received;
    to_reader.patience = hls::UInt32::from(patience);
    to_reader.stop = hls::as_bit(stop_receiver);
    to_reader.word_ready = hls::as_bit(random.below(16) < takes || stop_receiver);
    if (in.word.valid && to_reader.word_ready && !stop_receiver) {
      received.push_back(static_cast<std::uint32_t>(in.word.data[0].value()));
      for (unsigned n = 1; n < kN; ++n) {
        REQUIRE(in.word.data[static_cast<int>(n)].value() == received.back() + n);
      }
    }
    REQUIRE(!out.down_out.valid);
    if (out.fault.raised) sender_fault = out.fault;
    if (in.fault.raised) receiver_fault = in.fault;
    waited_for_beat += static_cast<bool>(in.waits);
    waited_for_room += static_cast<bool>(out.waits);

    writer.clock(to_writer);
    link.clock({.sent = out.up_out, .received_ready = in.down_in_ready});
    reader.clock(to_reader);
    ++clocks;
    return edge;
  }

  /// Stops both ends, the far one for longer; nothing is under way then.
  void restart(auto&& see) {
    to_send.clear();
    to_receive.clear();
    words_to_send.clear();
    offers_word = false;
    stop_sender = stop_receiver = true;
    for (int i = 0; i < 40; ++i) see(clock());
    REQUIRE(writer.outputs().idle);
    stop_sender = false;
    for (int i = 0; i < 40; ++i) see(clock());
    REQUIRE(reader.outputs().idle);
    stop_receiver = false;
    see(clock());
    received.clear();
    sender_fault.reset();
    receiver_fault.reset();
  }

  bool is_done() const {
    return to_send.empty() && to_receive.empty() && writer.outputs().idle && reader.outputs().idle;
  }
  void run(std::uint64_t most = 100'000) {
    const std::uint64_t end = clocks + most;
    while (!is_done() && !sender_fault && !receiver_fault && clocks < end) clock();
    REQUIRE(clocks < end);
  }
};

}  // namespace systole::tests
