#include <fmt/format.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <map>
#include <optional>

#include "hls/compiler/checks/unset_variables.h"
#include "hls/compiler/dataflow/network.h"
#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/frontend/stream_types.h"
#include "hls/compiler/lower/pass.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;

constexpr const char* kDataflow = "hls.kernel_dataflow";
constexpr const char* kProcess = "hls.kernel_process.";

const llvm::Function* callee_of(const llvm::Instruction& instruction) {
  const auto* call = dyn_cast<llvm::CallInst>(&instruction);
  return call ? call->getCalledFunction() : nullptr;
}

bool is_process(const llvm::Instruction& instruction) {
  const llvm::Function* callee = callee_of(instruction);
  return callee && callee->getName().starts_with(kProcess);
}

/// Whether the user wrote it, and as no member of a class.
bool is_users(const llvm::Function& function) {
  const llvm::DISubprogram* source = function.getSubprogram();
  return source && !class_of(source) && !is_library(source->getFilename());
}

/// A number that a dataflow() function computes, a scalar parameter of it, or what a call may have
/// set.
struct Scalar {
  llvm::Constant* known = nullptr;
  const llvm::Argument* parameter = nullptr;
  int setter = -1;  ///< the call, which gets it in `place` of its arguments
  int place = -1;
  std::int64_t run = 0;  ///< in which it may have set it
  bool is_whole() const { return parameter || setter >= 0; }
};

class Reader {
 public:
  Reader(llvm::Module& program, llvm::Function& function)
      : program_(program), function_(function), source_(*function.getSubprogram()) {}

  Network run() {
    network_.name = source_.getName().str();
    network_.position = source_position(source_);
    const auto types = source_.getType()->getTypeArray();
    if (function_.arg_size() + 1 != types.size()) {
      throw Refusal(
          fmt::format("{}: a dataflow() function takes arrays, streams and scalars up to "
                      "64 bits by value; pass wider ones by reference",
                      network_.position));
    }
    network_.parameters = parameter_names(source_);
    find_locals();
    set_calls_apart();
    Unit whole{.program = program_, .functions = {&function_}};
    run_passes("compile exact_widths inline_marked", whole);
    tidy(function_);
    follow();
    return std::move(network_);
  }

 private:
  // ---- clang's IR ----

