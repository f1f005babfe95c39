// The timeline of a program agrees with the device's counters, clock for clock.
#include "sim/timeline/timeline.h"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/device/register_driver.h"
#include "sim/device/control_devices.h"
#include "sim/timeline/replay_memory.h"
#include "tests/sim/adam_on_device.h"
#include "tests/sim/kept_programs.h"

namespace systole::sim {
namespace {

using Json = nlohmann::json;

ProgramResult run_clocked(const KeptProgram& program, int size) {
  auto memory = replay_memory(program);
  auto port = make_control_device(size, *memory, {}, {.monitors = false});
  RegisterDriver driver(std::move(memory), std::move(port));
  return driver.run(placed(program));
}

}  // namespace

TEST_CASE("slices add up exactly to the device's counters", "[timeline]") {
  const int size = GENERATE(4, 16, 128);
  const std::vector<KeptProgram> programs = {tests::kept_product(size, 40, 50, 60),
                                             tests::kept_product(size, 1, 1, 1),
                                             tests::kept_product(size, 130, 17, 33)};
  const Timeline timeline = record_timeline(programs, size);
  std::array<std::uint64_t, device::kCounters> counted{};
  for (const KeptProgram& program : programs) {
    const ProgramResult result = run_clocked(program, size);
    REQUIRE(result.fault == device::FaultCode::kNone);
    for (std::size_t i = 0; i < counted.size(); ++i) counted[i] += result.counts[i];
  }
  CHECK(timeline.counts == counted);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    INFO(device::kCounterNames[i]);
    CHECK(timeline.clocks_of(static_cast<device::Count>(i)) == counted[i]);
  }
  CHECK(timeline.clocks_of(device::Count::kWaitForLoad) > 0);
}

// A run takes as long as its instructions, which are in memory.
TEST_CASE("slices of vector commands add up to the device's counters", "[timeline]") {
  const auto memory = std::make_shared<DeviceMemory>();
  const tests::AdamOnDevice adam(4, *memory, 300);
  const KeptProgram kept = keep(adam.placed(), *memory, false);
  RegisterDriver driver(memory, make_control_device(4, *memory, {}, {.monitors = false}));
  const ProgramResult result = driver.run(adam.placed());
  REQUIRE(result.fault == device::FaultCode::kNone);
  const Timeline timeline = record_timeline({&kept, 1}, 4);
  CHECK(timeline.counts == result.counts);
  CHECK(timeline.clocks_of(device::Count::kVectorBusy) >= 18 * 300 / 4);
}

TEST_CASE("every command is handed on once, in order, and executed by its engine", "[timeline]") {
  const KeptProgram program = tests::kept_product(8, 40, 50, 60);
  const Timeline timeline = record_timeline({&program, 1}, 8);
  std::uint32_t next = 0;
  std::map<std::uint32_t, int> done;
  for (const Track& track : timeline.tracks) {
    for (const Slice& slice : track.slices) {
      const Label& label = timeline.labels[slice.label];
      if (!label.command) continue;
      if (track.engine == "sequencer") {
        CHECK(*label.command == next++);
      } else {
        ++done[*label.command];
      }
    }
  }
  CHECK(next == program.commands.size());
  CHECK(done.size() == program.commands.size());
  for (const auto& [command, times] : done) CHECK(times == 1);
}

TEST_CASE("the timeline keeps the rules of the trace-event format", "[timeline]") {
  const KeptProgram program = tests::kept_product(16, 40, 50, 60);
  const Timeline timeline = record_timeline({&program, 1}, 16);
  const Json trace = Json::parse(trace_events(timeline));
  std::map<std::pair<int, int>, std::uint64_t> end;  // of each thread's last slice
  std::map<std::pair<int, int>, std::string> threads;
  std::map<int, std::string> processes;
  std::map<std::string, std::uint64_t> clocks;
  for (const Json& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph");
    const std::pair thread(event.at("pid").get<int>(), event.at("tid").get<int>());
    if (phase == "M") {
      const std::string name = event.at("args").at("name");
      CHECK_FALSE(name.empty());
      if (event.at("name") == "process_name") {
        CHECK(processes.emplace(thread.first, name).second);
      } else {
        CHECK(event.at("name") == "thread_name");
        CHECK(threads.emplace(thread, name).second);
      }
      continue;
    }
    REQUIRE(phase == "X");
    CHECK(event.at("name").is_string());
    CHECK(event.at("ts").is_number_unsigned());
    CHECK(event.at("dur").get<std::uint64_t>() >= 1);
    CHECK(threads.count(thread) == 1);  // named before its first slice
    const std::uint64_t begin = event.at("ts");
    CHECK(begin >= end[thread]);
    end[thread] = begin + event.at("dur").get<std::uint64_t>();
    clocks[event.at("cat")] += event.at("dur").get<std::uint64_t>();
  }
  CHECK(processes.size() == 8);
  // The durations in the file add up to the device's counters.
  for (const std::string name : {"rows", "wait_for_load", "load_busy", "load_wait_for_data",
                                 "store_busy", "read_beats", "write_beats", "cycles"}) {
    INFO(name);
    CHECK(clocks[name] == trace.at("otherData").at(name).get<std::uint64_t>());
    CHECK(clocks[name] > 0);
  }
}

TEST_CASE("the timelines of cores have processes of their own and one clock 0", "[timeline]") {
  const KeptProgram program = tests::kept_product(16, 40, 50, 60);
  std::vector<Timeline> cores(2, record_timeline({&program, 1}, 16));
  constexpr std::uint64_t kLater = 70;
  cores[1].first_clock += kLater;
  const auto first_clocks = [](const Json& trace) {
    std::map<int, std::string> processes;
    std::map<std::string, std::uint64_t> first;
    for (const Json& event : trace.at("traceEvents")) {
      if (event.at("name") == "process_name") {
        processes[event.at("pid")] = event.at("args").at("name");
      } else if (event.at("ph") == "X") {
        first.emplace(processes.at(event.at("pid")), event.at("ts"));
      }
    }
    return first;
  };
  const auto alone = first_clocks(Json::parse(trace_events(cores[0])));
  const auto together = first_clocks(Json::parse(trace_events(cores)));
  REQUIRE(together.size() == 2 * alone.size());
  for (const auto& [engine, clock] : alone) {
    CAPTURE(engine);
    CHECK(together.at("core 0 " + engine) == clock);
    CHECK(together.at("core 1 " + engine) == clock + kLater);
  }
}

TEST_CASE("a faulting program has a timeline up to the fault", "[timeline]") {
  const KeptProgram program = tests::kept_fault();
  const Timeline timeline = record_timeline({&program, 1}, 4);
  CHECK(timeline.clocks > 0);
  CHECK(timeline.clocks_of(device::Count::kCycles) ==
        timeline.counts[static_cast<std::size_t>(device::Count::kCycles)]);
}

TEST_CASE("a size without a timeline is refused with the sizes that have one", "[timeline]") {
  const KeptProgram program = tests::kept_fault();
  CHECK_THROWS_WITH(record_timeline({&program, 1}, 5), Catch::Contains("4, 8, 16, 32, 64, 128"));
}

}  // namespace systole::sim
