// What a fault leaves behind: no fence after it is passed, nothing after a refused command counts,
// and a deadlock names what waits.
#include <catch2/catch.hpp>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/vector/program.h"
#include "sim/device/native_devices.h"
#include "sim/verify/program_run.h"

namespace systole {
namespace {

using namespace verify;
using device::CommandWord;
using device::encode;
using device::FaultCode;
using vector::Instruction;
using vector::VectorOperation;
using Commands = std::vector<CommandWord>;

constexpr std::uint32_t kBefore = 0x44;

/// A device with memory that fails in the trap, for one program after the other.
class Bench {
 public:
  Bench(int size, int bus_bytes, int write_latency) : case_(make_case(1, size, bus_bytes)) {
    const Block& trap = case_.layout.trap;
    case_.behaviour = {.latency = 7, .write_latency = write_latency, .bus_bytes = bus_bytes};
    case_.behaviour.error_ranges = {{.base = trap.base, .end = trap.end()}};
    case_.harness = {};
    case_.ring_log2 = 8;
    case_.programs.clear();
    memory_ = std::make_unique<DeviceMemory>(make_memory(case_));
    port_ = sim::make_native_device(size, *memory_, case_.behaviour);
  }
  Outcome run(Commands commands) {
    Outcome outcome = run_program(case_, {.commands = std::move(commands)}, *port_, *memory_);
    port_->write_register(device::Register::kControl, device::kReset);
    while (port_->read_register(device::Register::kStatus) != 0) continue;
    return outcome;
  }
  const Layout& layout() const { return case_.layout; }

  /// The commands that bring an instruction.
  CommandWord bring(const Instruction& instruction) {
    const std::uint64_t code = instruction.encode();
    memory_->write(layout().inputs.base, std::as_bytes(std::span(&code, 1)));
    return encode(device::VectorProgram{.address = layout().inputs.base});
  }

