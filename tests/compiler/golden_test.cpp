// The text itself, so that a change of the emitter shows in review; scripts/update_golden rewrites
// it.

#include <catch2/catch.hpp>

#include "tests/compiler/run_hlsc.h"

namespace systole::tests {
namespace {

TEST_CASE("hlsc writes the reviewed text") {
  struct Golden {
    const char* name;
    const char* kernel;
    const char* top;
  };
  for (const Golden& golden : {Golden{"conditions", "conditions", "tests::Conditions"},
                               Golden{"single_2", "pipelines", "tests::Single<2>"},
                               Golden{"block_addresses", "threads", "tests::block_addresses"},
                               Golden{"described", "described", "tests::Described<3>"}}) {
    const std::string kernel = std::string("tests/compiler/kernels/") + golden.kernel + ".h";
    const ProgramRun run = run_hlsc(source_file(kernel), golden.top);
    INFO("run scripts/update_golden where the change is meant\n" << run.errors);
    CHECK(run.exit_code == 0);
    CHECK(run.output == read_file(source_file(std::string("tests/golden/") + golden.name + ".sv")));
  }
}

TEST_CASE("hlsc keeps one comparison for a choice of two, and subtracts before it chooses") {
  const std::string kernel = source_file("tests/compiler/kernels/ordered.h");
  const ProgramRun ordered = run_hlsc(kernel, "tests::ordered", {"--stages", "1"});
  INFO(ordered.output << ordered.errors);
  CHECK(ordered.output.find("(a_i > b_i) ? {a_i, b_i} : {b_i, a_i};") != std::string::npos);
  const ProgramRun reduced = run_hlsc(kernel, "tests::reduced", {"--stages", "1"});
  INFO(reduced.output << reduced.errors);
  CHECK(reduced.output.find("? (sum_i[31:0] - modulus_i) : sum_i[31:0];") != std::string::npos);
}

}  // namespace
}  // namespace systole::tests
