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
#include "hls/compiler/dataflow/check_waits.h"
#include "hls/compiler/dataflow/describe_network.h"
#include "hls/compiler/dataflow/join_network.h"
#include "hls/compiler/dataflow/simulate_network.h"
#include "hls/compiler/emit/identifier.h"
#include "hls/compiler/emit/module.h"
#include "hls/compiler/loops/compile_kernel.h"
#include "hls/compiler/lower/lower.h"
#include "hls/compiler/report/describe.h"
#include "hls/compiler/support/comments.h"
#include "hls/compiler/support/diagnostic.h"
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
    join_network(network_, compile_processes({network_.processes.size(), KernelStart()}));
    check_counts(network_, compile_processes({network_.processes.size(), KernelStart()}));
    const std::vector<const CompiledKernel*> processes = compile_processes(starts());
    const std::optional<NetworkRun> run = simulate_network(network_, processes);
    if (!run) check_waits(network_, processes);
    GeneratedModule whole = join(processes, run);
    std::vector<GeneratedModule> modules;
    std::set<const CompiledKernel*> done;
    for (const CompiledKernel* process : processes) {
      if (done.insert(process).second) modules.push_back(process->module);
    }
    modules.push_back(std::move(whole));
    return modules;
  }

 private:
  /// What each process's runs start with: a local array of the loop around the calls is all zeros
  /// in every iteration, and a stream is empty.
  std::vector<KernelStart> starts() {
    std::vector<KernelStart> starts(network_.processes.size());
    for (const NetworkChannel& channel : network_.channels) {
      const auto writer = static_cast<std::size_t>(channel.writer);
      if (channel.may_leave) {
        starts[static_cast<std::size_t>(channel.reader)].emptied.insert(channel.reader_port);
      }
      if (channel.kind != ChannelKind::kArray) continue;
      const NetworkProcess& process = network_.processes[writer];
      const ProcessTrace& trace = compiled_.at({process.function, {}}).trace;
      const auto written = trace.written.find(channel.writer_port);
      if (trace.is_known && written != trace.written.end() &&
          static_cast<std::int64_t>(written->second.size()) == channel.words) {
        continue;
      }
      if (!network_.is_fresh(channel)) {
        throw Refusal(fmt::format(
            "{}: '{}' may leave elements out of '{}', which keep those of the iteration before; "
            "declare it in the loop, where they are zero, or write every element",
            channel.position, process.name, channel.name));
      }
      starts[writer].zeros.insert(channel.writer_port);
    }
    return starts;
  }

  /// A function that is called twice, with the same start, is one module.
  std::vector<const CompiledKernel*> compile_processes(const std::vector<KernelStart>& starts) {
    std::map<std::string, std::pair<std::string, KernelStart>> modules;  // by their names
    std::vector<const CompiledKernel*> processes;
    for (std::size_t p = 0; p < starts.size(); ++p) {
      const NetworkProcess& process = network_.processes[p];
      const std::pair key(process.function, starts[p]);
      std::string name = fmt::format("{}{}_{}", kModulePrefix, network_.name, process.name);
      for (int copy = 2; !modules.try_emplace(name, key).second && modules.at(name) != key;
           ++copy) {
        name = fmt::format("{}{}_{}_{}", kModulePrefix, network_.name, process.name, copy);
      }
      CompiledKernel& compiled = compiled_[key];
      if (compiled.module.name != identifier(name)) {
        compiled = compile_kernel({.program = program_,
                                   .function = process.function,
                                   .module = name,
                                   .is_process = true,
                                   .start = starts[p]},
                                  source_, goal_, target_);
      }
      processes.push_back(&compiled);
    }
    return processes;
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
                          .about = summary(generated.report.kernels.front()),
                          .comment = declaration_comment(source_position(source))};
    enter_phase("emit", generated.name);
    generated.text = to_text(emit_module(machine.module, text, machine.cells, {}, {}));
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
  std::map<std::pair<std::string, KernelStart>, CompiledKernel> compiled_;  ///< by function
};

}  // namespace

std::vector<GeneratedModule> generate_network(const Program& program, const std::string& function,
                                              const Source& source, const KernelGoal& goal,
                                              const std::string& target) {
  return NetworkGenerator(program, function, source, goal, target).run();
}

}  // namespace systole::compiler
