// A choice of each element of a vector by its number is an index, or a function's call.

#include <llvm/ADT/APInt.h>

#include <catch2/catch.hpp>

#include "hls/compiler/verilog/picks.h"

namespace systole::compiler::sv {
namespace {

/// Of a vector of four elements of `width` bits, those below `count`, chosen by n.
Expression chosen(const char* vector, unsigned width, unsigned count) {
  Expression all = element_of(vector, 0, width, 4);
  for (unsigned i = 1; i < count; ++i) {
    const Expression test = binary("n", "==", literal_of(llvm::APInt(2, i)));
    all = choice(test, element_of(vector, i, width, 4), all);
  }
  return all;
}

std::string made(const Statements& part) {
  std::string text;
  const Module module{.header = "", .name = "m", .ports = {}, .parts = {{}, part}};
  for (const Statements& one : with_picks(module).parts) text += to_text(one, 0);
  return text;
}

TEST_CASE("elements of a power of two of bits are picked by an index") {
  Statements part;
  part.connect("byte_o", chosen("bytes", 8, 4));
  CHECK(made(part) == "assign byte_o = bytes[n*8 +: 8];\n");
}

TEST_CASE("elements of another width are picked by a function, one for a shape") {
  Statements part;
  part.connect("read_o", chosen("reads", 40, 4));
  part.connect("write_o", chosen("writes", 40, 4));
  part.connect("flags_o", chosen("flags", 3, 4));
  CHECK(made(part) ==
        "// ---- Functions ----\n"
        "function automatic logic [39:0] one_of_4(input logic [159:0] vector, input logic [1:0] "
        "index);\n"
        "  one_of_4 = 40'd0;\n"
        "  for (int unsigned i = 0; i < 4; i++) begin\n"
        "    if (index == 2'(i)) one_of_4 = vector[i*40 +: 40];\n"
        "  end\n"
        "endfunction\n"
        "function automatic logic [2:0] one_of_4_2(input logic [11:0] vector, input logic [1:0] "
        "index);\n"
        "  one_of_4_2 = 3'd0;\n"
        "  for (int unsigned i = 0; i < 4; i++) begin\n"
        "    if (index == 2'(i)) one_of_4_2 = vector[i*3 +: 3];\n"
        "  end\n"
        "endfunction\n"
        "assign read_o = one_of_4(reads, n);\n"
        "assign write_o = one_of_4(writes, n);\n"
        "assign flags_o = one_of_4_2(flags, n);\n");
}

TEST_CASE("a choice that leaves an element out stays a choice") {
  Statements part;
  part.connect("byte_o", chosen("bytes", 8, 3));
  CHECK(made(part) ==
        "assign byte_o = (n == 2'd2) ? bytes[2*8 +: 8] : (n == 2'd1) ? bytes[1*8 +: 8] : bytes[0*8 "
        "+: 8];\n");
}

}  // namespace
}  // namespace systole::compiler::sv
