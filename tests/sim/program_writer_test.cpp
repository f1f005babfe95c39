// Random programs are legal and free of deadlocks, and their result does not depend on the engines'
// pace, as runs in many orders show.
#include "sim/verify/program_writer.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "sim/device/program_interpreter.h"
#include "sim/verify/disassembly.h"
#include "sim/verify/kinds.h"
#include "sim/verify/verify_case.h"
#include "tests/support/random.h"

namespace systole {
namespace {

using namespace verify;
using device::CommandWord;
using tests::Random;

class WholeMemory final : public ProgramMemory {
 public:
  explicit WholeMemory(const Case& which) : memory(make_memory(which)) {}
  std::byte* locate(std::uint64_t address, std::int64_t size_bytes) override {
    return memory.find(address, static_cast<std::uint64_t>(size_bytes));
  }
  std::vector<std::byte> all(const Case& which) {
    const Layout& layout = which.layout;
    const auto span = memory.elements<std::byte>(layout.outputs.base,
                                                 static_cast<std::int64_t>(layout.outputs.size));
    return {span.begin(), span.end()};
  }
  DeviceMemory memory;
};

void open_windows(const Case& which, ProgramInterpreter& interpreter) {
  std::vector<ProgramWindow> open;
  for (const auto& [block, readable, writable] : windows(which.layout)) {
    open.push_back({block.base, block.end(), readable, writable});
  }
  interpreter.set_windows(open);
}

/// Engines with queues of 16 and tokens that run their next commands in a random possible order;
/// returns false on a deadlock.
bool run_in_random_order(const Case& which, const std::vector<CommandWord>& program,
                         ProgramInterpreter& interpreter, Random& random) {
  std::array<std::deque<std::size_t>, kEngines> queues;
  std::array<std::array<int, kEngines>, kEngines> tokens{};  // [giver][taker]
  std::size_t next = 0;
  const auto engine_of = [&](std::size_t i) {
    return static_cast<int>(field(program[i], 4, 4)) - 1;  // -1 a fence
  };
  const auto can_run = [&](int engine) {
    if (queues[engine].empty()) return false;
    const auto wait = device::tokens_of(program[queues[engine].front()]).wait;
    for (int giver = 0; giver < kEngines; ++giver) {
      // That the vector engine waits for itself takes no token.
      if (wait >> giver & 1 && giver != engine && tokens[giver][engine] == 0) return false;
    }
    return true;
  };
  for (;;) {
    std::vector<int> choices;
    for (int engine = 0; engine < kEngines; ++engine) {
      if (can_run(engine)) choices.push_back(engine);
    }
    const bool all_empty =
        std::ranges::all_of(queues, [](const auto& queue) { return queue.empty(); });
    if (next < program.size()) {
      const int engine = engine_of(next);
      if (engine < 0 ? all_empty : queues[engine].size() < 16) choices.push_back(kEngines);
    }
    if (choices.empty()) return all_empty && next == program.size();
    const int choice = choices[random.below(static_cast<std::uint32_t>(choices.size()))];
    if (choice == kEngines) {
      if (engine_of(next) >= 0) queues[engine_of(next)].push_back(next);
      ++next;
      continue;
    }
    const std::size_t index = queues[choice].front();
    queues[choice].pop_front();
    // Shapes have no tokens.
    const auto opcode = field(program[index], 0, 8);
    const bool has_tokens = opcode == 17 || opcode == 33 || opcode == 50 || opcode >= 64;
    const auto bits = has_tokens ? device::tokens_of(program[index]) : device::Tokens{};
    const auto fault = interpreter.execute(program[index], static_cast<std::uint32_t>(index));
    INFO("seed " << which.seed << ", command " << index << ": " << disassemble(program[index]));
    REQUIRE(fault.code == device::FaultCode::kNone);
    for (int other = 0; other < kEngines; ++other) {
      if (other == choice) continue;
      if (bits.wait >> other & 1) --tokens[other][choice];
      if (bits.signal >> other & 1) ++tokens[choice][other];
    }
  }
}

}  // namespace

TEST_CASE("random programs are legal, and their result does not depend on the engines' pace",
          "[program_writer]") {
  Random random(7);
  std::map<int, int> sizes;
  std::vector<std::uint64_t> seeds(60);
  std::iota(seeds.begin(), seeds.end(), 1);
  // Programs with a product that waits for sums.
  for (std::uint64_t i = 1; i <= 4; ++i) seeds.push_back(i * directed_kinds().size() - 1);
  for (const int array_size : {4, 16}) {
    for (const std::uint64_t seed : seeds) {
      Case which = make_case(seed, array_size);
      const auto& program = which.programs.back().commands;
      REQUIRE(which.programs.back().ending == Ending::kDone);
      for (const CommandWord& word : program) REQUIRE(device::is_legal(word, array_size));
      WholeMemory in_order(which);
      ProgramInterpreter interpreter(which.array_size, in_order);
      open_windows(which, interpreter);
      REQUIRE(interpreter.run(program).code == device::FaultCode::kNone);
      for (int run = 0; run < 4; ++run) {
        INFO("seed " << seed << ", array " << array_size << ", run " << run);
        WholeMemory shuffled(which);
        ProgramInterpreter other(which.array_size, shuffled);
        open_windows(which, other);
        REQUIRE(run_in_random_order(which, program, other, random));
        REQUIRE(shuffled.all(which) == in_order.all(which));
      }
    }
  }
}

TEST_CASE("a program made to fault meets exactly that fault first", "[program_writer]") {
  std::map<Ending, int> met;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Case which = make_case(seed, 8);
    const Program& program = which.programs.front();
    INFO("seed " << seed << ": " << kEndingNames[static_cast<int>(program.ending)]);
    WholeMemory memory(which);
    ProgramInterpreter interpreter(which.array_size, memory);
    open_windows(which, interpreter);
    const auto fault = interpreter.run(program.commands);
    ++met[program.ending];
    switch (program.ending) {
      case Ending::kIllegalCommand:
      case Ending::kMissingShape:
      case Ending::kReadWindow:
      case Ending::kWriteWindow:
      case Ending::kLinkStall:
        REQUIRE(fault.code == fault_of(program.ending));
        break;
      case Ending::kReadError:  // memory here answers, which the vector engine may not survive
        REQUIRE(
            (fault.code == device::FaultCode::kNone ||
             device::opcode_of(program.commands[fault.command]) >= device::Opcode::kVectorProgram));
        break;
      default:  // found by memory, tokens or the host, which this test lacks
        REQUIRE(fault.code == device::FaultCode::kNone);
    }
  }
  CHECK(met.size() == kEndings);
}

TEST_CASE("beyond N = 4 each seed's case has its directed kind", "[program_writer]") {
  const std::vector<std::string> kinds = directed_kinds();
  CHECK(kinds.size() <= 100);
  for (const int array_size : {8, 16}) {
    for (std::uint64_t seed = 1000; seed < 1000 + kinds.size(); ++seed) {
      const std::string& kind = kinds[seed % kinds.size()];
      if (kind.starts_with("counts")) continue;
      INFO("array " << array_size << ", seed " << seed << ": " << kind);
      const Case which = make_case(seed, array_size);
      bool met = false;
      for (const Program& program : which.programs) {
        // In a program that faults, only its ending counts.
        const std::size_t done = program.ending == Ending::kDone ? program.commands.size() : 0;
        const auto has = kinds_of(which, program, done);
        met = met || std::find(has.begin(), has.end(), kind) != has.end();
      }
      CHECK(met);
    }
  }
}

TEST_CASE("a seed gives the same case every time", "[program_writer]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CHECK(make_case(seed, 16).programs[0].commands == make_case(seed, 16).programs[0].commands);
  }
  CHECK(make_case(1, 16).programs[0].commands != make_case(2, 16).programs[0].commands);
}

}  // namespace systole
