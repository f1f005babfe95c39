// Expressions of one value that stand for several values are functions in the tree.

#include <llvm/ADT/APInt.h>

#include <catch2/catch.hpp>

#include "hls/compiler/verilog/functions.h"

namespace systole::compiler::sv {
namespace {

Expression number(unsigned width, unsigned value) { return literal_of(llvm::APInt(width, value)); }

/// Whether an element of "words" is in the upper quarter and odd, or 0.
Expression holds(unsigned element) {
  const unsigned low = 8 * element;
  const auto bits = [&](unsigned high, unsigned bottom) {
    return slice("words", low + high, low + bottom, 32, 8);
  };
  return binary(binary(binary(bits(7, 6), "==", number(2, 3)), "&&", bits(0, 0)), "||",
                binary(bits(7, 0), "==", number(8, 0)));
}

std::string made(const Statements& part) {
  const Module plain{.header = "", .name = "m", .ports = {}, .parts = {{}, part}};
  const Module module = with_functions(plain, plain);
  std::string text;
  for (const Statements& one : module.parts) text += to_text(one, 0);
  return text;
}

TEST_CASE("an expression of several elements is a function under the name of one of them") {
  Statements part;
  part.define("is_high", 1, holds(0));
  part.connect("x_o", concatenation({holds(3), "c", holds(2)}));
  CHECK(made(part) ==
        "// ---- Functions ----\n"
        "function automatic logic is_high_of(input logic [7:0] value);\n"
        "  is_high_of = ((value[7:6] == 2'd3) && value[0]) || (value == 8'd0);\n"
        "endfunction\n"
        "wire is_high = is_high_of(words[0*8 +: 8]);\n"
        "assign x_o = {is_high_of(words[3*8 +: 8]), c, is_high_of(words[2*8 +: 8])};\n");
}

TEST_CASE("a signal is a function's value as an element is") {
  const auto of = [](const char* name) {
    const Expression top = slice(name, 7, 7, 8);
    return choice(binary(top, "&&", "c"), number(4, 1), slice(name, 3, 0, 8));
  };
  const auto alone = [](const char* name) {
    return choice(binary(slice(name, 7, 7, 8), "&&", slice(name, 6, 6, 8)), number(4, 1),
                  unary("~", slice(name, 3, 0, 8)));
  };
  Statements part;
  part.define("p", 4, alone("a"));
  part.define("q", 4, alone("b"));
  CHECK(made(part).find("wire [3:0] q = p_of(b);") != std::string::npos);
  Statements two;  // of two signals, a and c
  two.define("p", 4, of("a"));
  two.define("q", 4, of("b"));
  CHECK(made(two).find("function") == std::string::npos);
}

TEST_CASE("what stands once, is short or has no name stays where it is") {
  Statements once;
  once.define("is_high", 1, holds(0));
  CHECK(made(once).find("function") == std::string::npos);

  Statements nameless;
  nameless.connect("x_o", concatenation({holds(3), holds(2)}));
  CHECK(made(nameless).find("function") == std::string::npos);

  Statements brief;
  for (const unsigned i : {0u, 1u}) {
    brief.define("is_" + std::to_string(i), 1,
                 binary(slice("words", 8 * i + 7, 8 * i, 32, 8), "==", number(8, 0)));
  }
  CHECK(made(brief).find("function") == std::string::npos);
}

TEST_CASE("a function has the name of what is computed step by step elsewhere") {
  const auto top = [](unsigned element) {
    return slice("words", 8 * element + 7, 8 * element + 6, 32, 8);
  };
  Statements part;
  part.define("is_top", 1, binary(top(0), "==", number(2, 3)));
  part.define("is_high", 1,
              binary(binary("is_top", "&&", slice("words", 0, 0, 32, 8)), "||",
                     binary(slice("words", 7, 0, 32, 8), "==", number(8, 0))));
  part.connect("x_o", concatenation({holds(3), "c", holds(2)}));
  CHECK(made(part).find("{is_high_of(words[3*8 +: 8]), c, is_high_of(words[2*8 +: 8])}") !=
        std::string::npos);
}

TEST_CASE("a loop over lanes keeps its expressions") {
  Statements body;
  body.assign("x", "=", holds(1));
  Statements part;
  part.define("is_high", 1, holds(0));
  part.block("for (int unsigned lane = 0; lane < 4; lane++)", body);
  CHECK(made(part).find("function") == std::string::npos);
}

TEST_CASE("a function's name is new in its module") {
  Statements part;
  part.declare(declaration("is_high_of", 1));
  part.define("is_high", 1, holds(0));
  part.connect("x_o", concatenation({holds(1), "c"}));
  CHECK(made(part).find("{is_high_of_2(words[1*8 +: 8]), c}") != std::string::npos);
}

}  // namespace
}  // namespace systole::compiler::sv
