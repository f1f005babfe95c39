#include "hls/compiler/dataflow/generate_network.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "hls/compiler/dataflow/build_network.h"
#include "hls/compiler/dataflow/describe_network.h"
#include "hls/compiler/dataflow/join_network.h"
#include "hls/compiler/dataflow/simulate_network.h"
#include "hls/compiler/emit/identifier.h"
#include "hls/compiler/emit/module.h"
#include "hls/compiler/loops/compile_kernel.h"
#include "hls/compiler/lower/lower.h"
#include "hls/compiler/report/describe.h"
#include "hls/compiler/support/progress.h"
#include "hls/compiler/support/source.h"
#include "hls/compiler/timing/timing.h"

namespace systole::compiler {
namespace {

class NetworkGenerator {
 public:
  NetworkGenerator(const Program& program, const std::string& function, const Source& source,
                   const KernelGoal& goal, const std::string& target)
      : program_(program),
        source_(source),
        goal_(goal),
        target_(target),
        model_(delay_model(target)),
        copy_(llvm::CloneModule(*program.module)),
        function_(*copy_->getFunction(function)),
        network_(read_network(*copy_, function_)) {}

  std::vector<GeneratedModule> run() {
    for (const NetworkProcess& process : network_.processes) compile_process(process);
    std::vector<const CompiledKernel*> processes;
    for (const NetworkProcess& process : network_.processes) {
      processes.push_back(&compiled_.at(process.function));
    }
    join_network(network_, processes);
    const std::optional<NetworkRun> run = simulate_network(network_, processes);
    if (!run) check_waits(network_);
    GeneratedModule whole = join(processes, run);
    std::vector<GeneratedModule> modules;
    for (const std::string& function : order_) {
      modules.push_back(std::move(compiled_.at(function).module));
    }
    modules.push_back(std::move(whole));
    return modules;
  }

 private:
  /// A function that is called twice is one module.
  void compile_process(const NetworkProcess& process) {
    if (compiled_.count(process.function) != 0) return;
    std::string name = fmt::format("{}{}_{}", kModulePrefix, network_.name, process.name);
    for (int copy = 2; !names_.insert(name).second; ++copy) {
      name = fmt::format("{}{}_{}_{}", kModulePrefix, network_.name, process.name, copy);
    }
    compiled_[process.function] = compile_kernel(
        {.program = program_, .function = process.function, .module = name, .is_process = true},
        source_, goal_, target_);
    order_.push_back(process.function);
  }

  GeneratedModule join(const std::vector<const CompiledKernel*>& processes,
                       const std::optional<NetworkRun>& run) {
    const llvm::DISubprogram& source = *function_.getSubprogram();
    const std::string file = path_of(source.getDirectory(), source.getFilename());
    Machine machine = build_network(*copy_, function_, network_, processes);
    enter_phase("schedule", network_.name);
    lower_machine(*copy_, machine.module);
    GeneratedModule generated;
    generated.report = describe_module(machine.module);
    generated.name = identifier(kModulePrefix + network_.name);
    generated.report.module = generated.name;
    std::map<int, EdgeTiming> edges;
    for (const auto& [leaf, instance] : machine.module.instances) {
      const std::string& cell = machine.cells.at(leaf).name;
      generated.report.instances.push_back(cell);
      const auto process = std::ranges::find_if(
          processes, [&](const CompiledKernel* one) { return one->module.name == cell; });
      edges[leaf] = process != processes.end() ? (*process)->edge
                                               : time_cell(cell, instance.inputs, instance.outputs,
                                                           machine.depths.at(leaf), model_);
    }
    enter_phase("timing", generated.name);
    generated.report.paths = time_module(machine.module, edges, {}, model_).paths;
    generated.report.kernels.push_back(describe_network(network_, processes, run, machine.module));
    const ModuleText text{.name = generated.name,
                          .source_file = shown_file(file, source_.include_folders),
                          .top = network_.name,
                          .version = version(),
                          .about = summary(generated.report.kernels.front())};
    enter_phase("emit", generated.name);
    generated.text = emit_module(machine.module, text, machine.cells, {}, {});
    return generated;
  }

  const Program& program_;
  const Source& source_;
  const KernelGoal& goal_;
  const std::string& target_;
  DelayModel model_;
  std::unique_ptr<llvm::Module> copy_;
  llvm::Function& function_;
  Network network_;
  std::map<std::string, CompiledKernel> compiled_;  ///< by function
  std::vector<std::string> order_;                  ///< its keys, as they are called
  std::set<std::string> names_;
};

}  // namespace

std::vector<GeneratedModule> generate_network(const Program& program, const std::string& function,
                                              const Source& source, const KernelGoal& goal,
                                              const std::string& target) {
  return NetworkGenerator(program, function, source, goal, target).run();
}

}  // namespace systole::compiler
