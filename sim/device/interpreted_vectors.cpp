#include "sim/device/interpreted_vectors.h"

#include <algorithm>
#include <cstring>

#include "host/device/element_size.h"
#include "sim/device/stream_elements.h"

namespace systole {
namespace {

using device::FaultCode;
using Format = device::VectorStreamFormat;

std::size_t element_bytes(Format format) {
  return static_cast<std::size_t>(streamed_bytes(format));
}

}  // namespace

InterpretedVectors::InterpretedVectors(int lanes, const WindowedMemory& memory)
    : lanes_(static_cast<std::size_t>(lanes)),
      memory_(&memory),
      unit_(lanes),
      constants_(kernels::kVectorConstants) {}

void InterpretedVectors::reset() {
  loaded_ = 0;
  runs_.clear();
  for (auto& words : in_) words.clear();
  for (auto& words : out_) words.clear();
  for (auto& outputs : outputs_) outputs.clear();
}

ProgramFault InterpretedVectors::load(const device::VectorProgram& command, std::uint32_t index) {
  const std::size_t each = command.constants ? 4 : 8;
  bytes_.resize(command.count * each);
  ProgramFault fault = memory_->read(command.address, bytes_);
  fault.command = index;
  if (fault.code != FaultCode::kNone) return fault;
  for (std::size_t i = 0; i < command.count; ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, &bytes_[i * each], each);
    if (command.constants) {
      constants_[command.place + i] = static_cast<std::uint32_t>(value);
      continue;
    }
    if (!vector::is_legal(value, static_cast<int>(lanes_))) {
      return {FaultCode::kIllegalCommand, index, command.address + i * each};
    }
    code_[command.place + i] = vector::Instruction::decode(value);
    loaded_ |= std::uint64_t{1} << (command.place + i);
  }
  return {};
}

ProgramFault InterpretedVectors::start(const device::VectorStream& stream, std::uint32_t index) {
  ProgramFault fault;
  if (stream.writes) {
    outputs_[stream.number].push_back({.stream = stream, .index = index});
    return write_out(stream.number);
  }
  fault = read(stream);
  fault.command = index;
  return fault.code == FaultCode::kNone ? proceed() : fault;
}

InterpretedLink* InterpretedVectors::link_of(const device::VectorStream& stream) const {
  const bool is_up = stream.end == device::VectorStreamEnd::kUp;
  if (stream.writes) return is_up ? links_.up_out : links_.down_out;
  return is_up ? links_.up_in : links_.down_in;
}

bool InterpretedVectors::waits_for_neighbour(const device::VectorStream& stream) const {
  if (stream.end == device::VectorStreamEnd::kMemory || stream.writes) return false;
  const InterpretedLink* link = link_of(stream);
  return link != nullptr && link->empty();
}

ProgramFault InterpretedVectors::receive(const device::VectorStream& stream) {
  InterpretedLink* link = link_of(stream);
  if (link == nullptr || link->empty()) return {FaultCode::kLinkStall, 0, 0};
  const std::size_t words = stream.rows * ((stream.cols + lanes_ - 1) / lanes_);
  const std::vector<std::uint32_t>& lanes = link->front();
  if (lanes.size() != words * lanes_) return {FaultCode::kLinkLength, 0, 0};
  auto& waiting = in_[stream.number];
  waiting.insert(waiting.end(), lanes.begin(), lanes.end());
  link->pop_front();
  return {};
}

ProgramFault InterpretedVectors::send_word(Output& output, std::span<const std::uint32_t> word) {
  InterpretedLink* link = link_of(output.stream);
  if (link == nullptr) return {FaultCode::kLinkStall, 0, 0};
  output.sent.insert(output.sent.end(), word.begin(), word.end());
  if (output.row == output.stream.rows) link->push_back(std::move(output.sent));
  return {};
}

