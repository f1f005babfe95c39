// Traced signals are those of the clocks that were asked for: the files are read back.
#include "sim/timeline/traced_replay.h"

#include <gtkwave/fstapi.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <set>

#include "tests/host/run_program.h"
#include "tests/sim/kept_programs.h"

namespace systole::sim {
namespace {

struct Trace {
  std::uint64_t first = 0, last = 0;  // clocks
  std::size_t changes = 0;
  std::set<std::string> signals;
};

void count_change(void* changes, std::uint64_t, fstHandle, const unsigned char*) {
  ++*static_cast<std::size_t*>(changes);
}

Trace read_trace(const std::string& file) {
  void* reader = fstReaderOpen(file.c_str());
  REQUIRE(reader != nullptr);
  Trace trace{.first = fstReaderGetStartTime(reader) / 2, .last = fstReaderGetEndTime(reader) / 2};
  while (const fstHier* entry = fstReaderIterateHier(reader)) {
    if (entry->htyp == FST_HT_VAR) trace.signals.insert(entry->u.var.name);
  }
  fstReaderSetFacProcessMaskAll(reader);
  fstReaderIterBlocks(reader, count_change, &trace.changes, nullptr);
  fstReaderClose(reader);
  return trace;
}

struct Traced {
  tests::TemporaryFolder folder;
  KeptProgram program = tests::kept_product(4, 12, 9, 8);
  ProgramResult result;

  Trace operator()(const TracedClocks& clocks) {
    result = trace_program(program, 4, clocks, folder.file("x.fst"));
    return read_trace(folder.file("x.fst"));
  }
};

}  // namespace

TEST_CASE("a traced program counts the clocks that it counted", "[trace]") {
  Traced traced;
  const Trace trace = traced({});
  CHECK(traced.result.counts == record_timeline({&traced.program, 1}, 4).counts);
  CHECK(trace.last - trace.first == traced.result.counts[0]);
  CHECK(trace.signals.count("clk_i") == 1);
  CHECK(trace.signals.count("memory_read_valid_i") == 1);
  CHECK(trace.signals.size() > 300);
  CHECK(trace.changes > 1000);
}

TEST_CASE("a window's file has the window's clocks", "[trace]") {
  Traced traced;
  const std::uint64_t start = traced({}).first;
  const Trace window = traced({.first = 100, .last = 120});
  CHECK(window.first == start + 100);
  CHECK(window.last == start + 120);
}

TEST_CASE("a command's file has the clocks from its handing on to its end", "[trace]") {
  Traced traced;
  const Trace whole = traced({});
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
  const Trace trace = traced({.command = kCommand});
  CHECK(trace.first == whole.first + handed_on);
  CHECK(trace.last == whole.first + done);
  CHECK_THROWS_WITH(traced({.command = 1'000'000}), Catch::Contains("no command 1000000"));
  CHECK_THROWS_WITH(traced({.first = 1'000'000}), Catch::Contains("the program takes"));
}

TEST_CASE("the clocks before a fault are traced", "[trace]") {
  Traced traced;
  traced.program = tests::kept_fault();
  const Trace whole = traced({});
  CHECK(traced.result.fault == device::FaultCode::kIllegalCommand);
  CHECK(traced.result.command == 1);
  const Trace trace = traced({.before_end = 10});
  CHECK(trace.last == whole.last);
  CHECK(trace.last - trace.first == 10);
}

TEST_CASE("what cannot be traced is refused", "[trace]") {
  Traced traced;
  CHECK_THROWS_WITH(trace_program(traced.program, 16, {}, "x.fst"), Catch::Contains("--array 4"));
  CHECK_THROWS_WITH(trace_program(traced.program, 4, {}, "/nonexistent/x.fst"),
                    Catch::Contains("cannot be written"));
}

}  // namespace systole::sim
