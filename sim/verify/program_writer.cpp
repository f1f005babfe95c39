#include "sim/verify/program_writer.h"

#include <algorithm>
#include <stdexcept>

namespace systole::verify {
namespace {

constexpr std::size_t kRowWords = 8192;
constexpr std::size_t kWeightWords = 4096;
constexpr std::size_t kSumRows = 1024;
constexpr std::size_t kMaskRows = 2048;
constexpr std::uint64_t kCodeBytes = 8192;

}  // namespace

ProgramWriter::ProgramWriter(int array_size, const Layout& layout, cosim::Random& random,
                             int number)
    : size_(array_size),
      layout_(layout),
      random_(random),
      planner_(random),
      rows_(kRowWords),
      weights_(kWeightWords),
      sum_uses_(kSumRows),
      mask_uses_(kMaskRows),
      memory_uses_((layout.inputs.size + layout.outputs.size) / kChunk + 2),
      sums_known_(kSumRows, false),
      code_{.base = layout.inputs.end() - static_cast<std::uint64_t>(number + 1) * kCodeBytes,
            .size = kCodeBytes},
      vector_writes_(memory_uses_.places(), false) {}

Program ProgramWriter::write(int actions, Ending ending) {
  FaultPlace fault;
  const int fault_at = ending == Ending::kDone ? -1 : random_.between(0, actions - 1);
  for (int action = 0; action < actions; ++action) {
    if (action == fault_at) {
      fault.begin = planner_.commands().size();
      add_fault(ending);
      fault.end = planner_.commands().size();
    }
    // Spare tokens order none of the commands after them.
    if (action == fault_at && ending == Ending::kTokenOverflow) break;
    act();
  }
  if (chance(80)) add_fence();
  return {.commands = planner_.commands(), .ending = ending, .placed = placed_, .fault = fault};
}

Program ProgramWriter::write_meetings(std::span<const Meeting> meetings, Ending ending,
                                      int fault_before) {
  FaultPlace fault;
  const auto before = [&](int meeting) {
    if (ending == Ending::kDone || meeting != fault_before) return;
    fault.begin = planner_.commands().size();
    add_fault(ending);
    fault.end = planner_.commands().size();
  };
  for (std::size_t i = 0; i < meetings.size(); ++i) {
    for (std::uint32_t action = random_.below(4); action > 0; --action) act();
    before(static_cast<int>(i));
    if (meetings[i].words == 0) continue;
    for (int attempt = 0; !add_vectors(meetings[i]); ++attempt) {
      constexpr int kMostAttempts = 100;
      if (attempt == kMostAttempts) throw std::logic_error("no room for a meeting");
    }
  }
  before(static_cast<int>(meetings.size()));
  for (std::uint32_t action = random_.below(4); action > 0; --action) act();
  if (chance(80)) add_fence();
  return {.commands = planner_.commands(), .ending = ending, .placed = placed_, .fault = fault};
}

Program ProgramWriter::write_waiting_for_sums(int actions) {
  add_product_that_waits_for_sums();
  return write(actions, Ending::kDone);
}

void ProgramWriter::act() {
  using device::LoadBuffer;
  const auto choice = random_.below(100);
  if (choice < 14) return add_load(LoadBuffer::kRows);
  if (choice < 26) return add_load(LoadBuffer::kWeights);
  if (choice < 33) return add_load(LoadBuffer::kAccumulators);
  if (choice < 39) return add_load(LoadBuffer::kMasks);
  if (choice < 51) {
    add_vectors();
    return;
  }
  if (choice < 74) return add_matmul();
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
  each_chunk(first, size, [&](std::size_t chunk) { memory_uses_.add_needs(chunk, needs); });
}

void ProgramWriter::use_memory(std::uint64_t first, std::uint64_t size, Engine engine,
                               int command) {
  each_chunk(first, size, [&](std::size_t chunk) { memory_uses_.use(chunk, engine, command); });
}

void ProgramWriter::add_shape(std::optional<device::CommandWord>& current,
                              const device::CommandWord& shape) {
  if (current == shape && !chance(30)) return;
  planner_.add(shape);
  current = shape;
}

}  // namespace systole::verify
