// A submodule's output that is the module's is connected to its port.

#include <catch2/catch.hpp>

#include "hls/compiler/verilog/direct_outputs.h"

namespace systole::compiler::sv {
namespace {

/// A queue whose output is the module's, declared as `type`.
Module module_around(const char* type = "logic [7:0]") {
  Statements declared;
  declared.line("// ---- Outputs of submodules ----");
  Statement data = declaration("queue_data", 8);
  data.text = type;
  declared.add(data);
  Statements instances;
  instances.add({.kind = Statement::Kind::kInstance,
                 .text = "queue ",
                 .label = "u_queue",
                 .ports = {{.name = "clk_i", .value = "clk_i"},
                           {.name = "data_o", .value = "queue_data", .width = 8}}});
  Statements outputs;
  outputs.line("// ---- Outputs ----");
  outputs.connect("word_o", "queue_data");
  return {.header = "", .name = "m", .ports = {}, .parts = {declared, instances, outputs}};
}

std::string made(const Module& module) {
  std::string text;
  for (const Statements& one : with_direct_outputs(module).parts) text += to_text(one, 0);
  return text;
}

TEST_CASE("an output of a submodule that is the module's needs no signal, and no heading") {
  CHECK(made(module_around()) ==
        "queue u_queue (\n"
        "  .clk_i(clk_i),\n"
        "  .data_o(word_o)\n"
        ");\n");
}

TEST_CASE("other reads of a submodule's output read the port") {
  Module module = module_around();
  module.parts[2].connect("is_zero_o", unary("!", "queue_data"));
  CHECK(made(module).ends_with("assign is_zero_o = !word_o;\n"));
}

TEST_CASE("the second port of an output is the first") {
  Module module = module_around();
  module.parts[2].connect("again_o", "queue_data");
  CHECK(made(module).ends_with("assign again_o = word_o;\n"));
}

TEST_CASE("an output that is a struct, and a part of one, keep their signal") {
  CHECK(made(module_around("word_t")).ends_with("assign word_o = queue_data;\n"));
  Module part = module_around();
  part.parts[2].statements()[1].value = slice("queue_data", 3, 0, 8);
  CHECK(made(part).ends_with("assign word_o = queue_data[3:0];\n"));
}

TEST_CASE("a register keeps its name beside its output") {
  Module module = module_around();
  module.parts[1] = {};
  CHECK(made(module).ends_with("assign word_o = queue_data;\n"));
}

/// A register that is set with each clock, and an output.
Module module_with_register() {
  Statements declared;
  declared.add(declaration("done_q", 1));
  Statements body;
  body.assign("done_q", "<=", "is_last");
  Statements process;
  process.block("always_ff @(posedge clk_i)", body);
  Statements outputs;
  outputs.connect("done_o", "done_q");
  return {.header = "", .name = "m", .ports = {}, .parts = {declared, process, outputs}};
}

std::string with_registers(const Module& module) {
  std::string text;
  for (const Statements& one : with_output_registers(module).parts) text += to_text(one, 0);
  return text;
}

TEST_CASE("a register that is only an output is the port") {
  CHECK(with_registers(module_with_register()) ==
        "always_ff @(posedge clk_i) begin\n"
        "  done_o <= is_last;\n"
        "end\n");
}

TEST_CASE("a register that something else reads, or that is two outputs, keeps its name") {
  Module read = module_with_register();
  read.parts[2].connect("goes_o", unary("!", "done_q"));
  CHECK(with_registers(read).starts_with("logic done_q;\n"));
  Module twice = module_with_register();
  twice.parts[2].connect("again_o", "done_q");
  CHECK(with_registers(twice).starts_with("logic done_q;\n"));
}

TEST_CASE("a register that its own next value reads keeps its name") {
  Module counter = module_with_register();
  Statements& body = counter.parts[1].statements()[0].arms[0].body;
  body.statements()[0].value = unary("!", "done_q");
  CHECK(with_registers(counter).starts_with("logic done_q;\n"));
}

std::string with_nets(const Module& module) {
  std::string text;
  for (const Statements& one : with_output_nets(module).parts) text += to_text(one, 0);
  return text;
}

/// A net that is an output, and that another one reads.
Module module_with_net(const char* comment = "") {
  Statements wires;
  wires.define("done", 1, binary("count_q", "==", zeros(4)), comment);
  wires.define("goes", 1, binary("done", "&&", "next_i"));
  Statements outputs;
  outputs.line("// ---- Outputs ----");
  outputs.connect("done_o", "done");
  return {.header = "", .name = "m", .ports = {}, .parts = {wires, outputs}};
}

TEST_CASE("a net that is an output is the port, also where it is read") {
  CHECK(with_nets(module_with_net()) ==
        "assign done_o = count_q == 4'd0;\n"
        "wire goes = done_o && next_i;\n");
}

TEST_CASE("a net with a comment, and one of which a part is an output, keep their name") {
  CHECK(with_nets(module_with_net("why")).ends_with("assign done_o = done;\n"));
  Module part = module_with_net();
  part.parts[1].statements()[1].value = unary("!", "done");
  CHECK(with_nets(part).ends_with("assign done_o = !done;\n"));
}

}  // namespace
}  // namespace systole::compiler::sv
