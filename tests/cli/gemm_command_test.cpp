// The program itself, run as a user runs it.
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/cli/systole_runs.h"
#include "tests/support/check_refused.h"

namespace systole::tests {
namespace {

Words gemm(const Words& more) { return joined({"gemm", "--m", "5", "--k", "6", "--n", "7"}, more); }

nlohmann::ordered_json record_of(const Words& more) {
  return recorded(gemm(more), TemporaryFolder().file("run.json"));
}

}  // namespace

TEST_CASE("devices lists cpu", "[cli]") {
  const ProgramRun run = run_program({"devices"});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::Contains("cpu"));
  CHECK(run.errors.empty());
}

TEST_CASE("devices prints how many cores are possible and how many exist", "[cli]") {
  const auto listed = [](const char* variable) {
    setenv("SYSTOLE_DEVICE", variable, 1);
    const ProgramRun run = run_program({"devices"});
    unsetenv("SYSTOLE_DEVICE");
    CHECK(run.exit_code == 0);
    return run.output;
  };
  CHECK_THAT(listed(""), Catch::Contains("1 to 1024") && Catch::Contains("1 core of ") &&
                             Catch::Contains("Resolver takes 8"));
  CHECK_THAT(listed("cpu:3"), Catch::Contains("3 cores of cpu, by $SYSTOLE_DEVICE"));
  CHECK_THAT(listed("cpu:none"), Catch::Contains("write NAME or NAME:CORES"));
  CHECK_THAT(listed("abacus"), Catch::Contains("unknown device 'abacus'"));
}

TEST_CASE("devices says where the model keeps clocks", "[cli]") {
  const std::string before = std::getenv("SYSTOLE_CACHE_DIR");
  setenv("SYSTOLE_CACHE_DIR", "/some/folder", 1);
  const ProgramRun run = run_program({"devices"});
  setenv("SYSTOLE_CACHE_DIR", before.c_str(), 1);
  CHECK_THAT(run.output, Catch::Contains("/some/folder (safe to delete)"));
}

TEST_CASE("gemm prints a summary with a checksum", "[cli]") {
  const ProgramRun run = run_program(gemm({"--device", "cpu"}));
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::Contains("5 x 6 times 6 x 7, bf16"));
  CHECK_THAT(run.output, Catch::Contains("checksum of C"));
  CHECK(run.errors.empty());
}

TEST_CASE("gemm's record has its keys in the documented order", "[cli]") {
  const auto record = record_of({"--device", "cpu"});
  std::vector<std::string> keys;
  for (const auto& item : record.items()) keys.push_back(item.key());
  CHECK(keys == std::vector<std::string>{"command", "config", "cycles", "macs", "utilization",
                                         "stalls", "busy", "device_seconds", "actions",
                                         "wall_seconds", "transfer_seconds", "peak_memory_bytes",
                                         "check", "result_checksum"});
  CHECK(record["macs"] == 5 * 6 * 7);
  CHECK(record["cycles"].is_null());
  CHECK(record["check"].is_null());
  CHECK(record["peak_memory_bytes"] > 1'000'000);
  CHECK(record["config"]["seed"] == 1);
  CHECK(record["result_checksum"].get<std::string>().size() == 16);
}

TEST_CASE("gemm's result depends on the seed alone", "[cli]") {
  const auto checksum = [](const std::vector<std::string>& more) {
    return record_of(more)["result_checksum"].get<std::string>();
  };
  const std::string first = checksum({"--type", "int8"});
  CHECK(checksum({"--type", "int8"}) == first);
  CHECK(checksum({"--type", "int8", "--seed", "2"}) != first);
  CHECK(checksum({"--type", "int8", "--repeat", "3"}) == first);
}

TEST_CASE("gemm's operands do not depend on their layout in memory", "[cli]") {
  const auto checksum = [](const std::vector<std::string>& more) {
    return record_of(more)["result_checksum"].get<std::string>();
  };
  const std::string straight = checksum({"--type", "int8"});
  CHECK(checksum({"--type", "int8", "--transpose-a"}) == straight);
  CHECK(checksum({"--type", "int8", "--transpose-b"}) == straight);
  CHECK(checksum({"--type", "int8", "--transpose-a", "--transpose-b"}) == straight);
}

