#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "hls/compiler/checks/constant_indices.h"
#include "hls/compiler/checks/unset_variables.h"
#include "hls/compiler/compiler.h"
#include "hls/compiler/dataflow/generate_network.h"
#include "hls/compiler/loops/compile_kernel.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/progress.h"

namespace systole::compiler {

std::vector<GeneratedModule> generate_kernel(const Source& source, const KernelGoal& goal,
                                             const std::string& target) {
  configure_llvm();
  Source kernel = source;
  kernel.top_is_kernel = true;
  enter_phase("clang", source.file);
  llvm::LLVMContext context;
  const Program program = compile(kernel, context);
  const llvm::Function& run = *program.module->getFunction(program.clock_function);
  const std::string function = template_function(class_of(run.getSubprogram()));
  const bool is_network = dataflow_call(*program.module->getFunction(function)) != nullptr;
  check_constant_indices(llvm::CloneModule(*program.module), EarlyExits::kTrusted,
                         is_network ? called_functions(*program.module->getFunction(function))
                                    : std::vector<std::string>{program.clock_function});
  drop_index_tests(*program.module);
  mark_unset_variables(*program.module, false);
  if (is_network) {
    return generate_network(program, function, source, goal, target);
  }
  CompiledKernel compiled = compile_kernel({.program = program, .function = program.clock_function},
                                           source, goal, target);
  std::vector<GeneratedModule> modules = generate_engines(source, compiled.engines, target);
  modules.push_back(std::move(compiled.module));
  return modules;
}

}  // namespace systole::compiler
