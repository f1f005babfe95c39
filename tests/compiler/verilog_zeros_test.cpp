// Registers that become zero together are written in one statement.

#include <llvm/ADT/APInt.h>

#include <catch2/catch.hpp>

#include "hls/compiler/verilog/zeros.h"

namespace systole::compiler::sv {
namespace {

Expression one() { return literal_of(llvm::APInt(1, 1)); }

std::string made(const Statements& reset) {
  Statements all;
  all.branch(unary("!", "rst_ni"), reset);
  const Module module{.header = "", .name = "m", .ports = {}, .parts = {all}};
  return to_text(with_joined_zeros(module).parts[0], 0);
}

TEST_CASE("registers that become zero are one statement, other constants follow") {
  Statements reset;
  reset.assign("valid_q", "<=", zeros(1));
  reset.assign("last_q", "<=", one());
  reset.assign("count_q", "<=", zeros(4));
  reset.assign("state_q", "<=", "StateIdle");
  CHECK(made(reset) ==
        "if (!rst_ni) begin\n"
        "  {valid_q, count_q} <= 5'd0;\n"
        "  last_q <= 1'b1;\n"
        "  state_q <= StateIdle;\n"
        "end\n");
}

TEST_CASE("one zero alone, variables, elements and what is written twice stay as they are") {
  Statements reset;
  reset.assign("valid_q", "<=", zeros(1));
  reset.assign("held_q", "<=", "held_i");
  reset.assign("count", "=", zeros(4));
  reset.assign("total", "=", zeros(4));
  reset.assign(element("sums_q", "i"), "<=", zeros(8));
  reset.assign("sum_q", "<=", zeros(8));
  reset.assign("held_q", "<=", "held_i");
  reset.assign("word_q", "<=", zeros(8));
  reset.assign("word_q", "<=", zeros(8));
  CHECK(made(reset) ==
        "if (!rst_ni) begin\n"
        "  valid_q <= 1'b0;\n"
        "  held_q <= held_i;\n"
        "  count = 4'd0;\n"
        "  total = 4'd0;\n"
        "  sums_q[i] <= 8'd0;\n"
        "  sum_q <= 8'd0;\n"
        "  held_q <= held_i;\n"
        "  word_q <= 8'd0;\n"
        "  word_q <= 8'd0;\n"
        "end\n");
}

TEST_CASE("many registers are as many statements as three lines hold each") {
  Statements reset;
  for (int i = 0; i < 24; ++i) {
    reset.assign("register_" + std::string(9, static_cast<char>('a' + i)) + "_q", "<=", zeros(1));
  }
  const std::string text = made(reset);
  CHECK(text.find("} <= 11'd0;\n") != std::string::npos);
  CHECK(text.find("} <= 2'd0;\n") != std::string::npos);
}

}  // namespace
}  // namespace systole::compiler::sv
