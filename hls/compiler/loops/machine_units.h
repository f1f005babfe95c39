#pragma once

#include <llvm/IR/IRBuilder.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hls/compiler/loops/block_schedule.h"
#include "hls/compiler/loops/machine.h"
#include "hls/compiler/loops/machine_registers.h"

namespace systole::compiler {

/// The functional units of a kernel's machine: pipelines, and dividers of one bit a clock. A unit's
/// operands are chosen by the clock that calls it.
class MachineUnits {
 public:
  MachineUnits(const LoweredKernel& kernel, Machine& machine, MachineRegisters& registers,
               llvm::IRBuilder<>& builder)
      : kernel_(kernel), machine_(machine), registers_(registers), builder_(builder) {}

  /// A call in the clocks in which `when` is set.
  void call(int unit, int instance, llvm::Value* when, const std::vector<llvm::Value*>& arguments);
  /// The result of the call that started the unit's stages ago.
  llvm::Value* result(int unit, int instance);
  /// Drives every unit, once all calls are known; in a clock without `moves`, null for always, none
  /// moves.
  void drive(llvm::Value* moves);

 private:
  struct Call {
    llvm::Value* when;
    std::vector<llvm::Value*> arguments;
  };
  struct Instance {
    std::string name;
    int leaf = -1;                                    ///< of a pipeline
    int remainder = -1, quotient = -1, divisor = -1;  ///< registers of an iterative division
    llvm::Value* result = nullptr;
    std::vector<Call> calls;
  };

  const KernelUnit& unit(int number) const {
    return kernel_.units[static_cast<std::size_t>(number)];
  }
  Instance& instance(int number, int copy);
  llvm::Value* pipeline_result(const Instance& one, const KernelUnit& unit);
  std::vector<llvm::Value*> chosen(const std::vector<Call>& calls) const;
  void divide(const Instance& one, const KernelUnit& unit);

  const LoweredKernel& kernel_;
  Machine& machine_;
  MachineRegisters& registers_;
  llvm::IRBuilder<>& builder_;
  std::map<std::pair<int, int>, Instance> instances_;
  std::map<std::string, int> names_;
};

}  // namespace systole::compiler
