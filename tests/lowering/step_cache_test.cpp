// What is remembered of a step changes nothing but the time that compiling it takes.
#include <catch2/catch.hpp>
#include <fstream>

#include "host/compiler/program/step_program.h"
#include "host/device/device_memory.h"
#include "host/nn/training/models.h"
#include "host/nn/training/replica.h"
#include "tests/host/cache_folder.h"

namespace systole::tests {
namespace {

std::vector<device::CommandWord> commands_of(const std::string& name, std::int64_t rows,
                                             const DiskCache& disk) {
  const nn::Model model = nn::find_model(name);
  nn::Replica replica(std::make_shared<const std::vector<nn::Layer>>(model.layers));
  replica.build(model.input_shape, 1);
  const nn::TrainingGraph step =
      replica.training_graph(rows, nn::SoftmaxCrossEntropy{}, nn::Adam{}, std::nullopt);
  DeviceMemory memory;
  const lowering::StepProgram program(
      *step.graph, memory,
      {.sizes = {.array_size = 16}, .resident = nn::states_of(step), .disk = disk});
  return program.step_commands();
}

}  // namespace

TEST_CASE("a step has the same commands with an empty, a full and a damaged cache", "[lowering]") {
  for (const char* name : {"mnist-mlp", "fashion-cnn"}) {
    CAPTURE(name);
    const CacheFolder folder;
    const DiskCache disk(folder.path());
    const auto commands = commands_of(name, 2, DiskCache({}));
    CHECK(commands_of(name, 2, disk) == commands);
    REQUIRE(folder.texts() == 1);
    CHECK(commands_of(name, 2, disk) == commands);
    CHECK(commands_of(name, 3, disk) != commands);
    REQUIRE(folder.texts() == 2);
    for (const auto& file : folder.files()) std::ofstream(file) << "another systole wrote this";
    CHECK(commands_of(name, 2, DiskCache(folder.path(), 1 << 20)) == commands);
    CHECK(folder.texts() == 1);
  }
}

}  // namespace systole::tests
