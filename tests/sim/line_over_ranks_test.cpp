// Launches of a line that goes on over ranks: faults, and ranks that stop.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "host/device/backend_line.h"
#include "host/device/checked_line.h"
#include "host/nn/layers/activation.h"
#include "host/nn/layers/dense.h"
#include "tests/distribute/on_ranks.h"
#include "tests/lowering/line_of_cores.h"
#include "tests/sim/spoiled_line.h"

namespace systole::tests {
namespace {

constexpr int kLanes = 4, kCores = 4;
constexpr std::int64_t kRows = 6;

/// What a launch left on this rank's cores, or its error.
struct Launch {
  std::string error;
  std::vector<float> losses;
  std::vector<Counters> counters;
  bool operator==(const Launch&) const = default;
};

/// Changes core `core`'s program at the command `place`.
struct Change {
  std::size_t core, place;
  device::CommandWord command;
};

/// A rank's part of a line of kCores cores.
class Rank {
 public:
  Rank(const std::string& device, const std::shared_ptr<Communicator>& ranks)
      : Rank(open(device, kCores / ranks->size()), ranks) {}

  Rank(DeviceLine line, const std::shared_ptr<Communicator>& ranks)
      : count_(line.cores.size()),
        first_(static_cast<std::size_t>(ranks->rank()) * count_),
        line_(std::move(line)) {
    if (ranks->size() > 1 && !line_.links->join(ranks)) throw std::runtime_error("no line");
    make();
  }

  static DeviceLine open(const std::string& device, int cores, double check_per_mille = 0) {
    return Device::open_line(device, {.array_size = kLanes, .check_per_mille = check_per_mille},
                             cores, 1);
  }

  std::vector<PlacedProgram> programs() { return cores_->programs(); }
  const std::vector<Device>& devices() const { return line_.cores; }

  /// Of fresh parameters.
  Launch run(const std::optional<Change>& change = {}) {
    make();
    std::vector<PlacedProgram> all = programs();
    for (PlacedProgram& program : all) {
      program.number = 0;
      program.link_patience = 20'000;
    }
    std::vector<device::CommandWord> commands;
    const bool changes = change && change->core >= first_ && change->core < first_ + count_;
    if (changes) {
      PlacedProgram& program = all[change->core];
      commands.assign(program.commands.begin(), program.commands.end());
      commands[change->place] = change->command;
      program.commands = commands;
      program.units = {};
      write(*change, all[change->core].ring, change->command);
    }
    Launch launch;
    try {
      line_.links->run(std::span(all).subspan(first_, count_));
      for (std::size_t core = first_; core < first_ + count_; ++core) {
        launch.losses.push_back(cores_->result(core, "loss"));
        launch.counters.push_back(line_.cores[core - first_].counters());
      }
    } catch (const DeviceError& error) {
      launch.error = error.what();
    }
    if (changes) {
      write(*change, all[change->core].ring, programs()[change->core].commands[change->place]);
    }
    return launch;
  }

 private:
  void make() {
    cores_.reset();
    others_.clear();
    std::vector<Memory*> memories;
    for (std::size_t core = 0; core < kCores; ++core) {
      const bool is_own = core >= first_ && core < first_ + count_;
      memories.push_back(is_own ? &line_.cores[core - first_].backend().memory()
                                : others_.emplace_back(std::make_unique<DeviceMemory>()).get());
    }
    cores_.emplace(
        std::vector<nn::Layer>{nn::Dense{.units = 70}, nn::Relu{}, nn::Dense{.units = 10}},
        nn::Shape{21}, kRows, kCores, nn::Adam{.learning_rate = 0.01f},
        DeviceSizes{.array_size = kLanes}, 1, memories);
    cores_->feed(random_samples(7, kRows, 21, 10), 1);
  }

  void write(const Change& change, std::uint64_t ring, const device::CommandWord& command) {
    line_.cores[change.core - first_].backend().memory().write(
        ring + sizeof command * change.place, std::as_bytes(std::span(&command, 1)));
  }

