// systole inspect: which device its program is for, and what it shows of the compiler's passes.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/compiler/pipeline.h"
#include "host/graph/text.h"
#include "tests/support/check_refused.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

using Words = std::vector<std::string>;

ProgramRun inspect(const Words& more) {
  Words words{"inspect", "mnist-mlp", "--batch-size", "4"};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

std::string line_of(const ProgramRun& run, const std::string& name) {
  const std::size_t start = run.output.find("\n" + name);
  REQUIRE(start != std::string::npos);
  return run.output.substr(start + 1, run.output.find('\n', start + 1) - start - 1);
}

}  // namespace

TEST_CASE("inspect lists the compiler's passes without a model", "[inspect]") {
  const ProgramRun run = run_program({"inspect", "--list-passes"});
  CHECK(run.exit_code == 0);
  std::size_t place = 0;
  for (const lowering::Pass& pass : lowering::passes()) {
    CAPTURE(pass.name);
    place = run.output.find(std::string(pass.name) + "  ", place);
    REQUIRE(place != std::string::npos);
  }
}

TEST_CASE("inspect prints the graph after a pass, which reads back", "[inspect]") {
  // One-channel images, whose pixels an array of 64 packs: an operation of this compiler.
  const ProgramRun run = run_program({"inspect", "mnist-cnn", "--batch-size", "2", "--array", "64",
                                      "--print-after", "widen_convolutions"});
  REQUIRE(run.exit_code == 0);
  CHECK(run.output.find("systole.wide_kernel") != std::string::npos);
  CHECK(run.output.find("stablehlo.reduce_window") != std::string::npos);
  CHECK(graph::print(*lowering::read_lowered(run.output)) == run.output);
  const ProgramRun later = run_program({"inspect", "mnist-cnn", "--batch-size", "2", "--array",
                                        "64", "--print-after", "split_windows"});
  CHECK(later.output.find("stablehlo.reduce_window") == std::string::npos);
}

TEST_CASE("inspect prints the graph after a pass also of a program that a later step refuses",
          "[inspect]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("wide.mlir");
  std::ofstream(file) << R"(func.func public @main(%x: tensor<2x70000xf32>,
    %bias: tensor<70000xf32>) -> tensor<2x70000xf32> {
  %rows = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<70000xf32>) -> tensor<2x70000xf32>
  %y = stablehlo.multiply %x, %rows : tensor<2x70000xf32>
  return %y : tensor<2x70000xf32>
})";
  check_refused(run_program({"inspect", file}), 1, "a stream's rows have at most 65535 elements");
  const ProgramRun run = run_program({"inspect", file, "--print-after", "cut_parts"});
  check_failed(run, 1, "a stream's rows have at most 65535 elements");
  CHECK_THAT(run.output, Catch::Contains("stablehlo.multiply"));
  CHECK(graph::print(*lowering::read_lowered(run.output)) == run.output);
}

TEST_CASE("inspect shows a step's actions and estimated energy, and writes them", "[inspect]") {
  const TemporaryFolder folder;
  const ProgramRun run =
      inspect({"--array", "4", "--clocks", "1000000", "--json", folder.file("step.json"),
               "--action-counts", folder.file("step.yaml")});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(line_of(run, "actions"), Catch::Contains(" multiply_adds_bf16 ") &&
                                          Catch::Contains(" vector_fma ") &&
                                          Catch::Contains(" store_beats "));
  CHECK_THAT(line_of(run, "energy"), Catch::Contains("mJ a step, estimated, 45 nm, at 200 MHz"));
  CHECK_THAT(line_of(run, "energies"),
             Catch::Contains(" multiply_bf16 0.679*") && Catch::Contains(" add_fp32 0.9 "));
  const auto record = nlohmann::ordered_json::parse(read_file(folder.file("step.json")));
  CHECK(record["energy"]["table"]["add_fp32"]["source"] == "Horowitz, ISSCC 2014");
  CHECK(record["clocks"] == 1'000'000);
  CHECK(record["clocks_source"] == "told");
  // Five milliseconds at 200 MHz.
  CHECK(record["energy"]["by_cause"]["static"] == Approx(5e-3 * 53 * 16 / (2 * 128 * 128)));
  const std::uint64_t adds = record["actions"]["multiply_adds_bf16"];
  CHECK(adds % 16 == 0);
  CHECK_THAT(read_file(folder.file("step.yaml")),
             Catch::Contains("- name: multiply_add_bf16\n              counts: " +
                             std::to_string(adds) + "\n") &&
                 Catch::Contains("\nERT:\n"));
}

TEST_CASE("inspect refuses an unknown pass and lists the known ones", "[inspect]") {
  const ProgramRun run = run_program({"inspect", "mnist-mlp", "--print-after", "split"});
  CHECK(run.exit_code == 2);
  CHECK(run.errors.find("'split' is not a pass: choose from join_sums, ") != std::string::npos);
  const ProgramRun both =
      run_program({"inspect", "mnist-mlp", "--print-after", "simplify", "--graph"});
  CHECK(both.exit_code == 2);
  CHECK(both.errors.find("--graph") != std::string::npos);
}

TEST_CASE("inspect plans for the array, the bus and the configuration of the options",
          "[inspect]") {
  const ProgramRun small = inspect({"--array", "4"});
  CHECK(small.exit_code == 0);
  CHECK_THAT(small.output, Catch::Contains("4 x 4 array\n"));
  const ProgramRun wide = inspect({"--array", "4", "--bus-bytes", "16"});
  CHECK(wide.exit_code == 0);
  CHECK(line_of(wide, "clocks") != line_of(small, "clocks"));
  const ProgramRun core = inspect({"--config", "tpu-v2-core"});
  CHECK(core.exit_code == 0);
  CHECK_THAT(core.output, Catch::Contains("128 x 128 array\n"));
  // Options override a configuration, as in every command.
  CHECK_THAT(inspect({"--config", "ulx3s", "--array", "8"}).output,
             Catch::Contains("8 x 8 array\n"));
}

TEST_CASE("inspect refuses a device that cannot be", "[inspect]") {
  check_refused(inspect({"--array", "5"}), 2, "no 5 x 5 array: N can be 4, 8");
  check_refused(inspect({"--array", "8", "--bus-bytes", "9"}), 2, "a bus of 9 bytes");
  check_refused(inspect({"--config", "tpu-v9"}), 2, "tpu-v9");
  check_refused(inspect({"--array-size", "8"}), 2, "--array-size");
}

}  // namespace systole::tests
