// --timeline and --trace, as a user requests them.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/systole_runs.h"
#include "tests/data/idx_files.h"
#include "tests/support/check_refused.h"

namespace systole::tests {
namespace {

struct InspectionFixture {
  TemporaryFolder folder;
  std::string timeline = folder.file("timeline.json");
  std::string trace = folder.file("trace.fst");

  ProgramRun gemm(const Words& more) const {
    return run_program(joined({"gemm", "--m", "12", "--k", "9", "--n", "8"}, more));
  }
  ProgramRun train(const Words& more) const {
    return run_program(joined({"train", "mnist-mlp", "--dataset", "mnist", "--data-dir",
                               folder.path() + "/data", "--batch-size", "16"},
                              more));
  }
  std::uint64_t counted(const char* counter) const {
    return nlohmann::json::parse(read_file(timeline)).at("otherData").at(counter);
  }
};

}  // namespace

TEST_CASE("gemm writes a timeline of its product", "[timeline]") {
  if (!has_device("model")) return;
  const InspectionFixture fixture;
  const std::string json = fixture.folder.file("gemm.json");
  const ProgramRun run = fixture.gemm(
      {"--device", "model", "--repeat", "2", "--timeline", fixture.timeline, "--json", json});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  CHECK(fixture.counted("cycles") ==
        nlohmann::json::parse(read_file(json)).at("cycles").get<std::uint64_t>());
}

TEST_CASE("a timeline uses the device's memory", "[timeline]") {
  if (!has_device("model")) return;
  const InspectionFixture fixture;
  const std::string config = fixture.folder.file("slow.json");
  std::ofstream(config) << R"({"array": 8, "memory": {"latency_cycles": 300}})";
  const auto cycles = [&](const Words& more) {
    const ProgramRun run =
        fixture.gemm(joined({"--device", "model", "--timeline", fixture.timeline}, more));
    INFO(run.errors);
    REQUIRE(run.exit_code == 0);
    return fixture.counted("cycles");
  };
  CHECK(cycles({"--config", config}) > cycles({"--array", "8"}) + 236);
}

TEST_CASE("several cores cannot be inspected", "[timeline]") {
  if (!has_device("model")) return;
  const InspectionFixture fixture;
  write_small_mnist(fixture.folder.path() + "/data", 40, 20);
  check_refused(
      fixture.train({"--device", "model", "--cores", "2", "--timeline", fixture.timeline}), 2,
      "one core");
}

TEST_CASE("train writes a timeline of the chosen step", "[timeline]") {
  if (!has_device("model")) return;
  const InspectionFixture fixture;
  write_small_mnist(fixture.folder.path() + "/data", 40, 20);  // the third batch has 8 samples
  const auto cycles = [&](const char* step) {
    const ProgramRun run = fixture.train({"--device", "model", "--array", "8", "--timeline",
                                          fixture.timeline, "--timeline-step", step});
    INFO(run.errors);
    REQUIRE(run.exit_code == 0);
    return fixture.counted("cycles");
  };
  CHECK(cycles("1") == cycles("2"));
  CHECK(cycles("3") < cycles("2"));
  const ProgramRun run =
      fixture.train({"--device", "model", "--timeline", fixture.timeline, "--timeline-step", "4"});
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.errors, Catch::Contains("systole: no timeline was written"));
}

TEST_CASE("gemm traces the RTL of its program", "[trace]") {
  const InspectionFixture fixture;
  if (!has_device("rtl")) return;
  const Words options{"--device", "rtl", "--array", "4", "--trace", fixture.trace};
  const auto traced_bytes = [&](const Words& more) {
    const ProgramRun run = fixture.gemm(joined(options, more));
    INFO(run.errors);
    REQUIRE(run.exit_code == 0);
    return std::filesystem::file_size(fixture.trace);
  };
  const auto whole = traced_bytes({});
  CHECK(traced_bytes({"--trace-window", "100:110"}) < whole);
  CHECK(traced_bytes({"--trace-window", "100:110,200:210"}) < whole);
  CHECK(traced_bytes({"--trace-command", "3"}) < whole);
  check_refused(fixture.gemm(joined(options, {"--trace-window", "110"})), 2, "two clocks");
  check_refused(fixture.gemm(joined(options, {"--trace-window", "9:3"})), 2, "before it begins");
  check_refused(fixture.gemm(joined(options, {"--trace-window", "1:9,9:20"})), 2,
                "9 does not follow 9");
  check_refused(fixture.gemm(joined(options, {"--trace-window", "1:9,"})), 2, "two clocks");
  check_failed(fixture.gemm(joined(options, {"--trace-command", "100000"})), 1, "no command");
  check_failed(fixture.gemm(joined(options, {"--trace-program", "1"})), 1, "is too large");
  check_refused(fixture.gemm({"--device", "model", "--array", "32", "--trace", fixture.trace}), 2,
                "choose --array");
}

TEST_CASE("verify traces the chosen program on arrays of every size", "[trace]") {
  const InspectionFixture fixture;
  if (!has_device("rtl")) return;
  const auto verify = [&](const Words& more) {
    return run_program(joined({"verify", "--programs", "3", "--seed", "8", "--quiet"}, more));
  };
  const auto traced_bytes = [&](const Words& more) {
    const ProgramRun run = verify(joined({"--trace", fixture.trace}, more));
    INFO(run.errors);
    REQUIRE(run.exit_code == 0);
    CHECK_THAT(run.output, Catch::Contains("clock c is the time 2 c"));
    return std::filesystem::file_size(fixture.trace);
  };
  for (const char* array : {"4", "16"}) {
    const Words chosen{"--array", array, "--trace-program", "2"};
    // A build may have only the smallest array.
    const ProgramRun tried = verify(joined({"--trace", fixture.trace}, chosen));
    if (tried.errors.find("choose --array") != std::string::npos && array != Words{"4"}[0])
      continue;
    const auto whole = traced_bytes(chosen);
    CHECK(traced_bytes(joined(chosen, {"--trace-window", "100:110"})) < whole);
    CHECK(traced_bytes(joined(chosen, {"--trace-command", "3"})) < whole);
  }
  std::filesystem::remove(fixture.trace);
  const ProgramRun passes = verify({"--array", "4", "--trace", fixture.trace});
  CHECK(passes.exit_code == 0);
  CHECK_THAT(passes.output, Catch::Contains("none: nothing differs"));
  CHECK_FALSE(std::filesystem::exists(fixture.trace));

  const Words first{"--array", "4", "--trace", fixture.trace, "--trace-program", "0"};
  check_failed(verify(joined(first, {"--trace-command", "100000"})), 1, "no command");
  check_failed(verify(joined(first, {"--trace-window", "900000:900001"})), 1, "the case ends");
  check_refused(verify({"--array", "4", "--trace", fixture.trace, "--trace-program", "3"}), 2,
                "the run has 3 programs");
  check_refused(verify({"--array", "32", "--trace", fixture.trace}), 2, "choose --array");
  check_refused(verify({"--array", "4", "--trace-window", "1:2"}), 2, "--trace");
}

TEST_CASE("a device without programs and an unwritable file are refused before any work",
          "[timeline]") {
  const InspectionFixture fixture;
  check_refused(fixture.gemm({"--device", "cpu", "--timeline", fixture.timeline}), 2,
                "runs no programs");
  if (!has_device("model")) return;
  check_refused(fixture.gemm({"--device", "model", "--timeline", "/nonexistent/x.json"}), 1,
                "cannot write");
}

}  // namespace systole::tests
