// The scheduler on functions built by hand: stages, balance, and the verifier that trusts it in
// nothing.

#include "hls/compiler/schedule/stages.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "hls/compiler/ir/operations.h"

namespace systole::tests {
namespace {

using namespace systole::compiler;

constexpr int kFactors = 12;
constexpr unsigned kWidth = 16;

/// x * x, that * x, ... kFactors times: one chain, so that only cutting it makes it faster.
struct Chain {
  llvm::LLVMContext context;
  llvm::Module module{"chain", context};
  llvm::Function* function = nullptr;

  Chain() {
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
    function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "chain", module);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", function));
    llvm::Constant* zero = builder.getInt64(0);
    llvm::Constant* leaf = builder.getInt32(0);
    llvm::Value* x =
        emit_operation(builder, Operation::kReadPort, builder.getIntNTy(kWidth), {leaf, zero});
    llvm::Value* product = x;
    for (int i = 0; i < kFactors; ++i) product = builder.CreateMul(product, x);
    emit_operation(builder, Operation::kWritePort, nullptr, {leaf, zero, product});
    builder.CreateRetVoid();
  }
};

TEST_CASE("A chain of equal multipliers is cut into stages of as many each") {
  for (const int stages : {1, 2, 3, 4, 6, 12}) {
    Chain chain;
    const Schedule schedule = cut_into_stages(*chain.function, stages, generic_delay_model());
    INFO(stages << " stages");
    CHECK(schedule.stages == stages);
    REQUIRE(schedule.stage_ns.size() == static_cast<std::size_t>(stages));
    const auto [fast, slow] =
        std::minmax_element(schedule.stage_ns.begin(), schedule.stage_ns.end());
    CHECK(*fast == Approx(*slow));
    CHECK(schedule.slowest_ns == Approx(*slow));
  }
}

TEST_CASE("A register stands behind every stage that a value crosses") {
  Chain chain;
  const Schedule schedule = cut_into_stages(*chain.function, 3, generic_delay_model());
  // The product so far and x, behind two stages.
  CHECK(schedule.register_bits() == static_cast<int>(2 * 2 * kWidth));
}

TEST_CASE("More stages than operations are still exactly as many") {
  Chain chain;
  CHECK(cut_into_stages(*chain.function, 20, generic_delay_model()).stages == 20);
}

TEST_CASE("A pipeline without stages is refused") {
  Chain chain;
  CHECK_THROWS_WITH(cut_into_stages(*chain.function, 0, generic_delay_model()),
                    "a pipeline needs at least one stage");
}

TEST_CASE("The verifier finds an operand that is computed after its use") {
  Chain chain;
  Schedule schedule = cut_into_stages(*chain.function, 3, generic_delay_model());
  for (auto& [instruction, stage] : schedule.stage_of) {
    if (is_operation(*instruction, Operation::kReadPort)) stage = 2;
  }
  CHECK_THROWS_WITH(verify_schedule(*chain.function, schedule, generic_delay_model()),
                    "an operand is computed after its use");
}

TEST_CASE("The verifier finds a stage that is slower than the schedule says") {
  Chain chain;
  Schedule schedule = cut_into_stages(*chain.function, 3, generic_delay_model());
  schedule.slowest_ns /= 2;
  CHECK_THROWS_WITH(verify_schedule(*chain.function, schedule, generic_delay_model()),
                    "a stage is slower than its schedule says");
}

}  // namespace
}  // namespace systole::tests
