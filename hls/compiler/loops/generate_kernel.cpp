#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
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
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/progress.h"

namespace systole::compiler {
namespace {

/// `UInt<12> sum(const Vec<UInt<8>, 16>& a)`, as C++ has it.
void refuse_result(const llvm::DISubprogram& function) {
  const llvm::DIType* result = function.getType()->getTypeArray()[0];
  if (!result) return;
  const std::string name = function.getName().str();
  const llvm::DIType& plain = *strip_type(result);
  const std::string type = llvm::isa<llvm::DIBasicType>(plain) ? "UInt<N>" : plain.getName().str();
  throw Refusal(
      fmt::format("{}: '{}' returns its result, and a function over arrays gives its results in "
                  "references: void {}(..., {}& result); a function of values alone is a pipeline, "
                  "with --stages or --clock-mhz",
                  source_position(function), name, name, type));
}

}  // namespace

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
  refuse_result(*program.module->getFunction(function)->getSubprogram());
  const bool is_network = dataflow_call(*program.module->getFunction(function)) != nullptr;
  check_constant_indices(llvm::CloneModule(*program.module), EarlyExits::kTrusted,
                         is_network ? called_functions(*program.module->getFunction(function))
                                    : std::vector<std::string>{program.clock_function});
  drop_index_tests(*program.module);
  mark_unset_variables(*program.module);
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
