// The vector steps of a random program.
#include <algorithm>
#include <bit>

#include "host/device/element_size.h"
#include "host/vector/program.h"
#include "sim/device/vector_interpreter.h"
#include "sim/verify/program_writer.h"

namespace systole::verify {
namespace {

using device::VectorStream;
using vector::Instruction;
using vector::VectorOperation;

/// Micro-programs lie below; one place is never filled.
constexpr int kPlaces = 60;
constexpr int kEmptyPlace = 63;

Instruction random_instruction(cosim::Random& random, int lanes) {
  const auto byte = [&](std::uint32_t below) {
    return static_cast<std::uint8_t>(random.below(below));
  };
  const auto source = [&]() -> std::uint8_t {
    switch (random.below(4)) {
      case 0:
        return static_cast<std::uint8_t>(kernels::kSourceConstants +
                                         byte(kernels::kVectorConstants));
      case 1:
        return static_cast<std::uint8_t>(kernels::kSourceStream + byte(8));
      default:
        return byte(kernels::kVectorRegisters);
    }
  };
  Instruction code{.operation = static_cast<VectorOperation>(byte(kernels::kVectorOperations)),
                   .a = source(),
                   .b = source(),
                   .c = source(),
                   .target = byte(kernels::kVectorRegisters),
                   .writes = random.below(8) != 0,
                   .out = static_cast<std::uint8_t>(random.below(4) == 0 ? byte(5) : 0),
                   .in = byte(4),
                   .negate_product = random.below(2) == 0,
                   .negate_addend = random.below(2) == 0};
  do {
    code.mode = byte(8);
    code.exchange = random.below(4) == 0 ? byte(16) : std::uint8_t{0};
  } while (!vector::is_legal(code.encode(), lanes));
  return code;
}

}  // namespace

std::uint64_t ProgramWriter::place(std::span<const std::byte> bytes) {
  const std::uint64_t address = code_.base + random_.below(8);
  if (address + bytes.size() > code_.end()) return 0;
  placed_.push_back({.address = address, .bytes = {bytes.begin(), bytes.end()}});
  code_.size = code_.end() - (address + bytes.size());
  code_.base = address + bytes.size();
  return address;
}

/// Commands that bring instructions to `place`; false if memory for them is full.
bool ProgramWriter::bring(std::span<const Instruction> code, int place, Commands& commands) {
  std::vector<std::uint64_t> words;
  for (const Instruction& line : code) words.push_back(line.encode());
  const std::uint64_t address = this->place(std::as_bytes(std::span(words)));
  if (address == 0) return false;
  commands.push_back(
      device::encode(device::VectorProgram{.address = address,
                                           .place = static_cast<std::uint8_t>(place),
                                           .count = static_cast<std::uint8_t>(code.size())}));
  return true;
}

/// Constants and registers hold anything after power-on or a fault, so a program sets them first.
bool ProgramWriter::prepare_vectors(Commands& commands) {
  std::vector<std::uint32_t> constants(kernels::kVectorConstants);
  for (std::uint32_t& constant : constants) constant = random_.bits32();
  const std::uint64_t address = place(std::as_bytes(std::span(constants)));
  if (address == 0) return false;
  commands.push_back(device::encode(device::VectorProgram{
      .address = address, .constants = true, .count = kernels::kVectorConstants}));
  std::vector<Instruction> clear;
  for (std::uint8_t i = 0; i < kernels::kVectorRegisters; ++i) {
    clear.push_back({.operation = VectorOperation::kXor,
                     .a = kernels::kSourceElement,
                     .target = i,
                     .writes = true});
  }
  if (!bring(clear, 0, commands)) return false;
  commands.push_back(device::encode(
      device::VectorRun{.last = kernels::kVectorRegisters - 1, .words = vector::kSlots}));
  return true;
}

/// A tensor of so many words that overlaps no other of the step's outputs, and for an output, none
/// of its inputs; none if there is no room.
std::optional<ProgramWriter::Tensor> ProgramWriter::random_tensor(int words, bool writes,
                                                                  std::span<const Tensor> others) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    int rows = 1 + static_cast<int>(random_.below(static_cast<std::uint32_t>(words)));
    while (words % rows != 0) --rows;
    const int cols = words / rows * size_ - static_cast<int>(random_.below(size_));
    VectorStream stream{
        .rows = static_cast<std::uint16_t>(rows),
        .cols = static_cast<std::uint16_t>(cols),
        .writes = writes,
        .format = static_cast<device::VectorStreamFormat>(random_.below(writes ? 4 : 3))};
    stream.broadcasts = !writes && chance(40);
    const std::uint64_t row_bytes = (stream.broadcasts ? 1U : stream.cols) *
                                    static_cast<std::uint64_t>(streamed_bytes(stream.format));
    stream.row_stride = static_cast<std::uint32_t>(row_bytes + random_.below(40));
    if (!writes && chance(40)) stream.row_stride = 0;
    Tensor tensor{.stream = stream,
                  .extent = static_cast<std::uint64_t>(rows - 1) * stream.row_stride + row_bytes};
    if (tensor.extent > layout_.outputs.size) continue;
    tensor.stream.address = pick_address(tensor.extent, writes);
    const bool is_free = std::ranges::none_of(others, [&](const Tensor& other) {
      return (writes || other.stream.writes) && tensor.stream.address < other.end() &&
             other.stream.address < tensor.end();
    });
    if (is_free) return tensor;
  }
  return std::nullopt;
}

