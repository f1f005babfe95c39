#include "hls/compiler/emit/function_module.h"

#include <fmt/format.h>

#include <vector>

#include "hls/compiler/emit/instances.h"
#include "hls/compiler/emit/names.h"
#include "hls/compiler/emit/pipeline.h"
#include "hls/compiler/emit/temporaries.h"
#include "hls/compiler/support/source.h"
#include "hls/compiler/verilog/statement.h"

namespace systole::compiler {

sv::Module emit_function_module(const LoweredFunction& function, const Schedule& schedule,
                                const ModuleText& text) {
  Names names;
  names.unique("clk_i");
  Leaf leaf;
  leaf.kind = LeafKind::kPipeline;
  leaf.name = function.name;
  Tables tables(names);
  PipelineText pipeline(leaf, function, schedule, names, tables);

  sv::Statements ports;
  ports.line("input  logic clk_i,");
  std::vector<Reference> arguments;
  for (const Leaf& one : function.arguments) {
    const std::string name = names.unique(without_underscore(one.name) + "_i");
    ports.line(fmt::format("input  {} {},", logic_type(one), name));
    for (std::int64_t element = 0; element < one.elements(); ++element) {
      arguments.push_back(element_of(name, one, element));
    }
  }
  sv::Statements outputs;
  for (std::size_t field = 0; field < function.result.size(); ++field) {
    const Leaf& one = function.result[field];
    const std::string name = names.unique(without_underscore(one.name) + "_o");
    const bool last = field + 1 == function.result.size();
    ports.line(fmt::format("output {} {}{}", logic_type(one), name, last ? "" : ","));
    const sv::Expression from = pipeline.result(static_cast<std::int64_t>(field), 0, {}).base;
    outputs.connect(name, from);
  }

  sv::Statements stages;
  tables.declare(stages);
  stages.blank();
  pipeline.declare(stages);
  sv::Statements registers;
  registers.line("// ---- Registers behind each stage ----");
  registers.append(stages);
  Temporaries temporaries(names);
  sv::Statements body;
  for (int stage = schedule.stages - 1; stage >= 0; --stage) {
    body.block("", pipeline.stage(stage, {}, arguments, temporaries),
               fmt::format("stage_{}", stage));
  }
  temporaries.declare(body);
  sv::Statements process;
  process.line("// ---- The edge; the temporaries of a stage are assigned with `=` ----");
  process.line("/* verilator lint_off BLKSEQ */");
  process.block("always_ff @(posedge clk_i)", body, "edge_of_clk");
  process.line("/* verilator lint_on BLKSEQ */");
  std::string header = header_of(
      text, fmt::format("{0}() in {1} stages: one result a clock, {1} clocks after its arguments",
                        function.name, schedule.stages));
  header += fmt::format("//   Registers  {} bits\n//   Slowest    {:.1f} ns (estimated)\n",
                        schedule.register_bits() + static_cast<int>(pipeline.result_width()),
                        schedule.slowest_ns);
  return {
      .header = header, .name = text.name, .ports = ports, .parts = {registers, process, outputs}};
}

}  // namespace systole::compiler
