#include "hls/compiler/emit/function_module.h"

#include <fmt/format.h>

#include <vector>

#include "hls/compiler/emit/instances.h"
#include "hls/compiler/emit/names.h"
#include "hls/compiler/emit/pipeline.h"
#include "hls/compiler/emit/temporaries.h"
#include "hls/compiler/emit/writer.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {

std::string emit_function_module(const LoweredFunction& function, const Schedule& schedule,
                                 const ModuleText& text) {
  Names names;
  names.unique("clk_i");
  Leaf leaf;
  leaf.kind = LeafKind::kPipeline;
  leaf.name = function.name;
  Tables tables(names);
  PipelineText pipeline(leaf, function, schedule, names, tables);

  Writer ports(1);
  ports.line("input  logic clk_i,");
  std::vector<Reference> arguments;
  for (const Leaf& one : function.arguments) {
    const std::string name = names.unique(without_underscore(one.name) + "_i");
    ports.line(fmt::format("input  {} {},", logic_type(one), name));
    for (std::int64_t element = 0; element < one.elements(); ++element) {
      arguments.push_back(element_of(name, one, element));
    }
  }
  Writer outputs(1);
  for (std::size_t field = 0; field < function.result.size(); ++field) {
    const Leaf& one = function.result[field];
    const std::string name = names.unique(without_underscore(one.name) + "_o");
    const bool last = field + 1 == function.result.size();
    ports.line(fmt::format("output {} {}{}", logic_type(one), name, last ? "" : ","));
    const std::string from = pipeline.result(static_cast<std::int64_t>(field), 0, "").base;
    outputs.line(fmt::format("assign {} = {};", name, from));
  }

  Writer registers(1);
  tables.declare(registers);
  registers.blank();
  pipeline.declare(registers);
  Temporaries temporaries(names);
  Writer body(2);
  for (int stage = schedule.stages - 1; stage >= 0; --stage) {
    body.block("", pipeline.stage(stage, "", arguments, temporaries, body.nested()),
               fmt::format("stage_{}", stage));
  }
  temporaries.declare(body);
  Writer process(1);
  process.line("/* verilator lint_off BLKSEQ */");
  process.block("always_ff @(posedge clk_i)", body, "edge_of_clk");
  process.line("/* verilator lint_on BLKSEQ */");
  return fmt::format(
      "{}"
      "//   Registers  {} bits\n"
      "//   Slowest    {:.1f} ns (estimated)\n\n"
      "module {} (\n{});\n\n"
      "  // ---- Registers behind each stage ----\n{}\n"
      "  // ---- The edge; the temporaries of a stage are assigned with `=` ----\n{}\n"
      "{}\n"
      "endmodule\n",
      header_of(text, fmt::format(
                          "{0}() in {1} stages: one result a clock, {1} clocks after its arguments",
                          function.name, schedule.stages)),
      schedule.register_bits() + static_cast<int>(pipeline.result_width()), schedule.slowest_ns,
      text.name, ports.text(), registers.text(), process.text(), outputs.text());
}

}  // namespace systole::compiler
