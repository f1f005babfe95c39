#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "hls/compiler/checks/calls.h"
#include "hls/compiler/checks/check.h"
#include "hls/compiler/checks/shift_amounts.h"
#include "hls/compiler/checks/unknown_registers.h"
#include "hls/compiler/checks/wire_drivers.h"
#include "hls/compiler/lower/pass.h"
#include "hls/compiler/passes/build_outputs_locally.h"
#include "hls/compiler/passes/cut_counters.h"
#include "hls/compiler/passes/cut_enum_loads.h"
#include "hls/compiler/passes/cut_indices.h"
#include "hls/compiler/passes/drop_dead_registers.h"
#include "hls/compiler/passes/drop_padding.h"
#include "hls/compiler/passes/drop_unreachable_states.h"
#include "hls/compiler/passes/drop_unread_registers.h"
#include "hls/compiler/passes/exact_widths.h"
#include "hls/compiler/passes/expand_intrinsics.h"
#include "hls/compiler/passes/expand_picks.h"
#include "hls/compiler/passes/extract_states.h"
#include "hls/compiler/passes/factor_products.h"
#include "hls/compiler/passes/flatten.h"
#include "hls/compiler/passes/guard_registers.h"
#include "hls/compiler/passes/inline_late_calls.h"
#include "hls/compiler/passes/inline_marked.h"
#include "hls/compiler/passes/join_outputs.h"
#include "hls/compiler/passes/lift_outputs.h"
#include "hls/compiler/passes/lower_accesses.h"
#include "hls/compiler/passes/lower_pipelines.h"
#include "hls/compiler/passes/make_sequential.h"
#include "hls/compiler/passes/name_results.h"
#include "hls/compiler/passes/narrow.h"
#include "hls/compiler/passes/narrow_registers.h"
#include "hls/compiler/passes/select_joins.h"
#include "hls/compiler/passes/share_registers.h"
#include "hls/compiler/passes/share_shifters.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/passes/split_copies.h"
#include "hls/compiler/passes/unroll.h"
#include "hls/compiler/support/rounds.h"

