#pragma once

#include "hls/compiler/checks/range_checks.h"
#include "hls/compiler/ir/lowered_module.h"

namespace llvm {
class CallInst;
class Function;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// The index in `state` of the lone submodule whose clock(), outputs() or reset() is called; -1 for
/// other calls.
int instance_of(const llvm::CallInst& call, const llvm::Value& self,
                const std::vector<Leaf>& state);

/// Replaces calls of lone submodules' edges in clock() and reset() by operations on their ports,
/// and fills in module.instances. A null module allows no such call.
///
/// before  call @outputs(%out, %child); ...; call @clock(%child, %in)
/// after   store (hls.instance_output), %out; ...; hls.instance_input(load %in)
///
/// Errors   Refusal if a submodule is not clocked exactly once, or its outputs() is called after
///          its clock(), which would show the registers after the edge
void lower_instances(llvm::Function& function, LoweredModule* module, RangeChecks& checks);

}  // namespace systole::compiler
