// Choices by the value of one signal are `case` in the tree of SystemVerilog.

#include <llvm/ADT/APInt.h>

#include <catch2/catch.hpp>

#include "hls/compiler/verilog/cases.h"

namespace systole::compiler::sv {
namespace {

Expression number(unsigned value) { return literal_of(llvm::APInt(2, value)); }
Expression is(unsigned value) { return binary("a", "==", number(value)); }

Statements assigned(const char* target, Expression value, const char* sign = "<=") {
  Statements body;
  body.assign(target, sign, std::move(value));
  return body;
}

std::string in_process(const Statements& body) {
  Statements process;
  process.block("always_ff @(posedge clk_i)", body);
  const Module made = with_cases({.header = "", .name = "m", .ports = {}, .parts = {process}});
  return to_text(made.parts[0], 0);
}

std::string in_module(const Statements& part) {
  const Module made = with_cases({.header = "", .name = "m", .ports = {}, .parts = {part}});
  return to_text(made.parts[0], 0);
}

std::string process(const std::string& body) {
  return "always_ff @(posedge clk_i) begin\n" + body + "end\n";
}

TEST_CASE("a chain of else ifs on one signal is a case") {
  Statements last;
  last.branch(is(2), assigned("x", "r"));
  Statements second;
  second.branch(is(1), assigned("x", "q"), last);
  Statements body;
  body.branch(is(0), assigned("x", "p"), second);
  CHECK(in_process(body) == process("  case (a)\n    2'd0: x <= p;\n    2'd1: x <= q;\n"
                                    "    2'd2: x <= r;\n    default: ;\n  endcase\n"));
}

TEST_CASE("two constants, or two signals, are no case") {
  Statements second;
  second.branch(is(1), assigned("x", "q"), assigned("x", "r"));
  Statements body;
  body.branch(is(0), assigned("x", "p"), second);
  CHECK(in_process(body).find("case") == std::string::npos);

  Statements third;
  third.branch(is(3), assigned("x", "s"));
  Statements other;
  other.branch(binary("b", "==", number(2)), assigned("x", "r"), third);
  Statements mixed;
  mixed.branch(binary(is(0), "||", is(1)), assigned("x", "p"), other);
  CHECK(in_process(mixed).find("case") == std::string::npos);
}

TEST_CASE("the first arm of a constant takes it") {
  Statements third;
  third.branch(is(2), assigned("x", "r"), assigned("x", "s"));
  Statements second;
  second.branch(binary(is(0), "||", is(1)), assigned("x", "q"), third);
  Statements body;
  body.branch(is(0), assigned("x", "p"), second);
  CHECK(in_process(body) == process("  case (a)\n    2'd0: x <= p;\n    2'd1: x <= q;\n"
                                    "    2'd2: x <= r;\n    default: x <= s;\n  endcase\n"));
}

TEST_CASE("an inverted test has its constant's arm in the else") {
  Statements inner;
  inner.branch(is(2), assigned("x", "r"), assigned("x", "s"));
  Statements middle;
  middle.branch(binary("a", "!=", number(1)), inner, assigned("x", "q"));
  Statements body;
  body.branch(unary("!", is(0)), middle);
  CHECK(in_process(body) == process("  case (a)\n    2'd0: ;\n    2'd1: x <= q;\n"
                                    "    2'd2: x <= r;\n    default: x <= s;\n  endcase\n"));
}

TEST_CASE("ifs in a row on one signal are a case unless one of them changes it") {
  Statements row;
  for (unsigned i = 0; i < 3; ++i) row.branch(is(i), assigned("x", number(3 - i)));
  CHECK(in_process(row) == process("  case (a)\n    2'd0: x <= 2'd3;\n    2'd1: x <= 2'd2;\n"
                                   "    2'd2: x <= 2'd1;\n    default: ;\n  endcase\n"));

  Statements changing;
  for (unsigned i = 0; i < 3; ++i) changing.branch(is(i), assigned("a", number(i + 1), "="));
  CHECK(in_process(changing).find("case") == std::string::npos);

  Statements twice;  // the second write of x wins
  for (const unsigned i : {0u, 1u, 0u}) twice.branch(is(i), assigned("x", number(i)));
  CHECK(in_process(twice).find("case") == std::string::npos);
}

TEST_CASE("an if that holds only another one is joined with it, one with an else is not") {
  Statements inner;
  inner.branch("b", assigned("x", "p"));
  Statements body;
  body.branch("c", inner);
  CHECK(in_process(body) == process("  if (c && b) x <= p;\n"));

  Statements either;
  either.branch("b", assigned("x", "p"), assigned("x", "q"));
  Statements outer;
  outer.branch("c", either);
  CHECK(in_process(outer).find("&&") == std::string::npos);
}

TEST_CASE("a test is left out that follows from the one inside it") {
  Statements inner;
  inner.branch(is(1), assigned("x", "p"));
  Statements body;
  body.branch(unary("!", binary(is(0), "||", is(2))), inner);
  CHECK(in_process(body) == process("  if (a == 2'd1) x <= p;\n"));

  Statements contrary;
  contrary.branch(binary("a", "!=", number(1)), inner);
  CHECK(in_process(contrary) == process("  if ((a != 2'd1) && (a == 2'd1)) x <= p;\n"));
}

TEST_CASE("what follows a case on its signal goes into its arms") {
  Statements third;
  third.branch(is(2), assigned("x", "r"));
  Statements second;
  second.branch(is(1), assigned("x", "q"), third);
  Statements body;
  body.branch(is(0), assigned("x", "p"), second);
  Statements longer = body;
  longer.branch(is(1), assigned("y", "q"));
  longer.branch(is(3), assigned("y", "s"));
  CHECK(in_process(longer) ==
        process("  case (a)\n    2'd0: x <= p;\n    2'd1: begin\n      x <= q;\n      y <= q;\n"
                "    end\n    2'd2: x <= r;\n    2'd3: y <= s;\n    default: ;\n  endcase\n"));

  Statements both = body;  // each of the two would do it
  both.branch(binary(is(0), "||", is(1)), assigned("y", "q"));
  CHECK(in_process(both).find("  if ((a == 2'd0) || (a == 2'd1)) y <= q;") != std::string::npos);
}

Expression chosen() { return choice(is(0), "p", choice(is(1), "q", choice(is(2), "r", "s"))); }

TEST_CASE("a net chosen by one signal is assigned by a case, beside constants too") {
  Statements part;
  part.define("x", 4, chosen());
  CHECK(in_module(part) ==
        "logic [3:0] x;\nalways_comb begin\n  case (a)\n    2'd0: x = p;\n"
        "    2'd1: x = q;\n    2'd2: x = r;\n    default: x = s;\n"
        "  endcase\nend\n");
  Statements wider;
  wider.connect("x_o", concatenation({zeros(2), chosen()}));
  CHECK(in_module(wider).find("2'd1: x_o = {2'd0, q};") != std::string::npos);
}

TEST_CASE("an assign that reads a part of a vector stays one, of which Icarus would warn") {
  Statements part;
  part.connect("x_o", choice(is(0), slice("p", 3, 0, 8), chosen()));
  CHECK(in_module(part).starts_with("assign x_o = "));
}

TEST_CASE("a loop over lanes keeps its choices") {
  Statements loop;
  loop.block("for (int unsigned lane = 0; lane < 4; lane++)", assigned("x", chosen(), "="));
  CHECK(in_process(loop).find("case") == std::string::npos);
}

TEST_CASE("a test with a name of its own is seen through, and dropped where nothing reads it") {
  Statements part;
  part.define("is_first", 1, is(0));
  part.connect("x_o", choice("is_first", "p", choice(is(1), "q", choice(is(2), "r", "s"))));
  CHECK(in_module(part).starts_with("always_comb begin\n  case (a)\n    2'd0: x_o = p;"));
  part.connect("y_o", "is_first");
  CHECK(in_module(part).starts_with("wire is_first = a == 2'd0;\n"));
}

}  // namespace
}  // namespace systole::compiler::sv