TEST_CASE("every help text ends with an example", "[cli]") {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"gemm", "--help"}, {"devices", "--help"}}) {
    const ProgramRun run = run_program(arguments);
    CHECK(run.exit_code == 0);
    CHECK_THAT(run.output, Catch::Contains("Example:\n  systole "));
  }
}

TEST_CASE("the program prints its version", "[cli]") {
  const ProgramRun run = run_program({"--version"});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::StartsWith("systole "));
}

TEST_CASE("output that cannot be written is a failure", "[cli]") {
  const std::string command = std::string("'") + SYSTOLE_PROGRAM + "' devices >/dev/full 2>&1";
  CHECK(WEXITSTATUS(std::system(command.c_str())) == 1);
}

TEST_CASE("wrong usage is one line that says what to do, and exit code 2", "[cli]") {
  check_refused(run_program({}), 2, "say what to do: devices, gemm");
  check_refused(run_program({"frobnicate"}), 2, "unknown command 'frobnicate'");
  check_refused(run_program({"gemm", "--m", "5", "--k", "6"}), 2, "--n is required");
  check_refused(run_program(gemm({"--frob"})), 2, "--frob");
  check_refused(run_program(gemm({"--type", "fp16"})), 2, "use fp32, bf16 or int8");
  check_refused(run_program(gemm({"--device", "gpu"})), 2, "unknown device 'gpu'");
  check_refused(run_program(gemm({"--threads", "0"})), 2, "--threads");
  check_refused(run_program(gemm({"--clock-mhz", "-1"})), 2, "--clock-mhz");
  check_refused(run_program(gemm({"--repeat", "0"})), 2, "--repeat");
  check_refused(run_program(gemm({"--check-rtl", "1001"})), 2, "--check-rtl");
  check_refused(run_program(gemm({"--device", "cpu", "--check-rtl", "1"})), 2, "only 'model' is");
  check_refused(run_program(gemm({"--seed", "1.5"})), 2, "--seed");
}

TEST_CASE("an option that the device has no use for is refused", "[cli]") {
  for (const Words& option : {Words{"--array", "16"},
                              {"--bus-bytes", "16"},
                              {"--clock-mhz", "200"},
                              {"--config", "tpu-v2-core"}}) {
    const std::string refusal =
        option[0] + ": cpu has no array, no bus and no clock; leave this out";
    check_refused(run_program(gemm(joined({"--device", "cpu"}, option))), 2, refusal);
    check_refused(run_program(joined({"train", "mnist-mlp", "--device", "cpu"}, option)), 2,
                  refusal);
    check_refused(run_program(joined({"compare", "mnist-mlp", "--devices", "cpu"}, option)), 2,
                  refusal);
  }
  check_refused(run_program({"compare", "mnist-mlp", "--devices", "cpu,model@128", "--array", "8"}),
                2, "--array: model@128 has its own; leave this out");
  check_refused(run_program(gemm({"--device", "board:/dev/null", "--threads", "2"})), 2,
                "--threads: a board is as it is");
}

TEST_CASE("a size that is not a whole number of one or more is wrong usage", "[cli]") {
  for (const char* name : {"--m", "--k", "--n"}) {
    for (const char* size : {"0", "-1", "1.5", "ten", "", "9999999999999999999999"}) {
      std::vector<std::string> arguments = gemm({"--device", "cpu"});
      *(std::find(arguments.begin(), arguments.end(), name) + 1) = size;
      INFO(name << " " << size);
      check_refused(run_program(arguments), 2, name);
    }
  }
}

TEST_CASE("an int8 depth beyond the limit is wrong usage", "[cli]") {
  check_refused(run_program({"gemm", "--m", "1", "--k", "131072", "--n", "1", "--type", "int8"}), 2,
                "at most 131071");
}

TEST_CASE("sizes that cannot be counted or allocated are refused before any work", "[cli]") {
  check_refused(run_program({"gemm", "--m", "4000000000", "--k", "4000000000", "--n", "1"}), 1,
                "GiB of memory");
  check_refused(run_program({"gemm", "--m", "40000000", "--k", "40000000", "--n", "1"}), 1,
                "GiB of memory");
}

TEST_CASE("a JSON path that cannot be written fails before any work", "[cli]") {
  const TemporaryFolder folder;
  check_refused(run_program(gemm({"--json", folder.file("missing/run.json")})), 1, "cannot write");
  check_refused(run_program(gemm({"--json", folder.path()})), 1, "it is a directory");
  CHECK(folder.names().empty());
}

}  // namespace systole::tests