/// One instruction takes the words that come, one sends those that go, and no other does.
void ProgramWriter::add_meeting_code(const Meeting& meeting, std::vector<Instruction>& code) {
  constexpr std::uint8_t kNumber = 3;
  for (Instruction& line : code) {
    if (line.in == kNumber) line.in = 0;
    if (line.out == kNumber + 1) line.out = 0;
  }
  const auto anywhere = [&] {
    return code.begin() + random_.between(0, static_cast<int>(code.size()));
  };
  const auto some = [&] {
    return static_cast<std::uint8_t>(random_.below(kernels::kVectorRegisters));
  };
  if (meeting.from != device::VectorStreamEnd::kMemory) {
    code.insert(anywhere(), {.operation = VectorOperation::kFma,
                             .a = kernels::kSourceStream,
                             .b = some(),
                             .c = some(),
                             .target = some(),
                             .writes = true,
                             .in = kNumber});
  }
  if (meeting.to != device::VectorStreamEnd::kMemory) {
    code.insert(anywhere(), {.operation = VectorOperation::kXor,
                             .a = some(),
                             .b = some(),
                             .c = kernels::kSourceElement,
                             .out = kNumber + 1});
  }
}

/// A tensor of any shape of so many words.
VectorStream ProgramWriter::link_stream(const Meeting& meeting, bool writes) {
  int rows = random_.between(1, meeting.words);
  while (meeting.words % rows != 0) --rows;
  const int cols = meeting.words / rows * size_ - static_cast<int>(random_.below(size_));
  return {.rows = static_cast<std::uint16_t>(rows),
          .cols = static_cast<std::uint16_t>(cols),
          .number = 3,
          .writes = writes,
          .format = device::VectorStreamFormat::kWord,
          .end = writes ? meeting.to : meeting.from};
}

