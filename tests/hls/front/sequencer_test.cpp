// Commands on their way: the sequencer's queues and fences, and the tokens between engines.

#include "hls/kernels/sequencer.h"

#include <catch2/catch.hpp>

#include "hls/kernels/tokens.h"
#include "host/device/device_map.h"

namespace systole::tests {
namespace {

using namespace systole::kernels;

CommandWord word_of(const device::CommandWord& word) {
  return CommandWord::from_raw(static_cast<CommandWord::Raw>(word.high) << 64 | word.low);
}

class Front {
 public:
  using Inputs = Sequencer<16>::Inputs;
  Front() {
    sequencer_.reset();
    in_.load_ready = in_.compute_ready = in_.store_ready = UInt1(1);
  }
  /// Gives what any command may need.
  void give_shapes() {
    for (const device::CommandWord& word :
         {encode(device::LoadShape{}), encode(device::LoadPatches{}), encode(device::MatmulShape{}),
          encode(device::StoreShape{}), encode(device::StoreScale{.seed = 1})}) {
      give(word, 0);
      clock();
    }
  }
  /// Offers a command until it is taken.
  void give(const device::CommandWord& word, unsigned index) {
    in_.command = {.valid = UInt1(1),
                   .data = {.word = word_of(word), .index = CommandIndex::from(index)}};
    while (!sequencer_.outputs().command_ready) clock();
    clock();
    in_.command.valid = UInt1(0);
  }
  void clock() { sequencer_.clock(in_); }
  Sequencer<16>::Outputs out() const { return sequencer_.outputs(); }

  Inputs in_;

