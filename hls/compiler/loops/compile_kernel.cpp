#include "hls/compiler/loops/compile_kernel.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <set>

#include "hls/compiler/emit/identifier.h"
#include "hls/compiler/emit/module.h"
#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/axi_engines.h"
#include "hls/compiler/loops/flatten_nests.h"
#include "hls/compiler/loops/lower_kernel.h"
#include "hls/compiler/loops/machine.h"
#include "hls/compiler/loops/merge_counters.h"
#include "hls/compiler/loops/plan_units.h"
#include "hls/compiler/loops/push_bounds.h"
#include "hls/compiler/loops/schedule_kernel.h"
#include "hls/compiler/lower/lower.h"
#include "hls/compiler/lower/pass.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/report/describe.h"
#include "hls/compiler/support/comments.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/progress.h"
#include "hls/compiler/support/source.h"
#include "hls/compiler/timing/timing.h"

namespace systole::compiler {
namespace {

PortReport port_of(const LoweredKernel& kernel, const Leaf& leaf, bool is_input) {
  PortReport port{.base = without_underscore(leaf.name),
                  .width = static_cast<int>(leaf.width),
                  .is_input = is_input};
  const auto has = [&](const std::vector<Leaf>& leaves) {
    return std::ranges::any_of(leaves, [&](const Leaf& one) { return one.name == leaf.name; });
  };
  const auto array = std::ranges::find_if(kernel.memories, [&](const KernelMemory& memory) {
    return memory.axi && memory.word.name + "_address" == leaf.name;
  });
  if (leaf.name == (is_input ? "start" : "done")) {
    port.kind = is_input ? PortKind::kStart : PortKind::kDone;
  } else if (!is_input && leaf.name == "error" && !engines_of(kernel).empty()) {
    port.kind = PortKind::kError;
  } else if (is_input && array != kernel.memories.end()) {
    port.kind = PortKind::kAddress;
    port.parameter = array->word.name;
  } else if (has(is_input ? kernel.inputs : kernel.outputs)) {
    port.kind = is_input ? PortKind::kArgument : PortKind::kResult;
    port.parameter = leaf.name;
    port.is_signed = kernel.signed_scalars.count(leaf.name) != 0;
  }
  return port;
}

std::vector<PortReport> ports_of(const LoweredKernel& kernel, const LoweredModule& module) {
  std::vector<PortReport> ports;
  for (const Leaf& leaf : module.inputs) ports.push_back(port_of(kernel, leaf, true));
  for (const Leaf& leaf : module.outputs) ports.push_back(port_of(kernel, leaf, false));
  return ports;
}

class KernelCompiler {
 public:
  KernelCompiler(const KernelSource& kernel, const Source& source, const KernelGoal& goal,
                 const std::string& target)
      : kernel_(kernel), source_(source), goal_(goal), model_(delay_model(target)) {}

  CompiledKernel best() {
    constexpr int kMostAttempts = 5;
    constexpr double kLeastShare = 0.4;  // of a clock, for logic between registers
    const double clock_ns = 1000 / (goal_.clock_mhz > 0 ? goal_.clock_mhz : kDefaultKernelMhz);
    double logic_ns = clock_ns;
    for (int attempt = 1;; ++attempt) {
      CompiledKernel compiled = schedule(logic_ns);
      const std::vector<TimedPath>& paths = compiled.module.report.paths;
      const double over = paths.empty() ? 0 : paths[0].ns - clock_ns;
      const bool last = attempt == kMostAttempts || logic_ns - over < kLeastShare * clock_ns;
      if (goal_.clock_mhz == 0 || over <= 0 || last) return compiled;
      logic_ns -= over;
    }
  }

