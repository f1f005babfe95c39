#include "sim/verify/program_writer.h"

#include <algorithm>

namespace systole::verify {
namespace {

constexpr std::size_t kRowWords = 8192;
constexpr std::size_t kWeightWords = 4096;
constexpr std::size_t kSumRows = 1024;
constexpr std::size_t kMaskRows = 2048;
constexpr std::uint64_t kChunk = 16;  // bytes; the unit in which uses of memory are tracked

}  // namespace

ProgramWriter::ProgramWriter(int array_size, const Layout& layout, cosim::Random& random)
    : size_(array_size),
      layout_(layout),
      random_(random),
      planner_(random),
      rows_(kRowWords),
      weights_(kWeightWords),
      sum_uses_(kSumRows),
      mask_uses_(kMaskRows),
      memory_uses_((layout.inputs.size + layout.outputs.size) / kChunk + 2),
      sums_known_(kSumRows, false) {}

Program ProgramWriter::write(int actions, Ending ending) {
  const int fault_at = ending == Ending::kDone ? -1 : random_.between(0, actions - 1);
  for (int action = 0; action < actions; ++action) {
    if (action == fault_at) add_fault(ending);
    // Spare tokens order none of the commands after them.
    if (action == fault_at && ending == Ending::kTokenOverflow) break;
    act();
  }
  if (chance(80)) add_fence();
  return {.commands = planner_.commands(), .ending = ending};
}

Program ProgramWriter::write_waiting_for_sums(int actions) {
  add_product_that_waits_for_sums();
  return write(actions, Ending::kDone);
}

void ProgramWriter::act() {
  using device::LoadBuffer;
  const auto choice = random_.below(100);
  if (choice < 16) return add_load(LoadBuffer::kRows);
  if (choice < 30) return add_load(LoadBuffer::kWeights);
  if (choice < 38) return add_load(LoadBuffer::kAccumulators);
  if (choice < 45) return add_load(LoadBuffer::kMasks);
  if (choice < 72) return add_matmul();
  if (choice < 97) return add_store();
  add_fence();
}

void ProgramWriter::add_fence() {
  planner_.add(device::encode(device::Fence{
      .interrupt = chance(128), .wait_for_host = chance(80), .marker = random_.bits32()}));
}

int ProgramWriter::small(int most) {
  const int limit = chance(40) ? most : std::min(most, 1 + most / 8);
  return random_.between(1, std::max(1, limit));
}

std::uint64_t ProgramWriter::pick_address(std::uint64_t extent, bool writes) {
  const bool output = writes || chance(90);
  const Block& block = output ? layout_.outputs : layout_.inputs;
  const auto room = static_cast<std::uint32_t>(block.size - extent);
  std::uint64_t address = block.base + (room == 0 ? 0 : random_.below(room + 1));
  if (chance(100)) address = block.base + (address - block.base) / 128 * 128;
  return address;
}

void ProgramWriter::memory_needs(std::uint64_t first, std::uint64_t size, Needs& needs) const {
  const std::uint64_t begin = first - layout_.inputs.base;
  for (std::uint64_t at = begin / kChunk; at <= (begin + size - 1) / kChunk; ++at) {
    memory_uses_.add_needs(at, needs);
  }
}

void ProgramWriter::use_memory(std::uint64_t first, std::uint64_t size, Engine engine,
                               int command) {
  const std::uint64_t begin = first - layout_.inputs.base;
  for (std::uint64_t at = begin / kChunk; at <= (begin + size - 1) / kChunk; ++at) {
    memory_uses_.use(at, engine, command);
  }
}

void ProgramWriter::add_shape(std::optional<device::CommandWord>& current,
                              const device::CommandWord& shape) {
  if (current == shape && !chance(30)) return;
  planner_.add(shape);
  current = shape;
}

}  // namespace systole::verify