 private:
  Sequencer<16> sequencer_;
};

TEST_CASE("the sequencer hands each command to its engine unchanged", "[sequencer]") {
  Front front;
  front.give_shapes();
  const auto first = front.out().head.value();
  const auto load = encode(device::Load{.address = 0x123456789a, .type = device::LoadType::kBf16},
                           {.wait = device::kComputeEngine, .signal = device::kStoreEngine});
  front.give(load, 7);
  CHECK(front.out().load.valid);
  CHECK(front.out().load.data.word == word_of(load));
  CHECK(front.out().load.data.index.value() == 7);
  CHECK_FALSE(front.out().compute.valid);
  front.give(encode(device::Matmul{}), 8);
  CHECK(front.out().compute.valid);
  front.give(encode(device::MatmulShape{}), 9);
  CHECK(front.out().compute.valid);
  front.give(encode(device::StoreScale{}), 10);
  CHECK(front.out().store.valid);
  front.clock();
  CHECK(front.out().head.value() == first + 4);
  CHECK(front.out().idle);
}

TEST_CASE("a full queue delays a command", "[sequencer]") {
  Front front;
  front.in_.store_ready = UInt1(0);
  front.give(encode(device::StoreShape{}), 0);
  for (int i = 0; i < 5; ++i) {
    CHECK(front.out().store.valid);
    CHECK_FALSE(front.out().command_ready);
    CHECK(front.out().head.value() == 0);
    front.clock();
  }
  front.in_.store_ready = UInt1(1);
  front.clock();
  CHECK_FALSE(front.out().store.valid);
  CHECK(front.out().head.value() == 1);
}

TEST_CASE("a fence waits for the engines, then for the host", "[sequencer]") {
  Front front;
  front.give(encode(device::Fence{.interrupt = true, .wait_for_host = true, .marker = 0xcafe}), 0);
  for (int i = 0; i < 3; ++i) front.clock();
  CHECK(front.out().marker.value() == 0);
  CHECK_FALSE(front.out().fence);
  front.in_.engines_done = UInt1(1);
  front.clock();
  CHECK(front.out().fence);
  CHECK(front.out().marker.value() == 0xcafe);
  CHECK(front.out().waits_for_host);
  front.clock();
  CHECK_FALSE(front.out().fence);
  CHECK(front.out().head.value() == 0);
  front.in_.resume = UInt1(1);
  front.clock();
  CHECK(front.out().head.value() == 1);
  CHECK(front.out().idle);
}

TEST_CASE("the sequencer refuses illegal commands with their index", "[sequencer]") {
  device::CommandWord stray = encode(device::Load{.type = device::LoadType::kBf16});
  stray.high |= std::uint64_t{1} << 60;
  const device::CommandWord illegal[] = {
      {},
      {.low = 0xff},
      stray,
      encode(device::LoadShape{.rows = 0}),
      encode(device::LoadShape{.cols = 0}),
      encode(device::Load{.buffer = device::LoadBuffer::kAccumulators}),
      encode(device::Load{.type = device::LoadType::kWord32}),
      encode(device::Load{}, {.wait = device::kLoadEngine}),
      encode(device::Matmul{}, {.signal = device::kComputeEngine}),
      encode(device::MatmulShape{.last_depth = 17}),
      encode(device::MatmulShape{.last_depth = 0}),
      encode(device::StoreShape{.cols = 17}),
      encode(device::Store{.format = static_cast<device::StoreFormat>(6)}),
      encode(device::LoadPatches{.stride = 0})};
  for (const auto& word : illegal) {
    Front front;
    INFO("low " << std::hex << word.low << " high " << word.high);
    CHECK_FALSE(is_legal(word, 16));
    front.give(word, 5);
    CHECK(front.out().fault.raised);
    CHECK(front.out().fault.code.value() == kFaultIllegalCommand);
    CHECK(front.out().fault.command.value() == 5);
    CHECK(front.out().idle);
  }
}

TEST_CASE("nothing after a refused command is handed on, and no fence is passed", "[sequencer]") {
  const device::CommandWord refused =
      GENERATE(device::CommandWord{.low = 99}, encode(device::Matmul{}));
  const device::CommandWord next[] = {
      encode(device::Fence{.interrupt = true, .marker = 0x55}),
      encode(device::Fence{.interrupt = true, .wait_for_host = true, .marker = 0x55}),
      encode(device::LoadShape{}), encode(device::StoreShape{}), device::CommandWord{.low = 99}};
  for (const auto& word : next) {
    Front front;
    front.in_.engines_done = UInt1(1);
    front.give(refused, 3);
    CHECK(front.out().fault.raised);
    CHECK(front.out().command_ready);
    front.give(word, 4);  // in the clock in which the fault is told
    front.in_.stop = UInt1(1);
    for (int i = 0; i < 5; ++i) {
      CHECK_FALSE(front.out().fault.raised);
      CHECK_FALSE(front.out().load.valid);
      CHECK_FALSE(front.out().store.valid);
      CHECK_FALSE(front.out().fence);
      CHECK_FALSE(front.out().waits_for_host);
      CHECK(front.out().marker.value() == 0);
      CHECK(front.out().head.value() == 0);
      front.clock();
    }
  }
}

TEST_CASE("a fence is not passed in the clock in which the device stops", "[sequencer]") {
  const bool waits = GENERATE(false, true);
  Front front;
  front.give(encode(device::Fence{.interrupt = true, .wait_for_host = waits, .marker = 0x55}), 0);
  front.in_.engines_done = front.in_.stop = UInt1(1);
  for (int i = 0; i < 3; ++i) {
    front.clock();
    CHECK(front.out().marker.value() == 0);
    CHECK(front.out().head.value() == 0);
    CHECK_FALSE(front.out().fence);
    CHECK_FALSE(front.out().waits_for_host);
  }
  CHECK(front.out().idle);
}

TEST_CASE("a stop ends a fence's wait, and a resume in its clock counts nothing", "[sequencer]") {
  Front front;
  front.give(encode(device::Fence{.wait_for_host = true, .marker = 0x55}), 0);
  front.in_.engines_done = UInt1(1);
  front.clock();
  REQUIRE(front.out().waits_for_host);
  front.in_.stop = front.in_.resume = UInt1(1);
  front.clock();
  CHECK(front.out().idle);
  CHECK(front.out().head.value() == 0);
}

// Commands, and the bits of `shapes_needed_by` that each has.
struct Needy {
  device::CommandWord word;
  std::vector<device::CommandWord> needs;
};
std::vector<Needy> needy_commands() {
  using namespace device;
  const device::CommandWord block = encode(LoadShape{}), patches = encode(LoadPatches{}),
                            tiles = encode(MatmulShape{}), rows = encode(StoreShape{}),
                            scale = encode(StoreScale{}), seed = encode(StoreScale{.seed = 9});
  return {{encode(Load{}), {block}},
          {encode(Load{.patches = true}), {block, patches}},
          {encode(Matmul{}), {tiles}},
          {encode(Store{}), {rows}},
          {encode(Store{.format = StoreFormat::kInt8FromFp32}), {rows, scale}},
          {encode(Store{.format = StoreFormat::kInt8FromInt32}), {rows, scale}},
          {encode(Store{.format = StoreFormat::kBf16Stochastic}), {rows, seed}}};
}

TEST_CASE("the sequencer refuses a command until every shape that it needs is set", "[sequencer]") {
  for (const auto& [word, needs] : needy_commands()) {
    INFO("low " << std::hex << word.low << " high " << word.high);
    for (std::size_t left_out = 0; left_out <= needs.size(); ++left_out) {
      Front front;
      unsigned index = 0;
      for (std::size_t i = 0; i < needs.size(); ++i) {
        if (i != left_out) front.give(needs[i], index++);
        front.clock();
      }
      front.give(word, index);
      const bool complete = left_out == needs.size();
      CHECK(front.out().fault.raised.value() == !complete);
      CHECK(front.out().idle.value() == !complete);
      if (complete) continue;
      CHECK(front.out().fault.code.value() == kFaultMissingShape);
      CHECK(front.out().fault.command.value() == index);
    }
  }
}

TEST_CASE("a reset of the device takes the shapes away", "[sequencer]") {
  for (const auto& [word, needs] : needy_commands()) {
    Front front;
    front.give_shapes();
    front.in_.clear = UInt1(1);
    front.clock();
    front.in_.clear = UInt1(0);
    front.give(word, 0);
    CHECK(front.out().fault.code.value() == kFaultMissingShape);
  }
}

TEST_CASE("an unseeded scale does not allow stochastic rounding", "[sequencer]") {
  Front front;
  front.give(encode(device::StoreShape{}), 0);
  front.clock();
  front.give(encode(device::StoreScale{.scale = 7, .shift = 3}), 1);
  front.clock();
  front.give(encode(device::Store{.format = device::StoreFormat::kBf16Stochastic}), 2);
  CHECK(front.out().fault.code.value() == kFaultMissingShape);
}

TEST_CASE("kernels and host agree on the shapes that commands set and need", "[device_map]") {
  for (const auto& [word, needs] : needy_commands()) {
    unsigned set = 0;
    for (const auto& shape : needs) {
      CHECK(shapes_set_by(shape) == kernels::shapes_set_by(word_of(shape)).value());
      set |= shapes_set_by(shape);
    }
    CHECK((shapes_needed_by(word) & ~set) == 0);
    CHECK(shapes_needed_by(word) == kernels::shapes_needed_by(word_of(word)).value());
    CHECK(shapes_set_by(word) == 0);
  }
}

TEST_CASE("kernels and host agree on what is legal", "[device_map]") {
  // Words near legal ones: one with a bit flipped, for every bit.
  const device::CommandWord legal[] = {encode(device::Fence{.interrupt = true, .marker = 3}),
                                       encode(device::LoadShape{.rows = 3, .cols = 5}),
                                       encode(device::Load{.type = device::LoadType::kBf16}),
                                       encode(device::LoadPatches{}),
                                       encode(device::MatmulShape{.last_depth = 16}),
                                       encode(device::Matmul{}, {.wait = 1, .signal = 4}),
                                       encode(device::StoreShape{.cols = 16}),
                                       encode(device::StoreScale{}),
                                       encode(device::Store{}, {.wait = 2, .signal = 3})};
  int refused = 0;
  for (const auto& word : legal) {
    REQUIRE(is_legal(word, 16));
    REQUIRE(kernels::is_legal<16>(word_of(word)));
    for (int bit = 0; bit < 128; ++bit) {
      auto other = word;
      (bit < 64 ? other.low : other.high) ^= std::uint64_t{1} << (bit % 64);
      INFO("bit " << bit << " of opcode " << (word.low & 255));
      REQUIRE(is_legal(other, 16) == kernels::is_legal<16>(word_of(other)));
      refused += !is_legal(other, 16);
    }
  }
  CHECK(refused > 300);
}

TEST_CASE("a token exists from when it is given until it is taken", "[tokens]") {
  Tokens tokens;
  tokens.reset();
  Tokens::Inputs in;
  in.given.load = UInt<3>(1 << kComputeBit | 1 << kStoreBit);
  tokens.clock(in);
  tokens.clock(in);
  CHECK(tokens.outputs().available.compute.value() == 1 << kLoadBit);
  CHECK(tokens.outputs().available.store.value() == 1 << kLoadBit);
  CHECK(tokens.outputs().available.load.value() == 0);
  in = {};
  in.taken.compute = UInt<3>(1 << kLoadBit);
  tokens.clock(in);
  CHECK(tokens.outputs().available.compute.value() == 1 << kLoadBit);
  tokens.clock(in);
  CHECK(tokens.outputs().available.compute.value() == 0);
  CHECK(tokens.outputs().available.store.value() == 1 << kLoadBit);
}

TEST_CASE("a 256th token in one place overflows, and so does one given to oneself", "[tokens]") {
  Tokens tokens;
  tokens.reset();
  Tokens::Inputs in;
  in.given.store = UInt<3>(1 << kLoadBit);
  for (int i = 0; i < 255; ++i) {
    tokens.clock(in);
    REQUIRE_FALSE(tokens.outputs().overflow);
  }
  tokens.clock(in);
  CHECK(tokens.outputs().overflow);
  in = {};
  tokens.clock(in);
  CHECK_FALSE(tokens.outputs().overflow);
  in.given.load = UInt<3>(1 << kLoadBit);
  tokens.clock(in);
  CHECK(tokens.outputs().overflow);
}

}  // namespace
}  // namespace systole::tests