 private:
  Case case_;
  std::unique_ptr<DeviceMemory> memory_;
  std::unique_ptr<sim::DevicePort> port_;
};

/// Commands of which one, `at`, meets a fault.
struct Failing {
  std::string name;
  Commands commands;
  FaultCode fault;
  std::uint32_t at;
  bool refused = false;  ///< by the sequencer
};

device::VectorStream words(std::uint64_t address, bool writes) {
  return {.address = address, .writes = writes, .format = device::VectorStreamFormat::kWord};
}

std::vector<Failing> all_failures(Bench& bench) {
  const Layout& at = bench.layout();
  const CommandWord rows = encode(device::StoreShape{}), block = encode(device::LoadShape{});
  const CommandWord passes = bench.bring({.operation = VectorOperation::kOr, .out = 1});
  const CommandWord run = encode(device::VectorRun{});
  const auto store = [](const Block& to) { return encode(device::Store{.address = to.base}); };
  const auto load = [](const Block& from) { return encode(device::Load{.address = from.base}); };
  return {{"an unknown opcode", {{.low = 99}}, FaultCode::kIllegalCommand, 0, true},
          {"no shape", {encode(device::Matmul{})}, FaultCode::kMissingShape, 0, true},
          {"a store's write error", {rows, store(at.trap)}, FaultCode::kWriteError, 1},
          {"a store's window", {rows, store(at.closed)}, FaultCode::kWriteWindow, 1},
          {"a load's read error", {block, load(at.trap)}, FaultCode::kReadError, 1},
          {"a load's window", {block, load(at.closed)}, FaultCode::kReadWindow, 1},
          {"a program's read error",
           {encode(device::VectorProgram{.address = at.trap.base})},
           FaultCode::kReadError,
           0},
          {"a run over nothing", {run}, FaultCode::kIllegalCommand, 0},
          {"an input's read error", {encode(words(at.trap.base, false))}, FaultCode::kReadError, 0},
          {"an input's window", {encode(words(at.closed.base, false))}, FaultCode::kReadWindow, 0},
          {"an output's write error",
           {passes, run, encode(words(at.trap.base, true))},
           FaultCode::kWriteError,
           2},
          {"an output's window",
           {passes, run, encode(words(at.closed.base, true))},
           FaultCode::kWriteWindow,
           2}};
}

std::vector<Commands> all_followers(const Layout& at) {
  const CommandWord fence = encode(device::Fence{.interrupt = true, .marker = 0x55});
  const CommandWord waiting =
      encode(device::Fence{.interrupt = true, .wait_for_host = true, .marker = 0x66});
  return {{fence},
          {waiting},
          {encode(device::LoadShape{}), encode(device::Load{.address = at.inputs.base}), fence},
          {encode(device::StoreShape{}), encode(device::Store{.address = at.outputs.base}), fence}};
}

}  // namespace

TEST_CASE("no fence is passed after a fault, whichever command meets it", "[fence_fault]") {
  const auto [size, bus] = GENERATE(table<int, int>({{4, 0}, {4, 16}, {8, 0}, {16, 0}}));
  const int write_latency = GENERATE(1, 3, 20);
  Bench bench(size, bus, write_latency);
  const CommandWord before = encode(device::Fence{.marker = kBefore});
  for (const bool has_before : {false, true}) {
    for (const Failing& failing : all_failures(bench)) {
      for (const Commands& after : all_followers(bench.layout())) {
        Commands commands;
        if (has_before) commands.push_back(before);
        commands.insert(commands.end(), failing.commands.begin(), failing.commands.end());
        commands.insert(commands.end(), after.begin(), after.end());
        const Outcome outcome = bench.run(commands);
        INFO(failing.name << ", array " << size << ", bus " << bus << ", " << commands.size()
                          << " commands");
        CHECK(outcome.fault == failing.fault);
        CHECK(outcome.command == failing.at + (has_before ? 1 : 0));
        CHECK(outcome.marker == (has_before ? kBefore : 0));
        CHECK(outcome.counters[static_cast<std::size_t>(device::Count::kCommands)] == outcome.head);
        if (failing.refused) CHECK(outcome.head == outcome.command);
      }
    }
  }
}

TEST_CASE("a deadlock of the vector engine names the command that waits", "[fence_fault]") {
  const int size = GENERATE(4, 16);
  Bench bench(size, 0, 1);
  const std::uint64_t in = bench.layout().inputs.base + 4096, out = bench.layout().outputs.base;
  const CommandWord run = encode(device::VectorRun{});
  const CommandWord word = encode(words(in, false));  // the unit holds it
  device::VectorStream first = words(in, false);
  first.cols = static_cast<std::uint16_t>(8 * size);
  device::VectorStream second = first, longest = first;
  second.number = 1;
  longest.rows = 8;
  longest.cols = 1024;
  const CommandWord input = encode(first), output = encode(words(out, true));
  const CommandWord fence = encode(device::Fence{.marker = kBefore});
  const CommandWord code = bench.bring({.operation = VectorOperation::kOr});
  // A run of the last program, whose index must not be named.
  const auto pass = [&] {
    REQUIRE(bench.run({fence, fence, code, run}).fault == FaultCode::kNone);
  };
  struct Waiting {
    std::string name;
    Commands commands;
    std::uint32_t at;
  };
  const Waiting all[] = {{"an input that nobody takes", {input}, 0},
                         {"a word that nobody takes", {word}, 0},
                         {"a word after a run", {code, run, word, fence}, 2},
                         {"an input of another number", {encode(second)}, 0},
                         {"an output that nobody writes", {output}, 0},
                         {"an input after a run", {code, run, input}, 2},
                         {"an output after a run", {code, run, fence, output}, 3},
                         {"a program behind an input", {input, code}, 1},
                         {"a stream behind a long one", {encode(longest), encode(longest)}, 1},
                         {"a vector command that lacks a token",
                          {code, run, encode(device::VectorRun{}, {.wait = device::kLoadEngine})},
                          2}};
  for (const auto& [name, commands, at] : all) {
    pass();
    const Outcome outcome = bench.run(commands);
    INFO(name << ", array " << size);
    CHECK(outcome.fault == FaultCode::kTokenUnderflow);
    CHECK(outcome.command == at);
  }
  const CommandWord takes =
      bench.bring({.operation = VectorOperation::kOr, .a = kernels::kSourceStream});
  const Outcome starved = bench.run({takes, encode(device::VectorRun{.words = 9}), input, fence});
  CHECK(starved.fault == FaultCode::kTokenUnderflow);
  CHECK(starved.command == 1);
  CHECK(starved.marker == 0);
}

}  // namespace systole
