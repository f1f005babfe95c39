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

/// What passes work on: functions of one program and the module, pure function or thread that they
/// are lowered for. One of the last three is set.
struct Unit {
  llvm::Module& program;
  std::vector<llvm::Function*> functions;  ///< each pass runs on all of them
  LoweredModule* module = nullptr;
  LoweredFunction* pipeline = nullptr;
  LoweredThread* thread = nullptr;
  Suspensions suspensions = {};  ///< of the thread, once they are found
  Facts facts = {};              ///< what holds of every function now
};

/// One step from clang's IR to what the emitter prints. What held before and is not broken still
/// holds afterwards.
struct Pass {
  std::string name;  ///< of its files, its test and --print-after
  std::string what;  ///< what holds afterwards, for --list-passes
  void (*run)(Unit&) = nullptr;
  void (*check)(Unit&) = nullptr;  ///< refuses a kernel for which `what` cannot be so
  Facts gives = {};
  Facts breaks = {};
};

/// Every pass, in the order in which a module, a function or a thread meets them first.
const std::vector<Pass>& passes();

/// Errors   std::invalid_argument for a name that no pass has
const Pass& pass_named(const std::string& name);

/// Runs passes by name, "tidy unroll narrow". After each, shows the functions where the user asked
/// for that, checks the kernel, and verifies the IR and every fact that must hold.
///
/// Errors   Refusal by a pass or a check; std::logic_error where a pass breaks what it keeps
void run_passes(const std::string& names, Unit& unit);

}  // namespace systole::compiler
