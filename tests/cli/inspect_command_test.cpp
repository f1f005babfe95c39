// What `systole inspect` shows of the compiler's passes.
#include <catch2/catch.hpp>

#include "host/graph/text.h"
#include "host/lowering/pipeline.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

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
  const ProgramRun run = run_program({"inspect", "mnist-cnn", "--batch-size", "2", "--array-size",
                                      "64", "--print-after", "widen_convolutions"});
  REQUIRE(run.exit_code == 0);
  CHECK(run.output.find("systole.wide_kernel") != std::string::npos);
  CHECK(run.output.find("stablehlo.reduce_window") != std::string::npos);
  CHECK(graph::print(*lowering::read_lowered(run.output)) == run.output);
  const ProgramRun later = run_program({"inspect", "mnist-cnn", "--batch-size", "2", "--array-size",
                                        "64", "--print-after", "split_windows"});
  CHECK(later.output.find("stablehlo.reduce_window") == std::string::npos);
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

}  // namespace
}  // namespace systole::tests
