#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <set>

#include "hls/compiler/checks/constant_indices.h"
#include "hls/compiler/compiler.h"
#include "hls/compiler/emit/identifier.h"
#include "hls/compiler/emit/module.h"
#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/axi_engines.h"
#include "hls/compiler/loops/flatten_nests.h"
#include "hls/compiler/loops/lower_kernel.h"
#include "hls/compiler/loops/machine.h"
#include "hls/compiler/loops/plan_units.h"
#include "hls/compiler/loops/schedule_kernel.h"
#include "hls/compiler/lower/lower.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/report/describe.h"
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

class KernelGenerator {
 public:
  KernelGenerator(const Source& source, const KernelGoal& goal, const std::string& target)
      : source_(source), goal_(goal), target_(target), model_(delay_model(target)) {
    Source kernel = source;
    kernel.top_is_kernel = true;
    enter_phase("clang", source.file);
    program_ = compile(kernel, context_);
    check_constant_indices(llvm::CloneModule(*program_.module));
    drop_index_tests(*program_.module);
  }

  std::vector<GeneratedModule> run() {
    GeneratedModule kernel = best();
    std::vector<GeneratedModule> modules = generate_engines(source_, engines_, target_);
    modules.push_back(std::move(kernel));
    return modules;
  }

 private:
  GeneratedModule best() {
    constexpr int kMostAttempts = 5;
    constexpr double kLeastShare = 0.4;  // of a clock, for logic between registers
    const double clock_ns = 1000 / (goal_.clock_mhz > 0 ? goal_.clock_mhz : kDefaultKernelMhz);
    double logic_ns = clock_ns;
    for (int attempt = 1;; ++attempt) {
      GeneratedModule module = schedule(logic_ns);
      const double over = module.report.paths.empty() ? 0 : module.report.paths[0].ns - clock_ns;
      const bool last = attempt == kMostAttempts || logic_ns - over < kLeastShare * clock_ns;
      if (goal_.clock_mhz == 0 || over <= 0 || last) return module;
      logic_ns -= over;
    }
  }

  GeneratedModule schedule(double clock_ns) {
    const auto program = llvm::CloneModule(*program_.module);
    const llvm::DISubprogram& function = pipelined_function(
        *class_of(program->getFunction(program_.clock_function)->getSubprogram()));
    const std::string file = path_of(function.getDirectory(), function.getFilename());
    LoweredKernel kernel = lower_kernel(*program, program_.clock_function);
    engines_ = engines_of(kernel);
    enter_phase("schedule", kernel.name);
    const std::map<int, UnitFunction> units =
        plan_units(kernel, *program_.module, model_, clock_ns, goal_.overlaps, iterative_);
    if (goal_.overlaps) flatten_nests(kernel, model_, clock_ns);
    KernelSchedule schedule = schedule_kernel(kernel, model_, clock_ns, goal_.overlaps);
    if (make_iterative(kernel, schedule)) return this->schedule(clock_ns);
    Machine machine = build_machine(kernel, schedule.blocks, schedule.problem_of);
    lower_machine(*program, machine.module);
    GeneratedModule generated;
    generated.report = describe_module(machine.module);
    generated.name = identifier(kModulePrefix + kernel.name);
    generated.report.module = generated.name;
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
    generated.report.paths = time_module(machine.module, edges, pipelines, model_).paths;
    const ModuleText text{.name = generated.name,
                          .source_file = shown_file(file, source_.include_folders),
                          .top = kernel.name,
                          .version = version(),
                          .about = summary(generated.report.kernels.front())};
    enter_phase("emit", generated.name);
    generated.text = emit_module(machine.module, text, machine.cells, functions, stages);
    return generated;
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

  const Source& source_;
  const KernelGoal& goal_;
  const std::string& target_;
  std::vector<AxiEngine> engines_;
  llvm::LLVMContext context_;
  Program program_;
  DelayModel model_;
  std::set<int> iterative_;  ///< divisions that are no pipelines
};

}  // namespace

std::vector<GeneratedModule> generate_kernel(const Source& source, const KernelGoal& goal,
                                             const std::string& target) {
  configure_llvm();
  return KernelGenerator(source, goal, target).run();
}

}  // namespace systole::compiler