ProgramFault InterpretedVectors::read(const device::VectorStream& stream) {
  if (stream.end != device::VectorStreamEnd::kMemory) return receive(stream);
  const std::size_t each = element_bytes(stream.format);
  const std::size_t words = (stream.cols + lanes_ - 1) / lanes_;
  auto& waiting = in_[stream.number];
  bytes_.resize((stream.broadcasts ? 1 : stream.cols) * each);
  for (std::uint64_t row = 0; row < stream.rows; ++row) {
    const ProgramFault fault = memory_->read(stream.address + row * stream.row_stride, bytes_);
    if (fault.code != FaultCode::kNone) return fault;
    const std::size_t first = waiting.size();
    waiting.resize(first + words * lanes_, 0);
    if (stream.broadcasts) {
      std::uint32_t lane = 0;
      to_lanes(stream.format, bytes_.data(), 1, &lane);
      std::fill(waiting.begin() + static_cast<std::ptrdiff_t>(first), waiting.end(), lane);
      continue;
    }
    to_lanes(stream.format, bytes_.data(), stream.cols, &waiting[first]);
  }
  return {};
}

ProgramFault InterpretedVectors::run(const device::VectorRun& command, std::uint32_t index) {
  for (unsigned i = command.first; i <= command.last; ++i) {
    if ((loaded_ >> i & 1) == 0) return {FaultCode::kIllegalCommand, index, 0};
  }
  runs_.push_back(command);
  return proceed();
}

ProgramFault InterpretedVectors::proceed() {
  while (!runs_.empty() && has_words_for(runs_.front())) {
    execute(runs_.front());
    runs_.pop_front();
    for (unsigned number = 0; number < 4; ++number) {
      const ProgramFault fault = write_out(number);
      if (fault.code != FaultCode::kNone) return fault;
    }
  }
  return {};
}

std::array<std::size_t, 4> InterpretedVectors::words_taken_by(
    const device::VectorRun& command) const {
  std::array<std::size_t, 4> words{};
  for (unsigned i = command.first; i <= command.last; ++i) {
    if (vector::takes_word(code_[i])) words[code_[i].in] += command.words;
  }
  return words;
}

bool InterpretedVectors::has_words_for(const device::VectorRun& command) const {
  const auto words = words_taken_by(command);
  for (unsigned i = 0; i < 4; ++i) {
    if (in_[i].size() < words[i] * lanes_) return false;
  }
  return true;
}

void InterpretedVectors::execute(const device::VectorRun& command) {
  const vector::Program program{
      .code = {code_.begin() + command.first, code_.begin() + command.last + 1},
      .constants = constants_};
  vector::Interpreter::Streams streams;
  for (unsigned i = 0; i < 4; ++i) streams.in[i] = in_[i];
  streams.out.swap(out_);
  unit_.run(program,
            {.words = command.words,
             .words_a_row = command.words_a_row,
             .first_element = command.first_word * static_cast<std::uint32_t>(lanes_)},
            streams);
  out_.swap(streams.out);
  const auto words = words_taken_by(command);
  for (unsigned i = 0; i < 4; ++i) {
    in_[i].erase(in_[i].begin(), in_[i].begin() + static_cast<std::ptrdiff_t>(words[i] * lanes_));
  }
}

ProgramFault InterpretedVectors::write_out(unsigned number) {
  auto& words = out_[number];
  auto& outputs = outputs_[number];
  std::size_t written = 0;
  ProgramFault fault;
  while (written < words.size() && !outputs.empty() && fault.code == FaultCode::kNone) {
    Output& output = outputs.front();
    fault = write_word(output, std::span(words).subspan(written, lanes_));
    fault.command = fault.code == FaultCode::kNone ? 0 : output.index;
    written += lanes_;
    if (output.row == output.stream.rows) outputs.pop_front();
  }
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(written));
  return fault;
}

ProgramFault InterpretedVectors::write_word(Output& output, std::span<const std::uint32_t> word) {
  const device::VectorStream& stream = output.stream;
  const std::size_t each = element_bytes(stream.format);
  const std::size_t count = std::min<std::size_t>(lanes_, stream.cols - output.column);
  bytes_.resize(count * each);
  from_lanes(stream.format, word.data(), count, bytes_.data());
  const std::uint64_t address =
      stream.address + std::uint64_t{output.row} * stream.row_stride + output.column * each;
  output.column += static_cast<std::uint32_t>(count);
  if (output.column == stream.cols) {
    output.column = 0;
    ++output.row;
  }
  if (stream.end != device::VectorStreamEnd::kMemory) return send_word(output, word);
  return memory_->write(address, bytes_);
}

}  // namespace systole
