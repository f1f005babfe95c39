#include "hls/compiler/loops/lower_streams.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <vector>

#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/frontend/stream_types.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

constexpr const char* kPop = "hls.kernel_pop";
constexpr const char* kPush = "hls.kernel_push";

bool is_reference(const llvm::DIType* type) {
  const auto* derived = llvm::dyn_cast<llvm::DIDerivedType>(type);
  return derived && derived->getTag() == llvm::dwarf::DW_TAG_reference_type;
}

Leaf element_of(const llvm::DIType* type, const std::string& name, const std::string& position) {
  if (!is_reference(type)) {
    throw Refusal(fmt::format("{}: '{}' is a copy of a stream; pass the stream: {}& {}", position,
                              name, type->getName().str(), name));
  }
  const std::vector<Leaf> leaves = leaves_of_value(type, name, position);
  if (leaves.size() != 1 || leaves[0].elements() != 1 || leaves[0].is_enum()) {
    throw Refusal(
        fmt::format("{}: '{}' is a stream of structs or enums, and a function over arrays pops "
                    "and pushes integers; join the members with concat()",
                    position, name));
  }
  Leaf element = leaves[0];
  element.name = name;
  element.stream = name;
  element.stream_of = stream_element(*strip_type(type));
  element.position = position;
  return element;
}

class StreamLowering {
 public:
  StreamLowering(LoweredKernel& kernel, const llvm::DISubprogram& source)
      : kernel_(kernel), source_(source), function_(*kernel.body) {}

  void run() {
    const auto types = source_.getType()->getTypeArray();
    for (unsigned i = 1; i < types.size(); ++i) {
      if (is_stream_parameter(types[i])) take_parameter(*function_.getArg(i - 1), types[i], i - 1);
    }
    std::vector<llvm::CallInst*> calls;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      if (called(instruction, kPop) || called(instruction, kPush)) {
        calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
      }
    }
    for (llvm::CallInst* call : calls) lower(*call);
  }

 private:
  static bool called(const llvm::Instruction& instruction, const char* name) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->getName() == name;
  }

  /// The element that is on its way is a local variable.
  void take_parameter(llvm::Argument& argument, const llvm::DIType* type, unsigned index) {
    const Leaf element = element_of(type, parameter_name(source_, index), source_position(source_));
    check_names(element.name);
    llvm::IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    auto* variable = builder.CreateAlloca(
        llvm::ArrayType::get(builder.getInt8Ty(), static_cast<std::uint64_t>(element.size_bytes)));
    variable->setAlignment(llvm::Align(16));
    argument.replaceAllUsesWith(variable);
    streams_[variable] = static_cast<unsigned>(kernel_.streams.size());
    kernel_.streams.push_back({.element = element});
  }

  // A stream's ports have its name and what they are for.
  void check_names(const std::string& stream) const {
    const auto count = source_.getType()->getTypeArray().size();
    for (unsigned i = 0; i + 1 < count; ++i) {
      const std::string other = parameter_name(source_, i);
      for (const char* port : {"valid", "ready", "data"}) {
        if (other != fmt::format("{}_{}", stream, port)) continue;
        throw Refusal(fmt::format("{}: '{}' would have the name of a port of '{}'; rename it",
                                  source_position(source_), other, stream));
      }
    }
  }

  void lower(llvm::CallInst& call) {
    llvm::Value* pointer = call.getArgOperand(0);
    const auto found = streams_.find(pointer->stripPointerCasts());
    if (found == streams_.end()) {
      refuse(
          call,
          "this stream is no parameter Stream<T>& of the function; pass one, or keep the values in "
          "an array");
    }
    KernelStream& stream = kernel_.streams[found->second];
    const bool pops = called(call, kPop);
    if (stream.is_used && stream.is_input != pops) {
      refuse(call, fmt::format("'{}' is popped and pushed, and a stream has one direction; pass "
                               "two streams",
                               stream.element.name));
    }
    stream.is_used = true;
    stream.is_input = pops;
    llvm::IRBuilder<> builder(&call);
    llvm::Type* type = builder.getIntNTy(stream.element.width);
    llvm::Value* number = builder.getInt32(found->second);
    if (pops) {
      llvm::Value* value =
          emit_operation(builder, Operation::kStreamPop, type, {number, builder.getTrue()});
      value->setName(stream.element.name);
      builder.CreateStore(value, pointer);
    } else {
      emit_operation(builder, Operation::kStreamPush, nullptr,
                     {number, builder.CreateLoad(type, pointer), builder.getTrue()});
    }
    call.eraseFromParent();
  }

  LoweredKernel& kernel_;
  const llvm::DISubprogram& source_;
  llvm::Function& function_;
  std::map<const llvm::Value*, unsigned> streams_;
};

}  // namespace

bool is_stream_parameter(const llvm::DIType* type) {
  type = strip_type(type);
  return type && is_library_template(type, "Stream");
}

void lower_streams(LoweredKernel& kernel, const llvm::DISubprogram& source) {
  StreamLowering(kernel, source).run();
}

}  // namespace systole::compiler