  std::size_t count_, first_;
  DeviceLine line_;
  std::vector<std::unique_ptr<DeviceMemory>> others_;
  std::optional<LineOfCores> cores_;
};

/// The command of this program that is the n-th stream of a link, 0 first.
std::size_t link_stream(const PlacedProgram& program, int n) {
  for (std::size_t i = 0; i < program.commands.size(); ++i) {
    const device::CommandWord& command = program.commands[i];
    if (device::opcode_of(command) != device::Opcode::kVectorStream) continue;
    if (device::decode_vector_stream(command).end == device::VectorStreamEnd::kMemory) continue;
    if (n-- == 0) return i;
  }
  FAIL("the program has fewer streams of links");
  return 0;
}

Change change_of(const std::string& what, Rank& rank) {
  const std::vector<PlacedProgram> programs = rank.programs();
  if (what == "a command that is none") {
    return {.core = 2, .place = link_stream(programs[2], 3), .command = {}};
  }
  if (what == "a core that stops") {  // it waits for its host, which does not come
    return {.core = 1,
            .place = link_stream(programs[1], 2),
            .command = device::encode(device::Fence{.wait_for_host = true})};
  }
  const std::size_t place = link_stream(programs[3], 0);
  device::VectorStream stream = device::decode_vector_stream(programs[3].commands[place]);
  stream.cols += 4 * kLanes;
  return {.core = 3, .place = place, .command = device::encode(stream)};
}

}  // namespace

TEST_CASE("a fault is an error on every rank with the core, and the next launch works", "[line]") {
  const std::string device = GENERATE("model", "rtl");
  const std::string what =
      GENERATE("a command that is none", "a core that stops", "another length");
  Rank alone(device, single_rank());
  const Change change = change_of(what, alone);
  const Launch fault = alone.run(change);
  CAPTURE(device, what, fault.error);
  CHECK_THAT(fault.error, Catch::Contains("of 4: device fault: "));
  const Launch works = alone.run();
  CHECK(works.error.empty());

  for (const int ranks : {2, 4}) {
    CAPTURE(ranks);
    std::vector<Launch> faults(ranks), after(ranks);
    on_ranks(ranks, [&](std::shared_ptr<Communicator> communicator) {
      Rank rank(device, communicator);
      faults[communicator->rank()] = rank.run(change);
      after[communicator->rank()] = rank.run();
    });
    Launch all;
    for (const Launch& launch : faults) CHECK(launch.error == fault.error);
    for (const Launch& launch : after) {
      CHECK(launch.error.empty());
      all.losses.insert(all.losses.end(), launch.losses.begin(), launch.losses.end());
      all.counters.insert(all.counters.end(), launch.counters.begin(), launch.counters.end());
    }
    CHECK(all == works);
  }
}

TEST_CASE("ranks run a launch of their line again on a line of rtl", "[line]") {
  const Launch alone = Rank("model", single_rank()).run();
  std::vector<Launch> launches(2);
  std::vector<std::uint64_t> checked(kCores);
  on_ranks(2, [&](std::shared_ptr<Communicator> communicator) {
    Rank rank(Rank::open("model", 2, 1000), communicator);
    const auto number = static_cast<std::size_t>(communicator->rank());
    launches[number] = rank.run();
    for (std::size_t core = 0; core < 2; ++core) {
      checked[2 * number + core] = rank.devices()[core].check_coverage()->cycles;
    }
  });
  for (std::size_t core = 0; core < kCores; ++core) {
    CAPTURE(core);
    const Launch& launch = launches[core / 2];
    CHECK(launch.error.empty());
    CHECK(launch.losses[core % 2] == alone.losses[core]);
    CHECK(launch.counters[core % 2] == alone.counters[core]);
    CHECK(checked[core] == alone.counters[core].cycles());
  }
}

TEST_CASE("one wrong bit of a core is found with the core's number in the line of all ranks",
          "[line]") {
  std::vector<Launch> launches(2);
  on_ranks(2, [&](std::shared_ptr<Communicator> communicator) {
    DeviceLine line = Rank::open("model", 2);
    std::shared_ptr<BackendLine> model = line.links;
    if (communicator->rank() == 1) model = std::make_shared<SpoiledLine>(model, 0);
    line.links = std::make_shared<CheckedLine>(model, Rank::open("rtl", 2).links,
                                               CheckedBackend::Options{.per_mille = 1000});
    launches[static_cast<std::size_t>(communicator->rank())] = Rank(line, communicator).run();
  });
  CHECK(launches[0].error.empty());
  CHECK_THAT(launches[1].error,
             Catch::StartsWith("core 2 of 4: the check against rtl found a difference"));
}

TEST_CASE("ranks do not wait for one that leaves during a launch", "[line]") {
  const std::string device = GENERATE("model", "rtl");
  CAPTURE(device);
  const auto failures = failures_on_ranks(4, [&](std::shared_ptr<Communicator> communicator) {
    Rank rank(device, communicator);
    if (communicator->rank() == 2) throw std::runtime_error("the disk is full");
    rank.run();
  });
  CHECK(message_of(failures[2]) == "the disk is full");
  for (const int rank : {0, 1, 3})
    CHECK_THAT(message_of(failures[rank]), Catch::Contains("has left"));
}

}  // namespace systole::tests
