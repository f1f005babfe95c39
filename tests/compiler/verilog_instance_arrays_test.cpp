// Equal submodules with numbers are a `generate` in the tree.

#include <llvm/ADT/APInt.h>

#include <catch2/catch.hpp>

#include "hls/compiler/verilog/instance_arrays.h"

namespace systole::compiler::sv {
namespace {

Expression number(unsigned width, unsigned value) { return literal_of(llvm::APInt(width, value)); }

std::string numbered(const char* name, unsigned i, const char* rest = "") {
  return name + std::to_string(i) + rest;
}

/// Queues of bytes; each takes its number, and what it holds is chosen by a number.
Module queues(unsigned count, const char* kind = "queue ") {
  Statements outputs;
  Statements instances;
  for (unsigned i = 0; i < count; ++i) {
    outputs.add(declaration(numbered("in", i, "_data"), 8));
    instances.define(numbered("in", i, "_pop"), 1, binary("n", "==", number(2, i)));
    Statement one{.kind = Statement::Kind::kInstance, .text = kind, .label = numbered("u_in", i)};
    one.ports = {{.name = "clk_i", .value = "clk_i"},
                 {.name = "word_i", .value = numbered("word", i, "_i"), .width = 8},
                 {.name = "pop_i", .value = numbered("in", i, "_pop")},
                 {.name = "data_o", .value = numbered("in", i, "_data"), .width = 8}};
    instances.add(one);
  }
  Statements readers;
  Expression chosen = "in0_data";
  for (unsigned i = 1; i < count; ++i) {
    chosen =
        choice(binary("n", "==", number(2, i)), Expression(numbered("in", i, "_data")), chosen);
  }
  readers.connect("data_o", chosen);
  return {.header = "", .name = "m", .ports = {}, .parts = {outputs, instances, readers}};
}

std::string made(const Module& module) {
  std::string text;
  for (const Statements& one : with_instance_arrays(module).parts) text += to_text(one, 0);
  return text;
}

TEST_CASE("equal submodules are a generate, and their outputs vectors") {
  CHECK(made(queues(4)).starts_with(
      "logic [31:0] in_data;\n"
      "wire [31:0] in_word = {word3_i, word2_i, word1_i, word0_i};\n"
      "for (genvar i = 0; i < 4; i++) begin : gen_in\n"
      "  queue u_in (\n"
      "    .clk_i(clk_i), .word_i(in_word[i*8 +: 8]), .pop_i(n == 2'(i)),\n"
      "    .data_o(in_data[i*8 +: 8])\n"
      "  );\n"
      "end\n"));
}

TEST_CASE("outputs that only some read say so") {
  Module module = queues(3);
  for (Statements& part : module.parts) {
    for (Statement& one : part.statements()) {
      if (one.target == Expression("in1_data")) one.target = "unused_in1_data";
      for (Statement::Port& port : one.ports) {
        if (port.value == Expression("in1_data")) port.value = "unused_in1_data";
      }
    }
  }
  module.parts[2] = {};
  CHECK(made(module).find("logic [23:0] in_data;\n"
                          "wire unused_in_data = ^in_data;  // not all bits are read\n") !=
        std::string::npos);
}

TEST_CASE("two submodules, and three of several kinds, stay as they are") {
  CHECK(made(queues(2)).find("for (") == std::string::npos);
  CHECK(made(queues(2)).find("queue u_in1 (") != std::string::npos);
  Module mixed = queues(3);
  for (Statement& one : mixed.parts[1].statements()) {
    if (one.label == "u_in1") one.text = "fifo ";
  }
  CHECK(made(mixed).find("fifo u_in1 (") != std::string::npos);
}

TEST_CASE("a long condition is a net of its turn") {
  Module module = queues(3);
  for (Statement& one : module.parts[1].statements()) {
    if (one.kind == Statement::Kind::kNet) {
      one.value = binary("a_name_that_says_what_is_taken_and_why", "&", one.value);
    }
  }
  CHECK(
      made(module).find("  wire pop = a_name_that_says_what_is_taken_and_why & (n == 2'(i));\n") !=
      std::string::npos);
}

}  // namespace
}  // namespace systole::compiler::sv