  void find_locals() {
    const llvm::DominatorTree dominators(function_);
    const llvm::LoopInfo loops(dominators);
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      auto* local = dyn_cast<llvm::AllocaInst>(&instruction);
      if (!local) continue;
      const auto records = llvm::findDVRDeclares(local);
      if (records.empty() || records.front()->getVariable()->isParameter()) continue;
      const llvm::DILocalVariable& variable = *records.front()->getVariable();
      const llvm::DIType* type = strip_type(variable.getType());
      NetworkChannel channel{
          .name = variable.getName().str(),
          .position = position_of(*records.front()),
          .is_in_loop = loops.getLoopFor(records.front()->getParent()) != nullptr};
      if (is_library_template(type, "Stream")) {
        throw Refusal(
            fmt::format("{}: '{}' needs a number of places to be a queue: LocalStream<{}, 4> {}",
                        channel.position, channel.name, stream_element(*type), channel.name));
      }
      if (is_library_template(type, "LocalStream")) {
        channel.kind = ChannelKind::kStream;
        channel.words = template_integers(llvm::cast<llvm::DICompositeType>(type)).back();
      } else {
        if (type->getTag() == llvm::dwarf::DW_TAG_array_type) {
          throw Refusal(
              fmt::format("{}: '{}' is a C array, which its constructor sets here; make "
                          "it a Vec",
                          channel.position, channel.name));
        }
        if (!is_array_of_elements(type)) continue;
        const std::vector<Leaf> leaves = leaves_of_value(type, channel.name, channel.position);
        if (leaves.size() != 1) {
          throw Refusal(
              fmt::format("{}: '{}' holds structs, and each array of a kernel holds "
                          "integers; use an array for each member",
                          channel.position, channel.name));
        }
        channel.words = leaves[0].elements();
      }
      channels_[local] = static_cast<int>(network_.channels.size());
      network_.channels.push_back(channel);
    }
  }

  static std::string position_of(const llvm::DbgVariableRecord& record) {
    const llvm::DILocalVariable& variable = *record.getVariable();
    return fmt::format("{}:{}:{}", path_of(variable.getDirectory(), variable.getFilename()),
                       variable.getLine(), record.getDebugLoc().getCol());
  }

  bool is_channel(const llvm::Value* value) const {
    return channels_.count(value->stripPointerCasts()) != 0;
  }

  /// Calls of the user's functions become calls that stay; constructors of channels do nothing:
  /// what nobody has written has no value.
  void set_calls_apart() {
    std::vector<llvm::CallInst*> calls;
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function_))) {
      if (callee_of(instruction)) calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
      if (stores_unset(instruction) &&
          is_channel(llvm::getUnderlyingObject(llvm::getLoadStorePointerOperand(&instruction)))) {
        instruction.eraseFromParent();
      }
    }
    for (llvm::CallInst* call : calls) {
      llvm::Function& callee = *call->getCalledFunction();
      const llvm::DISubprogram* called = callee.getSubprogram();
      if (callee.getName() == kDataflow) {
        call->eraseFromParent();
      } else if (called && class_of(called) && call->arg_size() == 1 &&
                 is_channel(call->getArgOperand(0))) {
        call->eraseFromParent();
      } else if (is_users(callee)) {
        set_apart(*call, callee);
      }
    }
  }

  void set_apart(llvm::CallInst& call, llvm::Function& callee) {
    const llvm::DISubprogram& called = *callee.getSubprogram();
    if (!call.getType()->isVoidTy() || callee.hasStructRetAttr()) {
      refuse(call, fmt::format("'{}' gives a value, and a function in a dataflow() one gives its "
                               "results in arrays, streams or references",
                               called.getName().str()));
    }
    for (unsigned i = 0; i < callee.arg_size(); ++i) {
      if (callee.getArg(i)->getType()->isPointerTy() &&
          callee.arg_size() + 1 == called.getType()->getTypeArray().size()) {
        continue;
      }
      refuse(call, fmt::format("'{}' takes a plain C++ number; make it a UInt<N> or Int<N>",
                               called.getName().str()));
    }
    const auto number = network_.processes.size();
    network_.processes.push_back(
        {.name = snake_case(called.getName().take_until([](char c) { return c == '<'; })),
         .function = callee.getName().str(),
         .position = short_position(call.getDebugLoc()),
         .place = source_position(call)});
    for (unsigned i = 0; i < callee.arg_size(); ++i) {
      network_.processes.back().arguments.push_back({.port = parameter_name(called, i)});
    }
    called_.push_back(&called);
    call.setCalledFunction(llvm::Function::Create(callee.getFunctionType(),
                                                  llvm::GlobalValue::ExternalLinkage,
                                                  fmt::format("{}{}", kProcess, number), program_));
  }

  // ---- Its run ----

  /// Runs the function: its loop is known, whatever its arguments are.
  void follow() {
    constexpr int kMostSteps = 1'000'000;
    const llvm::BasicBlock* from = nullptr;
    const llvm::BasicBlock* block = &function_.getEntryBlock();
    int steps = 0;
    while (block) {
      std::map<const llvm::Value*, Scalar> joined;
      for (const llvm::PHINode& phi : block->phis()) {
        joined[&phi] = value_of(phi.getIncomingValueForBlock(from));
      }
      for (const auto& [phi, value] : joined) values_[phi] = value;
      for (const llvm::Instruction& instruction : *block) {
        if (++steps > kMostSteps) refuse(instruction, "this loop runs too often to be followed");
        if (!llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator()) {
          perform(instruction);
        }
      }
      from = block;
      block = next(*block->getTerminator());
    }
    finish();
  }

  const llvm::BasicBlock* next(const llvm::Instruction& end) {
    if (llvm::isa<llvm::ReturnInst>(end)) return nullptr;
    const auto* branch = dyn_cast<llvm::BranchInst>(&end);
    if (branch && branch->isUnconditional()) return branch->getSuccessor(0);
    const auto* known =
        branch ? llvm::dyn_cast_or_null<llvm::ConstantInt>(value_of(branch->getCondition()).known)
               : nullptr;
    if (!known) {
      refuse(end,
             "this depends on data, and a dataflow() function does the same in every run: its "
             "calls, or one loop of a constant number of iterations around them");
    }
    return branch->getSuccessor(known->isZero() ? 1 : 0);
  }

  Scalar value_of(const llvm::Value* value) {
    if (auto* constant = dyn_cast<llvm::Constant>(const_cast<llvm::Value*>(value))) {
      return {.known = constant};
    }
    const auto found = values_.find(value);
    return found == values_.end() ? Scalar() : found->second;
  }

  void perform(const llvm::Instruction& instruction) {
    if (is_process(instruction)) return call(llvm::cast<llvm::CallInst>(instruction));
    if (llvm::isa<llvm::AllocaInst>(instruction)) return;
    if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
      const llvm::Value* place = load->getPointerOperand();
      const auto* parameter = dyn_cast<llvm::Argument>(place);
      if (!parameter && scalars_.count(place) == 0) refuse_use(instruction, *place);
      values_[load] = parameter ? Scalar{.parameter = parameter} : scalars_.at(place);
      return;
    }
    if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
      const llvm::Value* place = store->getPointerOperand();
      if (is_channel(place) || !llvm::isa<llvm::AllocaInst>(place)) refuse_use(instruction, *place);
      scalars_[place] = value_of(store->getValueOperand());
      return;
    }
    if (instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::AssumeInst>(instruction)) {
      refuse_use(instruction, *instruction.getOperand(0));
    }
    std::vector<llvm::Constant*> operands;
    for (const llvm::Value* operand : instruction.operands()) {
      const Scalar one = value_of(operand);
      if (one.is_whole() && llvm::isa<llvm::CastInst>(instruction)) values_[&instruction] = one;
      if (!one.known) return;
      operands.push_back(one.known);
    }
    values_[&instruction] = {
        .known = llvm::ConstantFoldInstOperands(const_cast<llvm::Instruction*>(&instruction),
                                                operands, program_.getDataLayout())};
  }

  [[noreturn]] void refuse_use(const llvm::Instruction& instruction, const llvm::Value& place) {
    const auto channel = channels_.find(llvm::getUnderlyingObject(&place));
    refuse(
        instruction,
        fmt::format(
            "{}a dataflow() function only calls functions; put this into one of them",
            channel == channels_.end()
                ? ""
                : fmt::format("'{}' is used here, and ",
                              network_.channels[static_cast<std::size_t>(channel->second)].name)));
  }

  void call(const llvm::CallInst& call) {
    const auto number = static_cast<std::size_t>(std::stoul(
        call.getCalledFunction()->getName().drop_front(std::string(kProcess).size()).str()));
    NetworkProcess& process = network_.processes[number];
    if (calls_ % network_.processes.size() != number) {
      refuse(call, fmt::format("'{}' is called out of turn; a dataflow() function is calls, or one "
                               "loop around all of them",
                               process.name));
    }
    const std::int64_t run = calls_++ / static_cast<std::int64_t>(network_.processes.size());
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      take(call, i, *called_[number], run, process.arguments[i]);
    }
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      const auto* variable = dyn_cast<llvm::AllocaInst>(call.getArgOperand(i));
      if (!variable || is_channel(variable) || !may_set(*called_[number], i)) continue;
      for (unsigned other = 0; other < call.arg_size(); ++other) {
        if (other == i || call.getArgOperand(other) != variable) continue;
        refuse(call, fmt::format("'{}' and '{}' are one variable here, and in hardware two; pass "
                                 "it once",
                                 process.arguments[std::min(i, other)].port,
                                 process.arguments[std::max(i, other)].port));
      }
      scalars_[variable] = {
          .setter = static_cast<int>(number), .place = static_cast<int>(i), .run = run};
    }
  }

  /// Whether the parameter is a reference to something that is not const.
  static bool may_set(const llvm::DISubprogram& function, unsigned parameter) {
    const auto* type =
        dyn_cast<llvm::DIDerivedType>(function.getType()->getTypeArray()[parameter + 1]);
    if (!type || type->getTag() != llvm::dwarf::DW_TAG_reference_type) return false;
    const auto* target = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type->getBaseType());
    return !target || target->getTag() != llvm::dwarf::DW_TAG_const_type;
  }

  /// The type of a parameter of the whole, or of a called function's.
  static llvm::StringRef type_name(const llvm::DISubprogram& function, unsigned parameter) {
    return strip_type(function.getType()->getTypeArray()[parameter + 1])->getName();
  }

  void take(const llvm::CallInst& call, unsigned place, const llvm::DISubprogram& called,
            std::int64_t run, NetworkArgument& argument) {
    const llvm::Value& value = *call.getArgOperand(place);
    using enum NetworkArgument::Kind;
    const auto is_parameter = [&](const llvm::Argument& one) {
      argument.kind = kParameter;
      argument.number = static_cast<int>(one.getArgNo());
    };
    if (const auto* parameter = dyn_cast<llvm::Argument>(&value)) return is_parameter(*parameter);
    if (const auto channel = channels_.find(&value); channel != channels_.end()) {
      argument.kind = kChannel;
      argument.number = channel->second;
      return;
    }
    if (const auto* table = dyn_cast<llvm::GlobalVariable>(&value)) {
      refuse(call, fmt::format("'{}' gets the constant table '{}', and a dataflow() function hands "
                               "on its own arrays; name the table in '{}'",
                               argument.port, table_name(*table), called.getName().str()));
    }
    const auto found = scalars_.find(&value);
    const bool is_local = llvm::isa<llvm::AllocaInst>(value);
    if (found == scalars_.end() && !is_local) {
      refuse(call,
             fmt::format("'{}' gets a part of an array; pass the whole, and its index by value",
                         argument.port));
    }
    NetworkArgument now{.port = argument.port, .variable = argument.variable};
    if (found != scalars_.end()) read_scalar(call, found->second, called, place, run, now);
    if (now.kind == kUnknown && !may_set(called, place)) refuse_computed(call, now);
    if (now.is_earlier && !may_set(called, place)) refuse_earlier(call, now);
    if (run == 0) {
      if (is_local && may_set(called, place)) now.variable = name_of(value);
      argument = now;
    } else if (now.is_earlier) {
      argument.is_earlier = true;  // refused if the function reads it
    } else if (now.kind == kValue) {
      follow_value(call, run, now.first, argument);
    } else if (now.kind != argument.kind || now.number != argument.number ||
               now.place != argument.place) {
      refuse(call, fmt::format("'{}' gets another variable's value in this iteration than in the "
                               "first; choose between them in the function",
                               argument.port));
    }
  }

  /// What a local variable holds.
  void read_scalar(const llvm::CallInst& call, const Scalar& scalar,
                   const llvm::DISubprogram& called, unsigned place, std::int64_t run,
                   NetworkArgument& argument) const {
    using enum NetworkArgument::Kind;
    argument.kind = kUnknown;
    if (scalar.parameter) {
      if (type_name(source_, scalar.parameter->getArgNo()) != type_name(called, place)) return;
      argument.kind = kParameter;
      argument.number = static_cast<int>(scalar.parameter->getArgNo());
    } else if (scalar.setter >= 0) {
      const llvm::DISubprogram& setter = *called_[static_cast<std::size_t>(scalar.setter)];
      if (type_name(setter, static_cast<unsigned>(scalar.place)) != type_name(called, place)) {
        return;
      }
      argument.kind = kSet;
      argument.number = scalar.setter;
      argument.place = scalar.place;
      argument.is_earlier = scalar.run != run;
    } else if (const auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(scalar.known)) {
      if (known->getBitWidth() > 64) refuse_computed(call, argument);
      argument.kind = kValue;
      argument.first = static_cast<std::int64_t>(known->getZExtValue());
    }
  }

  static void follow_value(const llvm::CallInst& call, std::int64_t run, std::int64_t now,
                           NetworkArgument& argument) {
    if (run == 1) argument.step = now - argument.first;
    if (argument.kind == NetworkArgument::Kind::kValue &&
        now == argument.first + run * argument.step) {
      return;
    }
    refuse(call, fmt::format("'{}' gets a value that does not go up or down by the same step in "
                             "each iteration; compute it in the function",
                             argument.port));
  }

  [[noreturn]] static void refuse_computed(const llvm::CallInst& call,
                                           const NetworkArgument& argument) {
    refuse(call, fmt::format("'{}' gets a value that is computed here; a dataflow() function hands "
                             "on parameters, constants, its loop's counter, and variables that "
                             "another call sets, of the same type",
                             argument.port));
  }

  [[noreturn]] static void refuse_earlier(const llvm::CallInst& call,
                                          const NetworkArgument& argument) {
    refuse(call, fmt::format("'{}' gets what an iteration before has left; keep it in one of the "
                             "functions, or hand it on in the order of the calls",
                             argument.port));
  }

  static std::string name_of(const llvm::Value& variable) {
    return variable.getName().take_until([](char c) { return c == '.'; }).str();
  }

  static std::string table_name(const llvm::GlobalVariable& table) {
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> described;
    table.getDebugInfo(described);
    return described.empty() ? table.getName().str()
                             : described.front()->getVariable()->getName().str();
  }

  void finish() {
    const auto processes = static_cast<std::int64_t>(network_.processes.size());
    if (processes == 0 || calls_ % processes != 0 || calls_ < processes) {
      throw Refusal(
          fmt::format("{}: '{}' says dataflow() and calls no function over arrays in all "
                      "of its runs",
                      network_.position, network_.name));
    }
    network_.runs = calls_ / processes;
  }

  llvm::Module& program_;
  llvm::Function& function_;
  const llvm::DISubprogram& source_;
  Network network_;
  std::map<const llvm::Value*, int> channels_;
  std::map<const llvm::Value*, Scalar> values_;
  std::map<const llvm::Value*, Scalar> scalars_;   ///< by the local variable that holds it
  std::vector<const llvm::DISubprogram*> called_;  ///< by each process
  std::int64_t calls_ = 0;
};

}  // namespace

const llvm::Instruction* dataflow_call(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::Function* callee = callee_of(instruction);
    if (callee && callee->getName() == kDataflow) return &instruction;
  }
  return nullptr;
}

std::vector<std::string> called_functions(const llvm::Function& function) {
  std::vector<std::string> names;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::Function* callee = callee_of(instruction);
    if (callee && !callee->isDeclaration() && is_users(*callee)) {
      names.push_back(callee->getName().str());
    }
  }
  return names;
}

Network read_network(llvm::Module& program, llvm::Function& function) {
  return Reader(program, function).run();
}

}  // namespace systole::compiler
