#include "hls/compiler/loops/machine_memories.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole::compiler {

MachineMemories::MachineMemories(const std::vector<KernelMemory>& memories, MachinePorts& ports)
    : memories_(memories), ports_(ports) {
  for (const KernelMemory& memory : memories) {
    instances_.push_back(-1);
    if (!memory.is_local) continue;
    const unsigned bits = memory.address_width();
    const int depth = static_cast<int>(std::max<std::int64_t>(2, memory.word.elements()));
    instances_.back() = ports.add_instance(
        memory.word.name,
        {.name = "systole_ram",
         .parameters = fmt::format("#(.Width({}), .Depth({})) ", memory.word.width, depth),
         .has_reset = false},
        depth,
        {MachinePorts::leaf("read_enable", 1), MachinePorts::leaf("read_address", bits),
         MachinePorts::leaf("write_enable", 1), MachinePorts::leaf("write_address", bits),
         MachinePorts::leaf("write_data", memory.word.width)},
        {MachinePorts::leaf("read_data", memory.word.width)});
  }
}

void MachineMemories::read(int memory, llvm::Value* when, llvm::Value* address) {
  reads_[memory].push_back({when, address, nullptr});
}

void MachineMemories::write(int memory, llvm::Value* when, llvm::Value* address,
                            llvm::Value* data) {
  writes_[memory].push_back({when, address, data});
}

llvm::Value* MachineMemories::read_data(int memory) {
  llvm::Value*& data = read_data_[memory];
  if (data) return data;
  const Leaf& word = memories_[static_cast<std::size_t>(memory)].word;
  const int instance = instances_[static_cast<std::size_t>(memory)];
  data =
      instance < 0
          ? ports_.input(ports_.add_input(MachinePorts::leaf(word.name + "_read_data", word.width)))
          : ports_.output_of(instance, 0);
  return data;
}

llvm::Value* MachineMemories::any(const std::vector<Access>& accesses, llvm::IRBuilder<>& builder) {
  llvm::Value* result = builder.getFalse();
  for (const Access& one : accesses) result = builder.CreateOr(result, one.when);
  return result;
}

llvm::Value* MachineMemories::chosen(const std::vector<Access>& accesses,
                                     llvm::Value* Access::* part, llvm::IRBuilder<>& builder) {
  // No two are active in one clock. Constants are gates: each bit is set in some clocks.
  llvm::Value* chosen = nullptr;
  llvm::Value* constant = nullptr;
  llvm::Value* is_constant = builder.getFalse();
  for (const Access& one : accesses) {
    llvm::Value* value = one.*part;
    if (!llvm::isa<llvm::Constant>(value)) {
      chosen = chosen ? builder.CreateSelect(one.when, value, chosen) : value;
      continue;
    }
    is_constant = builder.CreateOr(is_constant, one.when);
    llvm::Value* bits = builder.CreateAnd(builder.CreateSExt(one.when, value->getType()), value);
    constant = constant ? builder.CreateOr(constant, bits) : bits;
  }
  if (!chosen) return accesses.size() == 1 ? accesses.front().*part : constant;
  return constant ? builder.CreateSelect(is_constant, constant, chosen) : chosen;
}

void MachineMemories::drive(llvm::Value* moves) {
  for (int i = 0; i < static_cast<int>(memories_.size()); ++i) drive_one(i, moves);
}

void MachineMemories::drive_one(int memory, llvm::Value* moves) {
  llvm::IRBuilder<>& builder = ports_.builder();
  const KernelMemory& one = memories_[static_cast<std::size_t>(memory)];
  const int instance = instances_[static_cast<std::size_t>(memory)];
  int field = 0;
  const auto drive = [&](const char* port, llvm::Value* value) {
    if (instance < 0) {
      ports_.add_output(
          MachinePorts::leaf(one.word.name + "_" + port, value->getType()->getIntegerBitWidth()),
          value);
    } else {
      ports_.drive(instance, field++, value);
    }
  };
  const auto zero = [&](unsigned width) { return builder.getIntN(width, 0); };
  const auto enable = [&](const std::vector<Access>& accesses) {
    llvm::Value* wanted = any(accesses, builder);
    return moves ? builder.CreateAnd(wanted, moves) : wanted;
  };
  if (reads_.count(memory) != 0) {
    const std::vector<Access>& reads = reads_.at(memory);
    drive("read_enable", enable(reads));
    drive("read_address", chosen(reads, &Access::address, builder));
  } else if (one.is_local) {
    drive("read_enable", zero(1));
    drive("read_address", zero(one.address_width()));
  }
  if (writes_.count(memory) != 0) {
    const std::vector<Access>& writes = writes_.at(memory);
    drive("write_enable", enable(writes));
    drive("write_address", chosen(writes, &Access::address, builder));
    drive("write_data", chosen(writes, &Access::data, builder));
  } else if (one.is_local) {
    drive("write_enable", zero(1));
    drive("write_address", zero(one.address_width()));
    drive("write_data", zero(one.word.width));
  }
}

}  // namespace systole::compiler
