// The scheduler against every schedule there is: small random functions, all assignments of their
// operations to stages.

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/schedule/min_cut.h"
#include "hls/compiler/schedule/problem.h"
#include "hls/compiler/schedule/stages.h"

namespace systole::tests {
namespace {

using namespace systole::compiler;

constexpr unsigned kSeed = 20261121;
constexpr int kFunctions = 60;
constexpr int kOperations = 6;
constexpr int kArguments = 2;
constexpr double kSameNs = 0.011;  ///< what cut_into_stages calls equally fast

/// A function of random operations on random earlier values.
struct RandomFunction {
  llvm::LLVMContext context;
  llvm::Module module{"random", context};
  llvm::Function* function = nullptr;

  explicit RandomFunction(std::mt19937& random, bool shares_tables) {
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
    function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "random", module);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", function));
    llvm::Constant* zero = builder.getInt64(0);
    std::vector<llvm::Value*> values;
    for (int i = 0; i < kArguments; ++i) {
      values.push_back(emit_operation(builder, Operation::kReadPort, builder.getIntNTy(16),
                                      {builder.getInt32(i), zero}));
    }
    const auto any = [&] { return values[random() % values.size()]; };
    const auto widened = [&](llvm::Value* value) {
      return builder.CreateZExtOrTrunc(value, builder.getIntNTy(16));
    };
    for (int i = 0; i < kOperations; ++i) {
      llvm::Value* a = any();
      llvm::Value* b = any();
      const unsigned kind = random() % (shares_tables ? 4 : 2);
      if (kind == 0) {
        values.push_back(builder.CreateMul(widened(a), widened(b)));
      } else if (kind == 1) {
        values.push_back(builder.CreateTrunc(widened(a), builder.getIntNTy(10)));
      } else if (kind == 2) {
        values.push_back(builder.CreateXor(widened(a), widened(b)));
      } else {
        values.push_back(builder.CreateAdd(widened(a), widened(b)));
      }
    }
    emit_operation(builder, Operation::kWritePort, nullptr,
                   {builder.getInt32(0), zero, widened(values.back())});
    builder.CreateRetVoid();
  }
};

struct Optimum {
  double slowest_ns = INFINITY;
  int bits = 0;
};

double slowest_ns(const Problem& problem, const StageOf& stage_of) {
  const StageLogic logic = problem.logic(stage_of);
  double slowest = 0;
  for (const llvm::Instruction* operation : problem.operations()) {
    slowest = std::max(slowest, logic.arrival(*operation));
  }
  return slowest;
}

/// Calls `visit` with every schedule that keeps the order of the operations.
template <typename Visit>
void for_each_schedule(const Problem& problem, int stages, StageOf& stage_of, std::size_t next,
                       Visit visit) {
  if (next == problem.operations().size()) {
    visit(stage_of);
    return;
  }
  const llvm::Instruction* operation = problem.operations()[next];
  int first = 0;
  for (const llvm::Value* operand : operation->operands()) {
    if (const auto* source = llvm::dyn_cast<llvm::Instruction>(operand)) {
      first = std::max(first, stage_of.at(source));
    }
  }
  const int last = Problem::is_argument(*operation) ? 0 : stages - 1;
  if (Problem::is_result(*operation)) first = stages - 1;
  for (int stage = first; stage <= last; ++stage) {
    stage_of[operation] = stage;
    for_each_schedule(problem, stages, stage_of, next + 1, visit);
  }
}

double least_slowest(const Problem& problem, int stages) {
  double least = INFINITY;
  StageOf stage_of;
  for_each_schedule(problem, stages, stage_of, 0,
                    [&](const StageOf& one) { least = std::min(least, slowest_ns(problem, one)); });
  return least;
}

int least_bits(const Problem& problem, int stages, double period_ns) {
  int least = 1 << 20;
  StageOf stage_of;
  for_each_schedule(problem, stages, stage_of, 0, [&](const StageOf& one) {
    const int bits = register_bits(problem, one);
    if (bits < least && slowest_ns(problem, one) <= period_ns + 1e-9) least = bits;
  });
  return least;
}

TEST_CASE("The slowest stage is as fast as in the best of all schedules", "[schedule]") {
  const DelayModel model = delay_model("xc7");
  for (const bool shares_tables : {false, true}) {
    std::mt19937 random(kSeed);
    for (int i = 0; i < kFunctions; ++i) {
      INFO("seed " << kSeed << ", function " << i << ", shares tables " << shares_tables);
      RandomFunction sample(random, shares_tables);
      const int stages = 2 + i % 2;
      const double best = least_slowest(Problem(*sample.function, model), stages);
      const Schedule schedule = cut_into_stages(*sample.function, stages, model);
      CHECK(schedule.slowest_ns - model.register_ns <= best + kSameNs);
      CHECK(schedule.slowest_ns - model.register_ns >= best - 1e-9);
    }
  }
}

TEST_CASE("The register bits are those of the best of all schedules as fast", "[schedule]") {
  const DelayModel model = delay_model("xc7");
  std::mt19937 random(kSeed);
  for (int i = 0; i < kFunctions; ++i) {
    INFO("seed " << kSeed << ", function " << i);
    RandomFunction sample(random, false);
    const int stages = 2 + i % 2;
    const Schedule schedule = cut_into_stages(*sample.function, stages, model);
    const Problem problem(*sample.function, model);
    CHECK(schedule.register_bits() ==
          least_bits(problem, stages, schedule.slowest_ns - model.register_ns));
  }
}

TEST_CASE("Sharing of tables costs register bits in few of many schedules", "[schedule]") {
  const DelayModel model = delay_model("xc7");
  std::mt19937 random(kSeed);
  int worse = 0;
  for (int i = 0; i < kFunctions; ++i) {
    RandomFunction sample(random, true);
    const int stages = 2 + i % 2;
    const Schedule schedule = cut_into_stages(*sample.function, stages, model);
    const Problem problem(*sample.function, model);
    worse += schedule.register_bits() >
             least_bits(problem, stages, schedule.slowest_ns - model.register_ns);
  }
  INFO("seed " << kSeed);
  CHECK(worse <= kFunctions / 20);
}

TEST_CASE("Register bits are never more than with every operation as soon as possible",
          "[schedule]") {
  for (const char* target : {"generic", "ecp5"}) {
    const DelayModel model = delay_model(target);
    std::mt19937 random(kSeed);
    for (int i = 0; i < kFunctions; ++i) {
      INFO("seed " << kSeed << ", function " << i << " for " << target);
      RandomFunction sample(random, true);
      const Problem problem(*sample.function, model);
      const double whole = problem.as_soon_as_possible(1e9).slowest_ns;
      Problem::Attempt attempt = problem.as_soon_as_possible(0.6 * whole);
      if (attempt.stages == 0) continue;
      for (const llvm::Instruction* operation : problem.operations()) {
        if (Problem::is_result(*operation)) attempt.stage_of[operation] = attempt.stages - 1;
      }
      const StageOf fewest =
          fewest_register_bits(problem, attempt.stages, attempt.slowest_ns, attempt.stage_of);
      CHECK(register_bits(problem, fewest) <= register_bits(problem, attempt.stage_of));
      CHECK(slowest_ns(problem, fewest) <= attempt.slowest_ns + 1e-9);
    }
  }
}

TEST_CASE("The cheapest closed set is that of all closed sets", "[schedule]") {
  constexpr int kItems = 8;
  std::mt19937 random(kSeed);
  for (int i = 0; i < 300; ++i) {
    ClosureProblem closure(kItems);
    std::vector<int> cost(kItems);
    std::vector<std::pair<int, int>> implications;
    for (int item = 0; item < kItems; ++item) {
      cost[item] = static_cast<int>(random() % 21) - 10;
      closure.cost(item, cost[item]);
    }
    const int in = static_cast<int>(random() % (2 * kItems)), out = (in + 3) % (2 * kItems);
    if (in < kItems) closure.is_in(in);
    if (out < kItems) closure.is_out(out);
    for (int edge = 0; edge < 10; ++edge) {
      implications.emplace_back(random() % kItems, random() % kItems);
      closure.implies(implications.back().first, implications.back().second);
      if (edge == 5) closure.solve();  // the last call continues from its flow
    }
    const auto is_in = [](unsigned set, int item) { return (set >> item & 1) != 0; };
    constexpr int kNone = 1000;
    int least = kNone;
    for (unsigned set = 0; set < 1u << kItems; ++set) {
      int sum = 0;
      for (int item = 0; item < kItems; ++item) sum += is_in(set, item) ? cost[item] : 0;
      const bool closed =
          (in >= kItems || is_in(set, in)) && (out >= kItems || !is_in(set, out)) &&
          std::all_of(implications.begin(), implications.end(), [&](const auto& one) {
            return !is_in(set, one.first) || is_in(set, one.second);
          });
      if (closed) least = std::min(least, sum);
    }
    const std::vector<bool> found = closure.solve();
    REQUIRE(found.empty() == (least == kNone));
    if (found.empty()) continue;
    int sum = 0;
    for (int item = 0; item < kItems; ++item) sum += found[item] ? cost[item] : 0;
    for (const auto& [from, to] : implications) CHECK((!found[from] || found[to]));
    CHECK(sum == least);
  }
}

TEST_CASE("a set that must be both in and out does not exist", "[schedule]") {
  ClosureProblem closure(2);
  closure.is_in(0);
  closure.implies(0, 1);
  closure.is_out(1);
  CHECK(closure.solve().empty());
}

}  // namespace
}  // namespace systole::tests
