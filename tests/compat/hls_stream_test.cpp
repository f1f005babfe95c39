// hls::stream as a test bench uses it: a queue, and what feeds a thread.
#include "hls_stream.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "kernels/run_length.h"

namespace systole::tests {
namespace {

TEST_CASE("hls::stream is a queue that refuses what would wait for ever", "[compat]") {
  ::hls::stream<ap_uint<8>, 2> queue("queue");
  CHECK(queue.empty());
  CHECK_THROWS_AS(queue.read(), std::logic_error);
  queue << 1;
  queue.write(2);
  CHECK(queue.full());
  CHECK_FALSE(queue.write_nb(3));
  CHECK_THROWS_AS(queue.write(3), std::logic_error);
  ap_uint<8> value;
  queue >> value;
  CHECK(value == 1);
  CHECK(queue.read_nb(value));
  CHECK(value == 2);
  CHECK_FALSE(queue.read_nb(value));
}

TEST_CASE("hls::stream feeds a thread and takes what it gives", "[compat]") {
  ::hls::stream<ap_uint<8>> bytes;
  ::hls::stream<run_length::Run, 1> runs;
  hls::Process<&run_length::encode> encoder;
  for (const int byte : {7, 7, 7, 9, 9, 4, 4}) bytes.write(byte);
  for (int edge = 0; edge < 20; ++edge) encoder.connect(bytes, runs);
  REQUIRE(runs.size() == 1);  // the thread waits while nobody reads
  const auto first = runs.read();
  CHECK(first.value == 7);
  CHECK(first.length == 3);
  for (int edge = 0; edge < 20; ++edge) encoder.connect(bytes, runs);
  const auto second = runs.read();
  CHECK(second.value == 9);
  CHECK(second.length == 2);
  CHECK(bytes.empty());
}

}  // namespace
}  // namespace systole::tests
