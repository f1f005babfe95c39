// The actions that a program's commands stand for are those that the RTL takes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "host/compiler/program/step_program.h"
#include "host/device/accelerator_backend.h"
#include "host/device/register_driver.h"
#include "host/energy/action_meter.h"
#include "host/nn/training/models.h"
#include "host/nn/training/replica.h"
#include "sim/verify/line_verification.h"
#include "sim/verify/program_run.h"
#include "sim/verify/verify_case.h"
#include "tests/energy/watched_accelerator.h"

namespace systole {
namespace {

using device::Count;

constexpr int kArraySize = 4;

void check_same(const ActionCounts& derived, const ActionCounts& watched) {
  for (std::size_t i = 0; i < kActions; ++i) {
    INFO(kActionNames[i]);
    CHECK(derived.counts[i] == watched.counts[i]);
  }
}

void check_counters(const ActionCounts& actions,
                    const std::array<std::uint64_t, device::kCounters>& counts) {
  const auto of = [&](Count which) { return counts[static_cast<std::size_t>(which)]; };
  const std::uint64_t multiply_adds =
      actions[Action::kMultiplyAddsBf16] + actions[Action::kMultiplyAddsInt8];
  CHECK(multiply_adds == of(Count::kRows) * kArraySize * kArraySize);
  CHECK(actions[Action::kWeightLoads] == of(Count::kTiles) * kArraySize * kArraySize);
  CHECK(actions.read_beats() == of(Count::kReadBeats));
  CHECK(actions.write_beats() == of(Count::kWriteBeats));
}

lowering::StepProgram compile(const std::string& name, std::int64_t batch, Memory& memory,
                              const DeviceSizes& sizes, bool int8) {
  const nn::Model model = nn::find_model(name);
  nn::Replica replica(std::make_shared<const std::vector<nn::Layer>>(model.layers));
  replica.build(model.input_shape, 1);
  const nn::TrainingGraph step =
      replica.training_graph(batch, nn::SoftmaxCrossEntropy{}, model.adam, {});
  std::optional<lowering::Quantization> quantization;
  if (int8) quantization = {.seed = 1};
  return {*step.graph,
          memory,
          {.sizes = sizes, .resident = nn::states_of(step), .quantization = quantization}};
}

}  // namespace

TEST_CASE("random programs take the actions that their commands stand for", "[action_counts]") {
  ActionCounts all;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    INFO("seed " << seed);
    const verify::Case which = verify::make_case(seed, kArraySize);
    DeviceMemory memory = verify::make_memory(which);
    const auto port = tests::make_watched_accelerator(memory, which.behaviour, which.harness);
    for (const verify::Program& program : which.programs) {
      for (const verify::Placed& placed : program.placed)
        memory.write(placed.address, placed.bytes);
      const ActionCounts derived =
          count_actions(program.commands, {.array_size = kArraySize}, memory);
      const ActionCounts before = tests::watched_actions();
      const verify::Outcome outcome = verify::run_program(which, program, *port, memory);
      if (program.ending != verify::Ending::kDone) continue;
      REQUIRE(outcome.fault == device::FaultCode::kNone);
      check_same(derived, tests::watched_actions() - before);
      check_counters(derived, outcome.counters);
      all += derived;
    }
  }
  for (std::size_t i = 0; i < kActions; ++i) {
    INFO(kActionNames[i]);
    const bool is_of_links = kActionNames[i].starts_with("link_");
    CHECK((all.counts[i] > 0) != is_of_links);
  }
}

TEST_CASE("random programs of two and three cores take the actions that their commands stand for",
          "[action_counts]") {
  const verify::DeviceMaker make_device = [](const verify::Case& which, DeviceMemory& memory) {
    return tests::make_watched_accelerator(memory, which.behaviour, which.harness);
  };
  ActionCounts all;
  int lines = 0;
  for (std::uint64_t seed = 1; lines < 12; ++seed) {
    INFO("seed " << seed);
    const verify::LineCase which =
        verify::make_line_case(seed, kArraySize, 2 + static_cast<int>(seed % 2));
    const auto ends = [](const verify::Round& round) {
      return round.ending == verify::LineEnding::kDone;
    };
    if (!std::ranges::all_of(which.rounds, ends)) continue;
    ++lines;
    ActionCounts derived;
    for (const verify::Case& core : which.cores) {
      DeviceMemory memory = verify::make_memory(core);
      for (const verify::Program& program : core.programs) {
        for (const verify::Placed& placed : program.placed)
          memory.write(placed.address, placed.bytes);
        derived += count_actions(program.commands, {.array_size = kArraySize}, memory);
      }
    }
    const ActionCounts before = tests::watched_actions();
    const auto difference = verify::check(which, make_device);
    INFO((difference ? difference->words : ""));
    REQUIRE(!difference);
    check_same(derived, tests::watched_actions() - before);
    CHECK(derived[Action::kLinkWordsSent] == derived[Action::kLinkWordsReceived]);
    all += derived;
  }
  CHECK(all[Action::kLinkWordsSent] > 0);
}

TEST_CASE(
    "a training step of each network takes the actions that its commands stand for, and "
    "model counts the same",
    "[action_counts]") {
  const auto [name, int8] = GENERATE(std::pair("mnist-mlp", false), std::pair("mnist-cnn", false),
                                     std::pair("fashion-cnn", false),
                                     std::pair("cifar10-cnn", false), std::pair("mnist-mlp", true));
  INFO(name << (int8 ? " in int8" : ""));
  auto memory = std::make_shared<DeviceMemory>();
  auto port = tests::make_watched_accelerator(*memory, {}, {.monitors = false});
  AcceleratorBackend rtl({.name = "watched", .description = ""},
                         std::make_unique<RegisterDriver>(memory, std::move(port)));
  const energy::ActionMeter rtl_meter(rtl);
  const ActionCounts before = tests::watched_actions();
  lowering::StepProgram step = compile(name, 1, rtl.memory(), *rtl.sizes(), int8);
  rtl.run(step.program(1));
  check_same(rtl_meter.counts(), tests::watched_actions() - before);
  check_counters(rtl_meter.counts(), rtl.counters().counts);
  CHECK(rtl_meter.counts()[Action::kLinkWordsSent] == 0);

  const Device model = Device::open("model", {.array_size = kArraySize});
  lowering::StepProgram same =
      compile(name, 1, model.backend().memory(), *model.backend().sizes(), int8);
  const energy::ActionMeter model_meter(model.backend());
  model.backend().run(same.program(1));
  CHECK(model_meter.counts() == rtl_meter.counts());
  CHECK(model.counters().counts == rtl.counters().counts);
}

}  // namespace systole
