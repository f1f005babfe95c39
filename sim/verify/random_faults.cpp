// Makes a random program end in a fault.
#include <algorithm>

#include "sim/verify/program_writer.h"

namespace systole::verify {
namespace {

constexpr int kSignalComputeBit = 12;
constexpr int kWaitBit = 8;
constexpr int kMoreThanTokensCount = 300;

}  // namespace

void ProgramWriter::add_fault(Ending ending) {
  switch (ending) {
    case Ending::kIllegalCommand:
      if (chance(80)) {
        add_illegal_vectors();
      } else {
        planner_.add(random_illegal());
      }
      break;
    case Ending::kReadWindow:
      add_failing_read(chance(128) ? layout_.closed.base + random_.below(64)
                                   // Before the end by less than the least that is read.
                                   : layout_.outputs.end() - random_.below(63) - 1);
      break;
    case Ending::kReadError:
      add_failing_read(layout_.trap.base + random_.below(64));
      break;
    case Ending::kWriteWindow: {
      const Block blocks[] = {layout_.closed,
                              layout_.inputs,
                              {.base = layout_.outputs.end() - 1, .size = layout_.closed.size}};
      add_failing_write(blocks[random_.below(3)]);
      break;
    }
    case Ending::kWriteError:
      add_failing_write(layout_.trap);
      break;
    case Ending::kTokenUnderflow: {
      if (chance(100)) return add_starving_run();
      // One take too many: each later take gets the next give instead of its own, and the last gets
      // none.
      device::CommandWord command = device::encode(device::Load{.address = layout_.inputs.base});
      command.low |= std::uint64_t{1} << (kWaitBit + (chance(128) ? kCompute : kStore));
      add_shape(load_shape_, device::encode(device::LoadShape{}));
      planner_.add(command);
      break;
    }
    case Ending::kTokenOverflow: {
      device::CommandWord command = device::encode(device::Load{.address = layout_.inputs.base});
      command.low |= std::uint64_t{1} << kSignalComputeBit;
      add_shape(load_shape_, device::encode(device::LoadShape{}));
      for (int i = 0; i < kMoreThanTokensCount; ++i) planner_.add(command);
      break;
    }
    case Ending::kLinkStall:
      add_lone_stream();
      break;
    default:  // caused by the host, whatever the program
      break;
  }
}

Program ProgramWriter::write_missing_shape(int actions) {
  Program program = write(actions, Ending::kDone);
  const device::CommandWord needy[] = {
      device::encode(device::Load{}),
      device::encode(device::Load{.patches = true}),
      device::encode(device::Matmul{}),
      device::encode(device::Store{}),
      device::encode(device::Store{.format = device::StoreFormat::kInt8FromFp32}),
      device::encode(device::Store{.format = device::StoreFormat::kInt8FromInt32}),
      device::encode(device::Store{.format = device::StoreFormat::kBf16Stochastic})};
  const device::CommandWord& command =
      needy[random_.below(static_cast<std::uint32_t>(std::size(needy)))];
  // It may come anywhere before the command that completes its shapes.
  unsigned shapes = 0;
  const auto completes = std::ranges::find_if(program.commands, [&](const auto& word) {
    shapes |= device::shapes_set_by(word);
    return (device::shapes_needed_by(command) & ~shapes) == 0;
  });
  const auto latest = static_cast<int>(completes - program.commands.begin());
  const int place = random_.between(0, latest);
  program.commands.insert(program.commands.begin() + place, command);
  program.ending = Ending::kMissingShape;
  program.fault = {.begin = static_cast<std::size_t>(place),
                   .end = static_cast<std::size_t>(place) + 1};
  return program;
}

void ProgramWriter::add_failing_read(std::uint64_t address) {
  if (chance(100)) return add_failing_input(address);
  add_failing_load(address);
}

void ProgramWriter::add_failing_write(const Block& block) {
  if (chance(100)) return add_failing_output(block);
  add_failing_store(block);
}

void ProgramWriter::add_failing_load(std::uint64_t address) {
  const int rows = small(8);
  add_shape(load_shape_, device::encode(device::LoadShape{
                             .rows = static_cast<std::uint16_t>(rows),
                             .cols = static_cast<std::uint16_t>(64 + random_.below(64)),
                             .tile_stride = static_cast<std::uint16_t>(rows),
                             .row_stride = 64 + random_.below(200)}));
  planner_.add(kLoad,
               device::encode(device::Load{
                   .address = address, .row = random_.bits16(), .type = device::LoadType::kInt8}),
               kNoNeeds);
}

void ProgramWriter::add_failing_store(const Block& block) {
  while (sums_.empty()) add_load(device::LoadBuffer::kAccumulators);
  const int before = planner_.size();
  const auto stored = [&] {
    const auto& commands = planner_.commands();
    for (std::size_t i = static_cast<std::size_t>(before); i < commands.size(); ++i) {
      if (device::opcode_of(commands[i]) == device::Opcode::kStore) return true;
    }
    return false;
  };
  while (!stored()) {
    add_store({.row = sums_.back().row, .count = small(sums_.back().count)}, block, kNoNeeds);
  }
}

device::CommandWord ProgramWriter::random_illegal() {
  const auto& commands = planner_.commands();
  for (;;) {
    device::CommandWord command{random_.bits(), random_.bits()};
    if (!commands.empty() && chance(220)) {
      // One bit away from a legal command.
      command = commands[random_.below(static_cast<std::uint32_t>(commands.size()))];
      const int bit = random_.between(0, 127);
      (bit < 64 ? command.low : command.high) ^= std::uint64_t{1} << bit % 64;
    }
    if (!device::is_legal(command, size_)) return command;
  }
}

}  // namespace systole::verify
