#include "tests/sim/program_scheduler.h"

#include <fmt/format.h>

#include <vector>

namespace systole::tests {
namespace {

using device::Opcode;

int engine_of(const device::CommandWord& word) {
  const int opcode = static_cast<int>(device::opcode_of(word));
  return opcode < 32 ? 0 : opcode < 48 ? 1 : 2;
}

constexpr int kBankRows = ProgramInterpreter::kAccumulatorRows / 2;
int banks(int first, int rows) {
  int bits = 0;
  for (int row = first; row < first + rows; ++row) bits |= 1 << (row / kBankRows & 1);
  return bits;
}

}  // namespace

void ProgramScheduler::hand_on(std::span<const device::CommandWord> program) {
  while (next_ < program.size()) {
    auto& queue = queues_[static_cast<std::size_t>(engine_of(program[next_]))];
    if (queue.size() == kQueue) return;
    queue.push_back({program[next_], static_cast<std::uint16_t>(next_)});
    ++next_;
  }
}

bool ProgramScheduler::ready(int engine) const {
  const auto& queue = queues_[static_cast<std::size_t>(engine)];
  if (queue.empty()) return false;
  const device::Tokens tokens = device::tokens_of(queue.front().word);
  for (std::size_t giver = 0; giver < 3; ++giver) {
    if ((tokens.wait >> giver & 1) != 0 && tokens_[giver][static_cast<std::size_t>(engine)] == 0) {
      return false;
    }
  }
  return true;
}

/// Finds a product that adds to a bank while a load or store of that bank could run, too.
std::string ProgramScheduler::bank_conflict() const {
  if (!ready(1)) return {};
  const Queued& front = queues_[1].front();
  if (device::opcode_of(front.word) != Opcode::kMatmul) return {};
  const device::Matmul product = device::decode_matmul(front.word);
  const int adding = banks(product.sum_row, product_rows_ + (product.ones_row ? 1 : 0));
  if (ready(2) && device::opcode_of(queues_[2].front().word) == Opcode::kStore) {
    const device::Store store = device::decode_store(queues_[2].front().word);
    if (product.accumulate && (adding & banks(store.sum_row, store_rows_)) != 0) {
      return fmt::format("command {} adds in a bank that command {} may be reading", front.index,
                         queues_[2].front().index);
    }
  }
  if (ready(0) && device::opcode_of(queues_[0].front().word) == Opcode::kLoad) {
    const device::Load load = device::decode_load(queues_[0].front().word);
    const int last = (load_cols_ - 1) / interpreter_.array_size() * load_stride_;
    if (load.buffer == device::LoadBuffer::kAccumulators &&
        (adding & banks(load.row, load_rows_ + last)) != 0) {
      return fmt::format("command {} writes a bank that command {} may be preloading", front.index,
                         queues_[0].front().index);
    }
  }
  return {};
}

std::string ProgramScheduler::take(int engine) {
  const auto e = static_cast<std::size_t>(engine);
  const Queued command = queues_[e].front();
  queues_[e].pop_front();
  const device::Tokens tokens = device::tokens_of(command.word);
  for (std::size_t other = 0; other < 3; ++other) {
    if ((tokens.wait >> other & 1) != 0) --tokens_[other][e];
    if ((tokens.signal >> other & 1) != 0 && ++tokens_[e][other] > kMostTokens) {
      return fmt::format("command {} gives the 256th token", command.index);
    }
  }
  switch (device::opcode_of(command.word)) {
    case Opcode::kLoadShape: {
      const device::LoadShape shape = device::decode_load_shape(command.word);
      load_rows_ = shape.rows;
      load_cols_ = shape.cols;
      load_stride_ = shape.tile_stride;
      break;
    }
    case Opcode::kMatmulShape:
      product_rows_ = device::decode_matmul_shape(command.word).rows;
      break;
    case Opcode::kStoreShape:
      store_rows_ = device::decode_store_shape(command.word).rows;
      break;
    default:
      break;
  }
  const ProgramFault fault = interpreter_.execute(command.word, command.index);
  if (fault.code == device::FaultCode::kNone) return {};
  return fmt::format("command {}: {} at {:#x}", fault.command,
                     device::kFaultNames[static_cast<std::size_t>(fault.code)], fault.address);
}

std::string ProgramScheduler::run(std::span<const device::CommandWord> program) {
  for (;;) {
    hand_on(program);
    std::vector<int> can;
    for (int engine = 0; engine < 3; ++engine) {
      if (ready(engine)) can.push_back(engine);
    }
    if (can.empty()) break;
    std::string wrong = bank_conflict();
    if (!wrong.empty()) return wrong;
    int engine = can[random_.below(static_cast<std::uint32_t>(can.size()))];
    const int first = static_cast<int>(pace_) - 1;
    for (const int candidate : can) {
      if (candidate == first) engine = candidate;
    }
    wrong = take(engine);
    if (!wrong.empty()) return wrong;
  }
  for (std::size_t engine = 0; engine < 3; ++engine) {
    if (!queues_[engine].empty()) {
      return fmt::format("deadlock: command {} waits for a token that nobody gives",
                         queues_[engine].front().index);
    }
    for (std::size_t giver = 0; giver < 3; ++giver) {
      if (tokens_[giver][engine] != 0) {
        return fmt::format("{} tokens from engine {} to engine {} are left over",
                           tokens_[giver][engine], giver, engine);
      }
    }
  }
  return {};
}

}  // namespace systole::tests
