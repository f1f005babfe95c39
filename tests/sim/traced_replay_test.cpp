// Reads back the trace files: their signals are those of the chosen clocks.
#include "sim/timeline/traced_replay.h"

#include <catch2/catch.hpp>
#include <span>

#include "sim/verilator/traced_devices.h"
#include "tests/sim/kept_programs.h"
#include "tests/support/fst_file.h"
#include "tests/support/run_program.h"

namespace systole::sim {
namespace {

using tests::FstFile;

struct Traced {
  explicit Traced(int size) : array_size(size), program(tests::kept_product(size, 12, 9, 8)) {}

  tests::TemporaryFolder folder;
  int array_size;
  KeptProgram program;
  MemoryBehaviour behaviour;
  ProgramResult result;
  std::uint64_t first_clock = 0;

  FstFile operator()(const TracedClocks& clocks) {
    const TracedProgram traced =
        trace_program(program, array_size, clocks, folder.file("x.fst"), behaviour);
    result = traced.result;
    first_clock = traced.first_clock;
    return FstFile(folder.file("x.fst"));
  }
};

std::uint64_t count(const ProgramResult& result, device::Count which) {
  return result.counts[static_cast<std::size_t>(which)];
}

}  // namespace

TEST_CASE("a traced program counts the same clocks as before", "[trace]") {
  for (const int array_size : traced_device_sizes()) {
    INFO("array " << array_size);
    Traced traced(array_size);
    const FstFile trace = traced({});
    CHECK(traced.result.counts == record_timeline({&traced.program, 1}, array_size).counts);
    CHECK(trace.last_clock() - trace.first_clock() == count(traced.result, device::Count::kCycles));
    CHECK(trace.changes() > 1000);
  }
}

TEST_CASE("a trace has the signals of every element of the array, at their own width", "[trace]") {
  for (const int array_size : traced_device_sizes()) {
    INFO("array " << array_size);
    Traced traced(array_size);
    const FstFile trace = traced({.first = 0, .last = 0});
    const int last = array_size * array_size - 1;
    CHECK(trace.has("clk_i"));
    CHECK(trace.has("pe_weight0_q[" + std::to_string(last) + "]"));
    CHECK_FALSE(trace.has("pe_weight0_q[" + std::to_string(last + 1) + "]"));
    const std::uint64_t time = 2 * trace.first_clock();
    CHECK(trace.digits("sum_o", time).size() == static_cast<std::size_t>(32 * array_size));
    CHECK(trace.digits("memory_read_data_data_i", time).size() ==
          static_cast<std::size_t>(8 * array_size));
  }
}

TEST_CASE("a clock of a trace has the inputs and the outputs of that clock", "[trace]") {
  for (const int array_size : traced_device_sizes()) {
    INFO("array " << array_size);
    Traced traced(array_size);
    traced.behaviour.stalls = {.read = 100, .write = 100};
    const FstFile trace = traced({});
    std::uint64_t read = 0, written = 0;
    for (std::uint64_t clock = trace.first_clock(); clock < trace.last_clock(); ++clock) {
      const auto is_set = [&](const char* signal) {
        return trace.value(signal, 2 * clock + 1) != 0;
      };
      read += is_set("memory_read_valid_i") && is_set("memory_read_ready_o");
      written += is_set("memory_write_valid_o") && is_set("memory_write_ready_i");
    }
    CHECK(read == count(traced.result, device::Count::kReadBeats));
    CHECK(written == count(traced.result, device::Count::kWriteBeats));
  }
}

TEST_CASE("a window's file has the window's clocks", "[trace]") {
  Traced traced(4);
  const std::uint64_t start = traced({}).first_clock();
  const FstFile window = traced({.first = 100, .last = 120});
  CHECK(start == traced.first_clock);
  CHECK(window.first_clock() == start + 100);
  CHECK(window.last_clock() == start + 120);
}

TEST_CASE("several windows are in one file, without the clocks between them", "[trace]") {
  Traced traced(4);
  const auto changes = [&](const TracedClocks& clocks) { return traced(clocks).changes(); };
  const FstFile both = traced({.first = 100, .last = 180, .gaps = {{121, 159}}});
  CHECK(both.first_clock() == traced.first_clock + 100);
  CHECK(both.last_clock() == traced.first_clock + 180);
  CHECK(both.changes() < changes({.first = 100, .last = 180}));
  CHECK(both.changes() > changes({.first = 100, .last = 120}));
  for (const std::uint64_t clock : {110, 170}) {
    const std::uint64_t time = 2 * (traced.first_clock + clock);
    CHECK(both.value("clk_i", time) == 1);
    CHECK(both.value("clk_i", time + 1) == 0);
  }
  CHECK(both.value("clk_i", 2 * (traced.first_clock + 140) + 1) ==
        both.value("clk_i", 2 * (traced.first_clock + 140)));
}

TEST_CASE("a command's file has the clocks from dispatch to completion", "[trace]") {
  Traced traced(4);
  const FstFile whole = traced({});
  const Timeline timeline = record_timeline({&traced.program, 1}, 4);
  constexpr std::uint32_t kCommand = 4;
  std::uint64_t handed_on = 0, done = 0;
  for (const Track& track : timeline.tracks) {
    for (const Slice& slice : track.slices) {
      if (timeline.labels[slice.label].command != kCommand) continue;
      (track.engine == "sequencer" ? handed_on : done) =
          track.engine == "sequencer" ? slice.begin : slice.end;
    }
  }
  const FstFile trace = traced({.command = kCommand});
  CHECK(trace.first_clock() == whole.first_clock() + handed_on);
  CHECK(trace.last_clock() == whole.first_clock() + done);
  CHECK_THROWS_WITH(traced({.command = 1'000'000}), Catch::Contains("no command 1000000"));
  CHECK_THROWS_WITH(traced({.first = 1'000'000}), Catch::Contains("the program takes"));
}

TEST_CASE("the clocks before a fault are traced", "[trace]") {
  Traced traced(4);
  traced.program = tests::kept_fault();
  const FstFile whole = traced({});
  CHECK(traced.result.fault == device::FaultCode::kIllegalCommand);
  CHECK(traced.result.command == 1);
  const FstFile trace = traced({.before_end = 10});
  CHECK(trace.last_clock() == whole.last_clock());
  CHECK(trace.last_clock() - trace.first_clock() == 10);
}

TEST_CASE("untraceable programs are refused", "[trace]") {
  Traced traced(4);
  CHECK_THROWS_WITH(trace_program(traced.program, 32, {}, "x.fst"),
                    Catch::Contains("a 32 x 32 array: choose --array from"));
  CHECK_THROWS_WITH(trace_program(traced.program, 4, {}, "/nonexistent/x.fst"),
                    Catch::Contains("cannot be written"));
}

}  // namespace systole::sim