namespace systole::compiler {
namespace {

/// A pass or check of one function, on each of the unit's.
template <auto kStep>
void each(Unit& unit) {
  for (llvm::Function* function : unit.functions) kStep(*function);
}
/// One of clock() or reset(), which also needs the module.
template <auto kStep>
void each_edge(Unit& unit) {
  for (llvm::Function* function : unit.functions) kStep(*function, *unit.module);
}
template <auto kStep>
void of_module(Unit& unit) {
  kStep(*unit.module);
  unit.functions = unit.module->edges();
}
template <auto kStep>
void of_thread(Unit& unit) {
  kStep(*unit.thread);
  unit.functions = unit.thread->edges();
}

void nothing(Unit&) {}

void widths(Unit& unit) {
  // No native widths: computing an i5 in an i8 gains nothing.
  unit.program.setDataLayout("e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-S128");
  declare_drivers(unit.program);
  for (llvm::Function& function : unit.program) {
    split_copies(function);
    exact_widths(function);
  }
}

void inline_functions(Unit& unit) {
  name_results(unit.program);
  mark_for_inlining(unit.program, unit.functions);
  inline_marked(unit.program);
}

void check_source(Unit& unit) {
  for (llvm::Function* function : unit.functions) {
    check_language(*function);
    check_shift_amounts(*function);
    if (!unit.thread) check_ends(*function);
  }
}

void outputs_as_locals(Unit& unit) {
  build_outputs_locally(*unit.module->clock, unit.module->outputs);
}

void inline_known_calls(Unit& unit) {
  for (llvm::Function* function : unit.functions) {
    Rounds rounds("inline_late_calls", *function);
    for (; (unit.module && inline_lanes(*function, unit.module->state)) ||
           inline_late_calls(*function);
         rounds.next()) {
      check_language(*function);
      tidy(*function);
    }
  }
}

void check_inlined(Unit& unit) {
  for (llvm::Function* function : unit.functions) {
    check_calls(*function);
    if (!unit.thread) check_loops(*function);
  }
}

void unroll(Unit& unit) {
  for (llvm::Function* function : unit.functions) {
    if (unit.module) unroll_edge(*function, *unit.module);
    if (unit.pipeline) unroll_all(*function);
    if (unit.thread) unroll_between_waits(*function);
  }
}

void check_users(Unit& unit) {
  if (unit.module) each<check_drivers>(unit);
}

void lower_all_accesses(Unit& unit) {
  if (unit.pipeline) return lower_function_accesses(*unit.pipeline->body, *unit.pipeline);
  each_edge<lower_accesses>(unit);
}

void check_lanes(Unit& unit) {
  if (unit.module) each_edge<check_index_ranges>(unit);
}

void cut_enums(Unit& unit) { cut_enum_loads(*unit.functions[0], unit.thread->ports); }

void find_suspensions(Unit& unit) {
  // First, since padding that a wait separates from its copy would be kept in a register.
  drop_padding(*unit.functions[0], [&](const llvm::Value& base) {
    const auto* argument = llvm::dyn_cast<llvm::Argument>(&base);
    const std::vector<ThreadPort>& ports = unit.thread->ports.parameters;
    const bool is_port = argument && argument->getArgNo() < ports.size();
    return is_port ? &ports[argument->getArgNo()].leaves : nullptr;
  });
  unit.suspensions = split_at_suspensions(*unit.functions[0]);
}

void make_states(Unit& unit) {
  extract_states(*unit.functions[0], unit.suspensions, *unit.thread);
  unit.functions = unit.thread->edges();
}

void check_narrowed(Unit& unit) {
  if (unit.module) return;  // checked whole
  each<check_values>(unit);
  if (unit.pipeline) each<check_addresses>(unit);
}

}  // namespace

const std::vector<Pass>& passes() {
  static constexpr Facts kNone, kOperations = {Fact::kNoMemory, Fact::kNoCalls},
                                kNoSwitches = {Fact::kNoSwitches}, kOneBlock = {Fact::kOneBlock},
                                kPlain = {Fact::kPlainOperations}, kNoLoops = {Fact::kNoLoops};
  static const std::vector<Pass> list = {
      {"compile", "clang's IR, before anything", nothing},
      {"make_sequential", "a co_await is a call (threads)", each<make_sequential>},
      {"exact_widths", "memory accesses have the width of their C++ type", widths},
      {"inline_marked", "only submodules' and pipelines' edges are calls", inline_functions,
       check_source},
      {"join_outputs", "clock() starts with outputs() (modules)", of_module<join_outputs>},
      {"build_outputs_locally", "outputs are a local variable until the end (modules)",
       outputs_as_locals},
      {"tidy", "locals are values", each<tidy>},
      {"inline_late_calls", "arrays' edges and calls through constants are in place",
       inline_known_calls, check_inlined},
      {"lower_pipelines", "pipelines' calls are operations (modules)", each_edge<lower_pipelines>},
      {"unroll", "loops run over registers or wait; the rest is written out", unroll, check_users},
      {"cut_enum_loads", "an enum from a port has the bits of its enumerators (threads)",
       cut_enums},
      {"expand_picks", "an element picked by a variable is a value (threads)",
       each<expand_all_picks>},
      {"lower_accesses", "registers and ports are operations, no pointer is left",
       lower_all_accesses, nullptr, kOperations},
      {"cut_counters", "a loop's counter is an int (modules)", each<cut_counters>},
      {"lower_switches", "a switch is branches (functions, threads)", each<lower_switches>, nullptr,
       kNoSwitches},
      {"flatten", "one block (functions)", each<flatten>, nullptr, kOneBlock.with(kNoLoops)},
      {"split_at_suspensions", "values used after a wait are kept in variables (threads)",
       find_suspensions, [](Unit& unit) { check_waits(unit.suspensions, *unit.functions[0]); }},
      {"extract_states", "each wait has a function, on registers and ports (threads)", make_states,
       nullptr, kOperations.with(kNoLoops)},
      {"combine_values", "combined and cleaned up", each<combine_values>, nullptr, kNoSwitches,
       kPlain},
      {"select_joins", "what an if chooses is a value", each<select_joins>},
      {"settle_choices", "choices are combined, too, and counters known after their loops",
       each<settle_choices>, check_lanes, kNoSwitches, kPlain},
      {"drop_writes_of_same", "no register is written with its own value (threads)",
       each<drop_writes_of_same>, [](Unit& unit) { check_reset(*unit.thread); }},
      {"drop_dead_registers", "every value kept over a wait is read (threads)",
       of_thread<drop_dead_registers>},
      {"share_registers", "values of one name that never meet have one register (threads)",
       of_thread<share_registers>},
      {"narrow_registers", "registers kept over waits have the bits that are used (threads)",
       of_thread<narrow_registers>},
      {"drop_unreachable_states", "every state is reached (threads)",
       of_thread<drop_unreachable_states>},
      {"cut_indices", "an index has the bits that its array needs (modules)",
       each_edge<cut_indices>},
      {"fold_picks", "a choice by a constant index is the element", each<fold_picks>},
      {"expand_intrinsics", "every operation has an operator in SystemVerilog",
       each<expand_intrinsics>, nullptr, kPlain},
      {"share_shifters", "a logical and an arithmetic shift, of which one is used, are one",
       each<share_shifters>},
      {"narrow", "only the bits that are used", each<narrow>, check_narrowed},
      {"factor_products", "terms with the same factor are added before they are multiplied",
       each<factor_products>},
      {"separate_indices", "each access has its own extension of its index (modules)",
       each_edge<separate_indices>, of_module<check_module>},
      {"drop_unread_registers", "every register matters to something outside (modules)",
       of_module<drop_unread_registers>},
      {"lift_outputs", "what outputs depend on is computed in every clock (modules)",
       [](Unit& unit) { lift_outputs(*unit.module->clock); }, of_module<check_unknown_registers>},
      {"guard_registers", "registers that keep their value are written under a branch (modules)",
       [](Unit& unit) { guard_registers(*unit.module->clock); }, nullptr, kNone, kOneBlock},
  };
  return list;
}

}  // namespace systole::compiler
