// The vector engine's streams at the ends of a link: RTL against C++, all ports, every edge, while
// two cores send, receive, stop and go on.

#include <Vvector_link_reader_16.h>
#include <Vvector_link_reader_4.h>
#include <Vvector_link_writer_16.h>
#include <Vvector_link_writer_4.h>

#include <catch2/catch.hpp>

#include "tests/rtl/lockstep.h"
#include "tests/rtl/vector/stream_tops.h"
#include "tests/support/link_line.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0412;

void visit_link_stream(auto& model, const hls::Beat<kernels::LinkStream>& stream, auto&& visit) {
  visit("stream_valid_i", model.stream_valid_i, stream.valid);
  visit("stream_data_rows_i", model.stream_data_rows_i, stream.data.rows);
  visit("stream_data_cols_i", model.stream_data_cols_i, stream.data.cols);
  visit("stream_data_is_down_i", model.stream_data_is_down_i, stream.data.is_down);
  visit("stream_data_command_i", model.stream_data_command_i, stream.data.command);
}

/// A beat's lanes as the port of RTL has them.
template <int kN>
hls::Vec<hls::UInt32, kN / kernels::kLinkBeatsOfWord> lanes_of(const kernels::LinkBeat<kN>& beat) {
  hls::Vec<hls::UInt32, kN / kernels::kLinkBeatsOfWord> lanes;
  for (int n = 0; n < kN / kernels::kLinkBeatsOfWord; ++n) {
    lanes[n] = hls::UInt32::from(static_cast<std::uint32_t>(beat.lanes.raw() >> (32 * n)));
  }
  return lanes;
}

template <typename VerilatedModel, int kN>
struct LinkReaderTop {
  using Native = kernels::VectorLinkReader<kN>;
  using Model = VerilatedModel;

  static void inputs(Model& model, const typename Native::Inputs& in, auto&& visit) {
    visit_link_stream(model, in.stream, visit);
    visit("up_in_valid_i", model.up_in_valid_i, in.up_in.valid);
    visit("up_in_data_lanes_i", model.up_in_data_lanes_i, lanes_of(in.up_in.data));
    visit("up_in_data_last_i", model.up_in_data_last_i, in.up_in.data.last);
    visit("down_in_valid_i", model.down_in_valid_i, in.down_in.valid);
    visit("down_in_data_lanes_i", model.down_in_data_lanes_i, lanes_of(in.down_in.data));
    visit("down_in_data_last_i", model.down_in_data_last_i, in.down_in.data.last);
    visit("patience_i", model.patience_i, in.patience);
    visit("stop_i", model.stop_i, in.stop);
    visit("word_ready_i", model.word_ready_i, in.word_ready);
  }
  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("stream_ready_o", model.stream_ready_o, out.stream_ready);
    visit("up_in_ready_o", model.up_in_ready_o, out.up_in_ready);
    visit("down_in_ready_o", model.down_in_ready_o, out.down_in_ready);
    visit("word_valid_o", model.word_valid_o, out.word.valid);
    if (out.word.valid) visit("word_data_o", model.word_data_o, out.word.data);
    visit("idle_o", model.idle_o, out.idle);
    visit("draining_o", model.draining_o, out.draining);
    visit("waits_o", model.waits_o, out.waits);
    if (!out.idle && !out.stream_ready) visit("command_o", model.command_o, out.command);
    visit_fault(model, out.fault, visit);
  }
};

template <typename VerilatedModel, int kN>
struct LinkWriterTop {
  using Native = kernels::VectorLinkWriter<kN>;
  using Model = VerilatedModel;

  static void inputs(Model& model, const typename Native::Inputs& in, auto&& visit) {
    visit_link_stream(model, in.stream, visit);
    visit("word_valid_i", model.word_valid_i, in.word.valid);
    visit("word_data_i", model.word_data_i, in.word.data);
    visit("up_out_ready_i", model.up_out_ready_i, in.up_out_ready);
    visit("down_out_ready_i", model.down_out_ready_i, in.down_out_ready);
    visit("patience_i", model.patience_i, in.patience);
    visit("stop_i", model.stop_i, in.stop);
  }
  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("stream_ready_o", model.stream_ready_o, out.stream_ready);
    visit("word_ready_o", model.word_ready_o, out.word_ready);
    visit("up_out_valid_o", model.up_out_valid_o, out.up_out.valid);
    if (out.up_out.valid) {
      visit("up_out_data_lanes_o", model.up_out_data_lanes_o, lanes_of(out.up_out.data));
      visit("up_out_data_last_o", model.up_out_data_last_o, out.up_out.data.last);
    }
    visit("down_out_valid_o", model.down_out_valid_o, out.down_out.valid);
    if (out.down_out.valid) {
      visit("down_out_data_lanes_o", model.down_out_data_lanes_o, lanes_of(out.down_out.data));
      visit("down_out_data_last_o", model.down_out_data_last_o, out.down_out.data.last);
    }
    visit("idle_o", model.idle_o, out.idle);
    visit("waits_o", model.waits_o, out.waits);
    if (!out.idle) visit("command_o", model.command_o, out.command);
    visit_fault(model, out.fault, visit);
  }
};

/// Streams go up a line of two cores, until one is stopped or stalls; then the next ones do. `pick`
/// chooses the end that is in lock-step with its RTL.
template <typename Top, int kN>
void check(int episodes, auto&& pick) {
  Lockstep<Top> both(kSeed);
  Random random(kSeed);
  int faults = 0;
  for (int episode = 0; episode < episodes; ++episode) {
    INFO("seed " << kSeed << ", episode " << episode);
    LinkLine<kN, 8> line(random.bits());
    both.clock({}, true);
    both.compare_from_here();
    line.patience = random.below(2) == 0 ? random.below(40) : 1000;
    line.brings = 1 + random.below(16);
    line.takes = 1 + random.below(16);
    for (int round = 0; round < 3; ++round) {
      for (unsigned i = 0; i < 4; ++i) {
        line.add(1 + random.below(4), 1 + random.below(6 * kN), i);
        if (random.below(16) == 0) line.to_receive.pop_back();
      }
      const std::uint64_t cut = line.clocks + (random.below(2) == 0 ? random.below(200) : 5000);
      while (!line.is_done() && !line.sender_fault && !line.receiver_fault && line.clocks < cut) {
        both.clock(pick(line.clock()));
      }
      faults += line.sender_fault || line.receiver_fault;
      line.restart([&](const auto& edge) { both.clock(pick(edge)); });
    }
    INFO(both.first_mismatch().message());
    REQUIRE(both.mismatches() == 0);
  }
  CHECK(faults > episodes / 4);
}

const auto kReader = [](const auto& edge) { return edge.to_reader; };
const auto kWriter = [](const auto& edge) { return edge.to_writer; };

TEST_CASE("a stream from a neighbour is the same in C++ and RTL", "[link]") {
  check<LinkReaderTop<Vvector_link_reader_4, 4>, 4>(150, kReader);
  check<LinkReaderTop<Vvector_link_reader_16, 16>, 16>(60, kReader);
}

TEST_CASE("a stream to a neighbour is the same in C++ and RTL", "[link]") {
  check<LinkWriterTop<Vvector_link_writer_4, 4>, 4>(150, kWriter);
  check<LinkWriterTop<Vvector_link_writer_16, 16>, 16>(60, kWriter);
}

}  // namespace
}  // namespace systole::tests
