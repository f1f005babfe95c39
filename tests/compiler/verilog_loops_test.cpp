// Statements and nets that differ by an index are loops in the tree.

#include <llvm/ADT/APInt.h>

#include <catch2/catch.hpp>

#include "hls/compiler/verilog/index_formula.h"
#include "hls/compiler/verilog/loops.h"

namespace systole::compiler::sv {
namespace {

Expression number(unsigned width, unsigned value) { return literal_of(llvm::APInt(width, value)); }

Expression at(const char* name, unsigned index) { return element(name, plain_number(index)); }

Expression byte_of(const char* name, unsigned index) {
  return slice(name, 8 * index + 7, 8 * index, 128, 8);
}

std::string numbered(const char* name, unsigned i) { return name + std::to_string(i); }

std::string made(const Statements& part) {
  const Module module = with_loops({.header = "", .name = "m", .ports = {}, .parts = {part}});
  std::string text;
  for (const Statements& one : module.parts) text += to_text(one, 0);
  return text;
}

/// The statements in a process, without its first and last line.
std::string made_in_process(const Statements& body) {
  Statements part;
  part.block("always_ff @(posedge clk_i)", body);
  const std::string text = made(part);
  const std::size_t first = text.find('\n') + 1;
  return text.substr(first, text.rfind("end\n") - first);
}

std::string formula(const std::vector<std::int64_t>& values, std::int64_t start = 0) {
  const std::optional<Expression> one = index_formula(values, "i", start);
  return one ? to_text(element("x", *one)) : "none";
}

TEST_CASE("numbers follow from an index by a line, an exclusive or, or a parabola") {
  CHECK(formula({0, 1, 2}) == "x[i]");
  CHECK(formula({5, 6, 7}) == "x[i + 5]");
  CHECK(formula({1, 3, 5}) == "x[i*2 + 1]");
  CHECK(formula({16, 32, 48}, 1) == "x[i*16]");
  CHECK(formula({3, 2, 1}) == "x[3 - i]");
  CHECK(formula({2, 3, 0, 1}) == "x[i ^ 2]");
  CHECK(formula({4, 14, 29, 49, 74}, 1) == "x[i*(i*5 + 5)/2 - 1]");
  CHECK(formula({14, 28, 41, 53, 64}) == "x[i*(29 - i)/2 + 14]");
}

TEST_CASE("other numbers follow from no index") {
  CHECK(formula({1, 2, 4}) == "none");
  CHECK(formula({0, 1, 4, 9}) == "none");        // any three are on a parabola
  CHECK(formula({9, 4, 1, 0, 1, 4}) == "none");  // a factor below 0
  CHECK(formula({0, 1, 8, 27, 64}) == "none");
}

TEST_CASE("statements of a process that differ by an index are a loop") {
  Statements body;
  for (const unsigned i : {0u, 1u, 2u, 3u}) {
    body.assign(at("x_q", i), "=", choice("a", byte_of("b", i), byte_of("c", 2 * i + 1)));
    body.assign(slice("y_q", i, i, 4), "<=", slice("z", 3 - i, 3 - i, 4));
  }
  body.assign("w", "<=", "a");
  CHECK(made_in_process(body) ==
        "  for (int unsigned i = 0; i < 4; i++) begin : each_x\n"
        "    x_q[i] = a ? b[i*8 +: 8] : c[(i*2 + 1)*8 +: 8];\n"
        "    y_q[i] <= z[3 - i];\n"
        "  end\n"
        "  w <= a;\n");
}

TEST_CASE("a loop counts by the elements that it writes") {
  Statements body;
  for (const unsigned i : {1u, 2u, 3u}) body.assign(at("x_q", 8 * i), "=", byte_of("b", i));
  CHECK(made_in_process(body) ==
        "  for (int unsigned i = 1; i < 4; i++) begin : each_x\n"
        "    x_q[i*8] = b[i*8 +: 8];\n"
        "  end\n");
}

TEST_CASE("two statements, one target, and numbers without a rule are no loop") {
  Statements two;
  for (const unsigned i : {0u, 1u}) two.assign(at("x_q", i), "=", byte_of("b", i));
  CHECK(made_in_process(two).find("for") == std::string::npos);

  Statements same;
  for (const unsigned i : {0u, 1u, 2u}) same.assign("x_q", "=", byte_of("b", i));
  CHECK(made_in_process(same).find("for") == std::string::npos);

  Statements random;
  for (const unsigned i : {0u, 1u, 2u}) random.assign(at("x_q", i), "=", number(8, 1u << i));
  CHECK(made_in_process(random).find("for") == std::string::npos);
}

TEST_CASE("a block's variables give way to the loop") {
  Statements body;
  for (const unsigned i : {0u, 1u, 2u}) {
    const Expression low = binary(byte_of("b", i), "+", number(8, 1));
    Statements then;
    if (i == 0) {
      then.declare(declaration("low", 8));
      then.assign("low", "=", low);
    }
    then.assign(at("x_q", i), "=", unary("~", i == 0 ? Expression("low") : low));
    body.branch("a", then);
  }
  CHECK(made_in_process(body) ==
        "  for (int unsigned i = 0; i < 3; i++) begin : each_x\n"
        "    if (a) x_q[i] = ~(b[i*8 +: 8] + 8'd1);\n"
        "  end\n");
}

TEST_CASE("a variable of what its block changes stays") {
  Statements body;
  for (const unsigned i : {0u, 1u, 2u}) {
    Statements then;
    then.declare(declaration("low", 8));
    then.assign("low", "=", at("x_q", 3));
    then.assign(at("x_q", 3), "=", byte_of("b", i));
    then.assign(at("x_q", i), "=", "low");
    body.branch("a", then);
  }
  CHECK(made_in_process(body).find("for") == std::string::npos);
}

TEST_CASE("connections are a generate") {
  Statements part;
  for (const unsigned i : {0u, 1u, 2u}) part.connect(byte_of("x_o", i), byte_of("b", 2 - i));
  CHECK(made(part) ==
        "for (genvar i = 0; i < 3; i++) begin : gen_x\n"
        "  assign x_o[i*8 +: 8] = b[(2 - i)*8 +: 8];\n"
        "end\n");
}

TEST_CASE("nets that differ by an index are a vector") {
  Statements part;
  for (const unsigned i : {0u, 1u, 2u}) {
    part.define(i == 0 ? "sum" : numbered("sum_", i), 8,
                binary(byte_of("a", i), "+", byte_of("b", i)));
  }
  part.connect("x_o", binary("sum_1", "&", "sum"));
  part.connect("y_o", binary("sum_1", "&", binary("sum_2", "|", "sum")));
  part.connect("z_o", "sum_2");
  CHECK(made(part) ==
        "logic [23:0] sum;\n"
        "for (genvar i = 0; i < 3; i++) begin : gen_sum\n"
        "  assign sum[i*8 +: 8] = a[i*8 +: 8] + b[i*8 +: 8];\n"
        "end\n"
        "assign x_o = sum[1*8 +: 8] & sum[0*8 +: 8];\n"
        "assign y_o = sum[1*8 +: 8] & (sum[2*8 +: 8] | sum[0*8 +: 8]);\n"
        "assign z_o = sum[2*8 +: 8];\n");
}

TEST_CASE("a net that is read once stands as its value in a loop") {
  Statements part;
  part.define("first", 8, unary("~", byte_of("b", 0)));
  Statements body;
  for (const unsigned i : {0u, 1u, 2u}) {
    body.assign(at("x_q", i), "=", i == 0 ? Expression("first") : unary("~", byte_of("b", i)));
  }
  part.block("always_ff @(posedge clk_i)", body);
  CHECK(made(part) ==
        "always_ff @(posedge clk_i) begin\n"
        "  for (int unsigned i = 0; i < 3; i++) begin : each_x\n"
        "    x_q[i] = ~b[i*8 +: 8];\n"
        "  end\n"
        "end\n");
}

TEST_CASE("a lane's own number is one expression, whatever its bits") {
  Statements body;
  const std::vector<Expression> numbers = {{},
                                           concatenation({zeros(7), "counts"}),
                                           concatenation({zeros(6), "counts", zeros(1)}),
                                           concatenation({zeros(6), "three"})};
  Statements wires;  // of which one is read no more
  wires.add(declaration("counts", 1));
  wires.define("three", 2, choice("counts", number(2, 3), zeros(2)));
  for (unsigned i = 0; i < 4; ++i) {
    const Expression rest = byte_of("b", i);
    body.assign(at("x_q", i), "=", i == 0 ? rest : binary(rest, "|", numbers[i]));
  }
  wires.block("always_ff @(posedge clk_i)", body);
  CHECK(made(wires) ==
        "logic counts;\n"
        "always_ff @(posedge clk_i) begin\n"
        "  for (int unsigned i = 0; i < 4; i++) begin : each_x\n"
        "    x_q[i] = b[i*8 +: 8] | (counts ? 8'(i) : 8'd0);\n"
        "  end\n"
        "end\n");
}

}  // namespace
}  // namespace systole::compiler::sv
