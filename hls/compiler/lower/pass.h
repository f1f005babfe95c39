#pragma once

#include <string>
#include <vector>

#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/ir/lowered_thread.h"
#include "hls/compiler/lower/facts.h"
#include "hls/compiler/passes/split_at_suspensions.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace systole::compiler {

/// The unit that passes work on: functions of one program, and the module, pure function or thread
/// being lowered, exactly one of which is set.
struct Unit {
  llvm::Module& program;
  std::vector<llvm::Function*> functions;  ///< each pass runs on all of them
  LoweredModule* module = nullptr;
  LoweredFunction* pipeline = nullptr;
  LoweredThread* thread = nullptr;
  Suspensions suspensions = {};  ///< of the thread, once found
  Facts facts = {};              ///< facts that hold for every function now
};

/// One step from clang's IR to what the emitter prints. Facts that it does not break still hold
/// afterwards.
struct Pass {
  std::string name;  ///< also of its files, its test and in --print-after
  std::string what;  ///< what holds afterwards, for --list-passes
  void (*run)(Unit&) = nullptr;
  void (*check)(Unit&) = nullptr;  ///< refuses a kernel for which `what` cannot hold
  Facts gives = {};
  Facts breaks = {};
};

/// Every pass, in the order of first use for a module, a function or a thread.
const std::vector<Pass>& passes();

/// Errors   std::invalid_argument for an unknown name
const Pass& pass_named(const std::string& name);

/// Runs passes by name, "tidy unroll narrow". After each it prints the functions if requested, and
/// checks the kernel and every fact that must hold. LLVM's verifier runs after the last pass, or
/// after each if passes are traced.
///
/// Errors   Refusal by a pass or check; std::logic_error if a pass breaks a fact it should keep
void run_passes(const std::string& names, Unit& unit);

}  // namespace systole::compiler
