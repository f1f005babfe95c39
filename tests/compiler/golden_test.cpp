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
                               Golden{"described", "described", "tests::Described<3>"},
                               Golden{"views", "views", "tests::Views"}}) {
    const std::string kernel = std::string("tests/compiler/kernels/") + golden.kernel + ".h";
    const ProgramRun run = run_hlsc(source_file(kernel), golden.top);
    INFO("run scripts/update_golden where the change is meant\n" << run.errors);
    CHECK(run.exit_code == 0);
    CHECK(run.output == read_file(source_file(std::string("tests/golden/") + golden.name + ".sv")));
  }
}

TEST_CASE("Three constants that one value is compared with are a case, two are a choice") {
  const std::string kernel = source_file("tests/compiler/kernels/cases.h");
  const ProgramRun run = run_hlsc(kernel, "tests::CaseChoices");
  INFO(run.output << run.errors);
  for (const char* text :
       {"    case (offset_i)\n      4'd3: clock_word = a_i;\n"
        "      4'd5, 4'd6: clock_word = b_i;\n"
        "      4'd9: clock_word = a_i ^ b_i;\n"
        "      default: clock_word = 6'd17;\n    endcase\n",
        "      default: begin\n        case (b_i)\n          6'd7: clock_inner = a_i;\n"
        "          6'd8: clock_inner = 6'd1;\n",
        "assign pair_o = (offset_i == 4'd1) ? a_i : ", "      4'd4: clock_again = 6'd9;\n",
        "    case (speed_i)\n      SpeedStop: step_o = 6'd0;\n",
        "      6'd33: clock_flag = a_i < b_i;\n      default: clock_flag = a_i == 6'd5;\n",
        "assign part_o = (b_i == 6'd11) ? a_i[2:0] :\n"}) {
    CHECK(run.output.find(text) != std::string::npos);
  }
}

TEST_CASE("hlsc keeps one comparison for a choice of two, and subtracts before it chooses") {
  const std::string kernel = source_file("tests/compiler/kernels/ordered.h");
  const ProgramRun ordered = run_hlsc(kernel, "tests::ordered", {"--stages", "1"});
  INFO(ordered.output << ordered.errors);
  CHECK(ordered.output.find("(a_i > b_i) ? {a_i, b_i} : {b_i, a_i};") != std::string::npos);
  const ProgramRun reduced = run_hlsc(kernel, "tests::reduced", {"--stages", "1"});
  INFO(reduced.output << reduced.errors);
  CHECK(reduced.output.find("? sum_i[31:0] - modulus_i : sum_i[31:0];") != std::string::npos);
}

}  // namespace
}  // namespace systole::tests