 private:
  CompiledKernel schedule(double clock_ns) {
    const auto program = llvm::CloneModule(*kernel_.program.module);
    const llvm::DISubprogram& function = source_of_kernel(*program->getFunction(kernel_.function));
    const std::string file = path_of(function.getDirectory(), function.getFilename());
    LoweredKernel kernel = lower_kernel(*program, kernel_.function, kernel_.start);
    CompiledKernel compiled;
    compiled.engines = engines_of(kernel);
    enter_phase("schedule", kernel.name);
    const std::map<int, UnitFunction> units =
        plan_units(kernel, *kernel_.program.module, model_, clock_ns, goal_.overlaps, iterative_);
    if (goal_.overlaps) flatten_nests(kernel, model_, clock_ns);
    merge_counters(*kernel.body);
    Unit whole{.program = *program, .functions = {kernel.body}};
    run_passes("combine_values expand_intrinsics narrow", whole);
    KernelSchedule schedule = schedule_kernel(kernel, model_, clock_ns, goal_.overlaps);
    if (make_iterative(kernel, schedule)) return this->schedule(clock_ns);
    Machine machine = build_machine(kernel, schedule.blocks, schedule.problem_of);
    if (kernel_.is_process) {
      compiled.trace = trace_machine(machine);
      compiled.most_pushes = most_pushes(kernel);
    }
    lower_machine(*program, machine.module);
    GeneratedModule& generated = compiled.module;
    generated.report = describe_module(machine.module);
    generated.name =
        identifier(kernel_.module.empty() ? kModulePrefix + kernel.name : kernel_.module);
    generated.report.module = generated.name;
    schedule.report.position = source_position(function);
    schedule.report.ports = ports_of(kernel, machine.module);
    generated.report.kernels.push_back(std::move(schedule.report));
    std::map<int, EdgeTiming> edges;
    for (const auto& [leaf, instance] : machine.module.instances) {
      const std::string& cell = machine.cells.at(leaf).name;
      generated.report.instances.push_back(cell);
      // What a machine sees of an engine is queues.
      edges[leaf] = time_cell(cell.starts_with("systole_axi_") ? "systole_fifo" : cell,
                              instance.inputs, instance.outputs, machine.depths.at(leaf), model_);
    }
    std::map<int, LoweredFunction> functions;
    std::map<int, Schedule> stages;
    std::map<int, TimedPipeline> pipelines;
    for (const auto& [leaf, number] : machine.units) {
      const UnitFunction& unit = units.at(number);
      functions.emplace(leaf, unit.function);
      stages.emplace(leaf, unit.schedule);
      pipelines[leaf] = {.function = unit.function.name, .schedule = unit.schedule};
      generated.report.pipelines.push_back(
          describe_pipeline(unit.function, unit.schedule, 1, model_));
    }
    enter_phase("timing", generated.name);
    ModuleTiming timing = time_module(machine.module, edges, pipelines, model_);
    generated.report.paths = std::move(timing.paths);
    compiled.edge = std::move(timing.edge);
    const ModuleText text{.name = generated.name,
                          .source_file = shown_file(file, source_.include_folders),
                          .top = kernel.name,
                          .version = version(),
                          .about = summary(generated.report.kernels.front()),
                          .comment = declaration_comment(source_position(function))};
    enter_phase("emit", generated.name);
    generated.text = to_text(emit_module(machine.module, text, machine.cells, functions, stages));
    compiled.inputs = machine.module.inputs;
    compiled.outputs = machine.module.outputs;
    return compiled;
  }

  /// Whether a division is a pipeline that no loop keeps busy; then one bit a clock does.
  bool make_iterative(const LoweredKernel& kernel, const KernelSchedule& schedule) {
    const std::size_t before = iterative_.size();
    for (int number = 0; number < static_cast<int>(kernel.units.size()); ++number) {
      const KernelUnit& unit = kernel.units[static_cast<std::size_t>(number)];
      if (unit.kind != KernelUnit::Kind::kDivision || unit.is_iterative) continue;
      const bool is_busy = std::ranges::any_of(schedule.blocks, [&](const auto& one) {
        const BlockSchedule& block = one.second;
        const auto calls = std::ranges::count_if(
            block.instance, [&](const auto& call) { return leaf_of(*call.first) == number; });
        return block.overlaps() && calls > 0 &&
               block.interval <= calls * static_cast<int>(unit.argument_bits[0]);
      });
      if (!is_busy) iterative_.insert(number);
    }
    return iterative_.size() > before;
  }

  const KernelSource& kernel_;
  const Source& source_;
  const KernelGoal& goal_;
  DelayModel model_;
  std::set<int> iterative_;  ///< divisions that are no pipelines
};

}  // namespace

int CompiledKernel::find(const std::vector<Leaf>& leaves, const std::string& name) {
  const auto found = std::ranges::find(leaves, name, &Leaf::name);
  return found == leaves.end() ? -1 : static_cast<int>(found - leaves.begin());
}

CompiledKernel compile_kernel(const KernelSource& kernel, const Source& source,
                              const KernelGoal& goal, const std::string& target) {
  return KernelCompiler(kernel, source, goal, target).best();
}

}  // namespace systole::compiler