bool ProgramWriter::add_vectors(const Meeting& meeting) {
  const bool comes = meeting.from != device::VectorStreamEnd::kMemory;
  const bool goes = meeting.to != device::VectorStreamEnd::kMemory;
  Commands commands;
  if (!vectors_prepared_ && !prepare_vectors(commands)) return false;
  std::vector<Instruction> code(1 + random_.below(8));
  for (Instruction& line : code) line = random_instruction(random_, size_);
  if (comes || goes) add_meeting_code(meeting, code);
  // An output that ends the micro-program: it says that the inputs have been read, too.
  const int last_output = random_.between(0, goes ? 2 : 3);
  code.push_back({.operation = VectorOperation::kXor,
                  .a = static_cast<std::uint8_t>(random_.below(kernels::kVectorRegisters)),
                  .out = static_cast<std::uint8_t>(last_output + 1)});
  const int place = random_.between(0, kPlaces - static_cast<int>(code.size()));
  if (!bring(code, place, commands)) return false;

  const int words = meeting.words != 0 ? meeting.words : small(24);
  std::array<int, 4> taken{}, sent{};
  for (const Instruction& line : code) {
    if (vector::takes_word(line)) taken[line.in] += words;
    if (line.out != 0) sent[line.out - 1U] += words;
  }
  if (comes) taken[3] = 0;
  if (goes) sent[3] = 0;
  std::vector<Tensor> tensors;
  const auto add_tensor = [&](int number, int count, bool writes) {
    auto tensor = random_tensor(count, writes, tensors);
    if (tensor) tensor->stream.number = static_cast<std::uint8_t>(number);
    if (tensor) tensors.push_back(*tensor);
    return tensor.has_value();
  };
  for (int i = 0; i < 4; ++i) {
    if (taken[static_cast<std::size_t>(i)] != 0 &&
        !add_tensor(i, taken[static_cast<std::size_t>(i)], false)) {
      return false;
    }
  }
  const std::size_t inputs = tensors.size();
  for (int i = 1; i <= 4; ++i) {
    const int number = (last_output + i) % 4;
    const int count = sent[static_cast<std::size_t>(number)];
    if (count == 0) continue;
    // The last output may overwrite an input that is read word by word before.
    const auto in_place = std::ranges::find_if(tensors, [&](const Tensor& tensor) {
      const VectorStream& input = tensor.stream;
      return number == last_output && count == words && !input.writes && !input.broadcasts &&
             taken[input.number] == words && input.row_stride != 0 &&
             input.address >= layout_.outputs.base && tensor.end() <= layout_.outputs.end();
    });
    const bool overwrites =
        in_place != tensors.end() && chance(128) && is_alone(*in_place, tensors);
    if (overwrites) {
      Tensor output = *in_place;
      output.stream.writes = true;
      output.stream.number = static_cast<std::uint8_t>(number);
      tensors.push_back(output);
    } else if (!add_tensor(number, count, true)) {
      return false;
    }
  }
  if (comes) commands.push_back(device::encode(link_stream(meeting, false)));
  if (goes) commands.push_back(device::encode(link_stream(meeting, true)));
  order_vectors(commands, tensors,
                {.first = static_cast<std::uint8_t>(place),
                 .last = static_cast<std::uint8_t>(place + static_cast<int>(code.size()) - 1),
                 .words = static_cast<std::uint16_t>(words),
                 .first_word = random_.bits32(),
                 .words_a_row = 1 + random_.below(9)});
  vectors_prepared_ = true;
  return true;
}

/// Whether no other tensor overlaps this one.
bool ProgramWriter::is_alone(const Tensor& tensor, std::span<const Tensor> tensors) {
  return std::ranges::count_if(tensors, [&](const Tensor& other) {
           return tensor.stream.address < other.end() && other.stream.address < tensor.end();
         }) == 1;
}

/// Adds a step's commands: the run comes anywhere before the last output.
void ProgramWriter::order_vectors(Commands commands, std::span<const Tensor> tensors,
                                  const device::VectorRun& run) {
  Needs needs = kNoNeeds;
  bool waits = chance(30);
  for (const Tensor& tensor : tensors) {
    memory_needs(tensor.stream.address, tensor.extent, needs);
    each_chunk(tensor.stream.address, tensor.extent,
               [&](std::size_t chunk) { waits = waits || vector_writes_[chunk]; });
  }
  if (waits) vector_writes_.assign(vector_writes_.size(), false);
  const std::size_t programs = commands.size();
  for (const Tensor& tensor : tensors) commands.push_back(device::encode(tensor.stream));
  const auto at =
      random_.between(static_cast<int>(programs), static_cast<int>(commands.size()) - 1);
  commands.insert(commands.begin() + at, device::encode(run));
  if (waits) device::add_tokens(commands.front(), {.wait = device::kVectorEngine});
  const int command = planner_.add(kVector, commands, needs);
  for (const Tensor& tensor : tensors) {
    use_memory(tensor.stream.address, tensor.extent, kVector, command);
    if (!tensor.stream.writes) continue;
    each_chunk(tensor.stream.address, tensor.extent,
               [&](std::size_t chunk) { vector_writes_[chunk] = true; });
  }
}

