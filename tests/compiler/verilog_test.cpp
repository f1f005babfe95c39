// The tree of SystemVerilog: what it folds, where it needs parentheses, how its lines break.

#include <fmt/format.h>
#include <llvm/ADT/APInt.h>

#include <catch2/catch.hpp>

#include "hls/compiler/verilog/expression.h"
#include "hls/compiler/verilog/statement.h"

namespace systole::compiler::sv {
namespace {

Expression bits(unsigned high, unsigned low) { return slice("word", high, low, 16); }
Expression sum(const Expression& a, const Expression& b) { return binary(a, "+", b); }

TEST_CASE("neighbouring slices of a signal are one slice, all of them the signal") {
  CHECK(to_text(concatenation({bits(7, 4), bits(3, 0)})) == "word[7:0]");
  CHECK(to_text(concatenation({bits(5, 5), bits(4, 4)})) == "word[5:4]");
  CHECK(to_text(concatenation({bits(15, 8), bits(7, 0)})) == "word");
  CHECK(to_text(concatenation({bits(3, 0), bits(7, 4)})) == "{word[3:0], word[7:4]}");
  CHECK(to_text(concatenation({slice("a", 7, 4, 8), slice("b", 3, 0, 8)})) == "{a[7:4], b[3:0]}");
}

TEST_CASE("neighbouring elements of an array are no slice") {
  CHECK(to_text(concatenation({element("words", plain_number(1)), element("words", "i")})) ==
        "{words[1], words[i]}");
}

TEST_CASE("zeros beside zeros are one number, other numbers are not joined") {
  CHECK(to_text(concatenation({zeros(3), zeros(1), "a"})) == "{4'd0, a}");
  const Expression one = literal_of(llvm::APInt(2, 1));
  CHECK(to_text(concatenation({one, one})) == "{2'd1, 2'd1}");
}

TEST_CASE("choices on one condition are joined, on two conditions they are not") {
  const Expression high = choice("clear", zeros(8), bits(15, 8));
  CHECK(to_text(joined(high, choice("clear", zeros(8), bits(7, 0)))) == "clear ? 16'd0 : word");
  CHECK(joined(high, choice("stop", zeros(8), bits(7, 0))).empty());
  CHECK(joined(high, choice("clear", zeros(8), "other")).empty());
}

TEST_CASE("what says nothing is left out") {
  CHECK(to_text(unary("!", unary("!", "a"))) == "a");
  CHECK(to_text(unary("~", unary("~", "a"))) == "~(~a)");
  const Expression always = literal_of(llvm::APInt(1, 1));
  CHECK(to_text(binary("a", "&&", always)) == "a");
  CHECK(to_text(binary(always, "||", "a")) == "1'b1 || a");
  CHECK(to_text(replication(1, "a")) == "a");
}

TEST_CASE("a comparison is negated by its opposite") {
  CHECK(to_text(unary("!", binary("a", "==", "b"))) == "a != b");
  CHECK(to_text(unary("!", binary("a", "<", "b"))) == "a >= b");
  CHECK(to_text(unary("!", unary("!", binary("a", ">", "b")))) == "a > b");
  CHECK(to_text(unary("!", binary("a", "<<", "b"))) == "!(a << b)");
}

TEST_CASE("the complement of a test among zeros is the opposite test among ones") {
  const Expression equal = binary("a", "==", "b");
  CHECK(to_text(unary("~", concatenation({zeros(31), equal}))) == "{31'h7fffffff, a != b}");
  CHECK(to_text(unary("~", concatenation({zeros(3), binary("a", "&&", "b")}))) ==
        "{3'd7, !(a && b)}");
  CHECK(to_text(unary("~", concatenation({zeros(3), "a"}))) == "~{3'd0, a}");
}

TEST_CASE("what has its width from itself says it where a cast is within an operator") {
  const Expression half = cast(15, binary("x", ">>", plain_number(16)));
  const Expression chosen = choice("is_zero", zeros(15), half);
  CHECK(to_text(concatenation({"sign", half})) == "{sign, 15'(x >> 16)}");
  CHECK(to_text(concatenation({"sign", chosen})) == "{sign, 15'(is_zero ? 15'd0 : 15'(x >> 16))}");
  CHECK(to_text(concatenation({"sign", sum("y", chosen)})) ==
        "{sign, 15'(y + (is_zero ? 15'd0 : 15'(x >> 16)))}");
  CHECK(to_text(replication(2, chosen)) == "{2{15'(is_zero ? 15'd0 : 15'(x >> 16))}}");
  CHECK(to_text(call("$signed", unary("~", half))) == "$signed(15'(~(15'(x >> 16))))");
  CHECK(to_text(unary("^", chosen)) == "^(15'(is_zero ? 15'd0 : 15'(x >> 16)))");
  const Expression extended = cast(18, call("$signed", "x"));
  CHECK(to_text(call("$unsigned", binary(extended, "*", "y"))) == "$unsigned(18'($signed(x)) * y)");
  CHECK(to_text(concatenation({"sign", binary(half, "==", "y")})) == "{sign, 15'(x >> 16) == y}");
  CHECK(to_text(concatenation({"sign", element("words", chosen)})) ==
        "{sign, words[is_zero ? 15'd0 : 15'(x >> 16)]}");
}

TEST_CASE("parentheses enclose an operator below another one, not a chain of one") {
  const Expression both = binary("a", "&&", "b");
  CHECK(to_text(binary(both, "&&", "c")) == "a && b && c");
  CHECK(to_text(binary(both, "||", "c")) == "(a && b) || c");
  CHECK(to_text(binary(sum("a", "b"), "-", "c")) == "a + b - c");
  CHECK(to_text(binary("a", "-", sum("b", "c"))) == "a - (b + c)");
  CHECK(to_text(binary(sum("a", "b"), "*", "c")) == "(a + b) * c");
  CHECK(to_text(unary("!", both)) == "!(a && b)");
  CHECK(to_text(unary("~", cast(8, "a"))) == "~(8'(a))");
}

TEST_CASE("a choice in a choice is enclosed unless it stands at its end") {
  const Expression inner = choice("b", "x", "y");
  CHECK(to_text(choice("a", "w", inner)) == "a ? w : b ? x : y");
  CHECK(to_text(choice("a", inner, "z")) == "a ? (b ? x : y) : z");
  CHECK(to_text(choice(inner, "w", "z")) == "(b ? x : y) ? w : z");
  CHECK(to_text(concatenation({inner, "z"})) == "{(b ? x : y), z}");
}

std::string assigned(const Expression& value) {
  Statements all;
  all.assign("target", "<=", value);
  return to_text(all, 1);
}

TEST_CASE("a long choice has one arm a line, a long sum breaks after an operator") {
  const std::string name(28, 'n');
  CHECK(assigned(choice("a", name, choice("b", name, choice("c", name, name)))) ==
        "  target <= a ? " + name + " :\n      b ? " + name + " :\n      c ? " + name + " : " +
            name + ";\n");
  CHECK(assigned(sum(sum(sum(name, name), name), name)) ==
        "  target <= " + name + " + " + name + " +\n      " + name + " + " + name + ";\n");
}

TEST_CASE("an if alone in an else is an else if") {
  Statements last;
  last.assign("x", "<=", "z");
  Statements otherwise;
  otherwise.branch("b", last);
  Statements first;
  first.assign("x", "<=", "y");
  Statements all;
  all.branch("a", first, otherwise);
  CHECK(to_text(all, 0) == "if (a) begin\n  x <= y;\nend else if (b) begin\n  x <= z;\nend\n");
}

TEST_CASE("an if with one short assignment is one line, a longer one is a block") {
  Statements shorter;
  shorter.branch("a", [] {
    Statements body;
    body.assign("x", "<=", "y");
    return body;
  }());
  CHECK(to_text(shorter, 0) == "if (a) x <= y;\n");

  Statements longer;
  longer.branch(std::string(60, 'a'), [] {
    Statements body;
    body.assign("x", "<=", std::string(40, 'y'));
    return body;
  }());
  CHECK(to_text(longer, 0) ==
        "if (" + std::string(60, 'a') + ") begin\n  x <= " + std::string(40, 'y') + ";\nend\n");
}

TEST_CASE("a net stands in one statement with its value") {
  Statements all;
  all.define("x", 8, binary("a", "+", "b"), "their sum");
  all.define("y", 1, "c");
  CHECK(to_text(all, 0) == "wire [7:0] x = a + b;  // their sum\nwire y = c;\n");
}

TEST_CASE("a part of a vector of elements names its element") {
  const auto of = [](unsigned high, unsigned low) {
    return to_text(slice("words", high, low, 32, 8));
  };
  CHECK(of(31, 24) == "words[3*8 +: 8]");
  CHECK(of(23, 8) == "words[1*8 +: 2*8]");
  CHECK(of(13, 10) == "words[1*8 + 2 +: 4]");
  CHECK(of(15, 15) == "words[1*8 + 7]");
  CHECK(of(12, 6) == "words[12:6]");  // of two elements
  CHECK(of(31, 0) == "words");
}

TEST_CASE("a choice that sets one bit is that bit") {
  const auto bit = [](unsigned value) { return literal_of(llvm::APInt(1, value)); };
  const auto with = [&](unsigned value) { return concatenation({bit(value), bit(0), "x"}); };
  CHECK(to_text(choice("c", with(1), with(0))) == "{c, 1'b0, x}");
  CHECK(to_text(choice("c", with(0), with(1))) == "c ? {2'd0, x} : {1'b1, 1'b0, x}");
  CHECK(to_text(choice("c", concatenation({bit(1), "x"}), concatenation({bit(0), "y"}))) ==
        "c ? {1'b1, x} : {1'b0, y}");
}

TEST_CASE("a search finds what an expression in a nested statement reads") {
  Statements inner;
  inner.assign("x", "=", bits(3, 0));
  Statements all;
  all.branch("a", inner);
  CHECK(contains(all, Expression::Kind::kSlice));
  CHECK(!contains(all, Expression::Kind::kCast));
}

std::string text_of(const Statements& statements) { return to_text(statements, 0); }

TEST_CASE("a comment stands after its statement, at the last line that has room, or above it") {
  const std::string name(36, 'n');
  const auto made = [](const Expression& value) {
    Statements out;
    out.assign("a", "=", value, "mac.h:33");
    return text_of(out);
  };
  CHECK(made("b") == "a = b;  // mac.h:33\n");
  CHECK(made(sum(sum(name, name), "b")) == fmt::format("a = {0} + {0} + b;  // mac.h:33\n", name));
  CHECK(made(sum(sum(name, name), name)) ==
        fmt::format("a = {0} + {0} +\n    {0};  // mac.h:33\n", name));
  CHECK(made(sum(sum(name, "b"), std::string(94, 'm'))) ==
        fmt::format("a = {} + b +  // mac.h:33\n    {};\n", name, std::string(94, 'm')));
  CHECK(made(std::string(94, 'm')) == fmt::format("// mac.h:33\na = {};\n", std::string(94, 'm')));
}

TEST_CASE("ports of a group share lines, and inputs and outputs of none") {
  Statements out;
  const std::string name(30, 'n');
  const auto port = [](const char* port_name, const std::string& value, const char* group) {
    return Statement::Port{.name = port_name, .value = value, .group = group};
  };
  out.add({.kind = Statement::Kind::kInstance,
           .text = "queue ",
           .label = "u_queue",
           .ports = {port("valid_i", "a", "push"), port("data_i", name, "push"),
                     port("ready_o", name, "push"), port("pop_valid_o", "b", "pop"),
                     port("stop_i", "e", ""), port("full_o", "c", ""), port("empty_o", "d", "")}});
  CHECK(text_of(out) == fmt::format("queue u_queue (\n"
                                    "  .valid_i(a), .data_i({0}), .ready_o({0}),\n"
                                    "  .pop_valid_o(b),\n"
                                    "  .stop_i(e),\n"
                                    "  .full_o(c), .empty_o(d)\n"
                                    ");\n",
                                    name));
}

TEST_CASE("declarations of one type share lines, those with one label stand together") {
  Statements all;
  const auto declare = [&](const char* name, unsigned width, const char* label,
                           unsigned elements = 0) {
    Statement made = declaration(name, width, elements);
    made.label = label;
    all.add(made);
  };
  declare("valid_q", 1, "");
  declare("job_row_q", 4, "job");
  declare("job_valid_q", 1, "job");
  declare("job_last_q", 4, "job");
  declare("row_q", 4, "");
  declare("rows_q", 1, "", 8);
  declare("last_q", 1, "");
  CHECK(to_text(all, 0) ==
        "logic valid_q, last_q;\n"
        "logic [3:0] row_q;\n"
        "logic rows_q [8];\n"
        "logic [3:0] job_row_q, job_last_q;\n"
        "logic job_valid_q;\n");
}

TEST_CASE("members of a struct keep their order") {
  Statements members;
  for (const char* name : {"last", "first"}) members.add(declaration(name, 1));
  members.add(declaration("row", 4));
  members.add(declaration("valid", 1));
  Statements all;
  all.list("typedef struct packed {", members, "} job_t;");
  CHECK(to_text(all, 0) ==
        "typedef struct packed {\n  logic last, first;\n  logic [3:0] row;\n  logic valid;\n"
        "} job_t;\n");
}

TEST_CASE("a target that is long breaks, and two blank lines are one") {
  const std::string name(60, 'n');
  Statements all;
  all.assign(concatenation({name + "_a", name + "_b"}), "<=", zeros(2));
  all.line("");
  all.line("");
  CHECK(to_text(all, 0) == "{" + name + "_a,\n    " + name + "_b} <= 2'd0;\n");
}

}  // namespace
}  // namespace systole::compiler::sv