void ProgramWriter::add_illegal_vectors() {
  Commands commands;
  if (chance(128)) {
    planner_.add(device::encode(device::VectorRun{.first = kEmptyPlace, .last = kEmptyPlace}));
    return;
  }
  std::uint64_t code = 0;
  do {
    code = random_instruction(random_, size_).encode() ^ std::uint64_t{1} << random_.below(64);
  } while (vector::is_legal(code, size_));
  const std::uint64_t address = place(std::as_bytes(std::span(&code, 1)));
  planner_.add(device::encode(device::VectorProgram{.address = address}));
}

void ProgramWriter::add_failing_input(std::uint64_t address) {
  if (chance(60)) {
    planner_.add(device::encode(device::VectorProgram{.address = address, .count = 9}));
    return;
  }
  planner_.add(device::encode(
      VectorStream{.address = address,
                   .row_stride = 64 + random_.below(200),
                   .rows = static_cast<std::uint16_t>(small(3)),
                   .cols = static_cast<std::uint16_t>(64 + random_.below(64)),
                   .number = static_cast<std::uint8_t>(random_.below(4)),
                   .format = static_cast<device::VectorStreamFormat>(random_.below(3))}));
}

void ProgramWriter::add_failing_output(const Block& block) {
  Commands commands;
  const Instruction code{.operation = VectorOperation::kOr, .out = 1};
  if (!bring({&code, 1}, 0, commands)) return;
  const int words = small(20);
  commands.push_back(device::encode(device::VectorRun{.words = static_cast<std::uint16_t>(words)}));
  commands.push_back(device::encode(VectorStream{.address = block.base,
                                                 .rows = 1,
                                                 .cols = static_cast<std::uint16_t>(words * size_),
                                                 .writes = true,
                                                 .format = device::VectorStreamFormat::kWord}));
  for (const auto& command : commands) planner_.add(command);
}

/// A stream from or to a neighbour that the device does not have.
void ProgramWriter::add_lone_stream() {
  Commands commands;
  const bool writes = chance(128);
  const int words = small(20);
  if (writes) {
    const Instruction code{.operation = VectorOperation::kOr, .out = 4};
    if (!bring({&code, 1}, 0, commands)) return;
    commands.push_back(
        device::encode(device::VectorRun{.words = static_cast<std::uint16_t>(words)}));
  }
  commands.push_back(device::encode(VectorStream{
      .rows = static_cast<std::uint16_t>(words),
      .cols = static_cast<std::uint16_t>(small(size_)),
      .number = 3,
      .writes = writes,
      .format = device::VectorStreamFormat::kWord,
      .end = chance(128) ? device::VectorStreamEnd::kUp : device::VectorStreamEnd::kDown}));
  for (const auto& command : commands) planner_.add(command);
}

/// A run of two words whose stream has one, or a stream that no run takes. Later runs get words
/// that are not theirs, and the last waits for ever, or the last words do.
void ProgramWriter::add_starving_run() {
  Commands commands;
  if (chance(128)) {
    planner_.add(
        device::encode(VectorStream{.address = layout_.inputs.base,
                                    .rows = static_cast<std::uint16_t>(small(3)),
                                    .number = static_cast<std::uint8_t>(random_.below(4))}));
    return;
  }
  const Instruction code{.operation = VectorOperation::kOr, .a = kernels::kSourceStream};
  if (!bring({&code, 1}, 0, commands)) return;
  commands.push_back(device::encode(device::VectorRun{.words = 2}));
  commands.push_back(device::encode(VectorStream{.address = layout_.inputs.base}));
  for (const auto& command : commands) planner_.add(command);
}

}  // namespace systole::verify
