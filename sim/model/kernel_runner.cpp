#include "sim/model/kernel_runner.h"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "host/device/element_size.h"
#include "sim/device/stream_elements.h"
#include "systole/support/ceil_div.h"

namespace systole {
namespace {

using Format = device::VectorStreamFormat;

/// Elements that a thread reads, computes and writes before the next: they stay in its cache.
constexpr std::uint32_t kPartElements = 4096;
/// Instructions times elements that are worth waking a team of threads.
constexpr std::uint64_t kWorthThreads = 1 << 18;

std::size_t bytes_of(Format format) { return static_cast<std::size_t>(streamed_bytes(format)); }
std::size_t bytes_of(const device::VectorProgram& command) { return command.constants ? 4 : 8; }

std::uint64_t span_bytes(const device::VectorStream& stream) {
  const std::uint64_t row = (stream.broadcasts ? 1 : stream.cols) * bytes_of(stream.format);
  return (stream.rows - std::uint64_t{1}) * stream.row_stride + row;
}

bool is_link(const device::VectorStream& stream) {
  return stream.end != device::VectorStreamEnd::kMemory;
}

}  // namespace

KernelRunner::KernelRunner(int lanes, int threads, ProgramMemory& memory)
    : lanes_(static_cast<std::size_t>(lanes)),
      memory_(&memory),
      constants_(kernels::kVectorConstants) {
  for (int i = 0; i < threads; ++i) workers_.emplace_back(lanes);
}

bool KernelRunner::can_run(std::span<const device::CommandWord> commands) const {
  return std::ranges::all_of(commands, [&](const device::CommandWord& command) {
    std::uint64_t address = 0, bytes = 0;
    if (device::opcode_of(command) == device::Opcode::kVectorProgram) {
      const device::VectorProgram program = device::decode_vector_program(command);
      address = program.address;
      bytes = program.count * bytes_of(program);
    } else if (device::opcode_of(command) == device::Opcode::kVectorStream) {
      const device::VectorStream stream = device::decode_vector_stream(command);
      if (is_link(stream)) return true;
      address = stream.address;
      bytes = span_bytes(stream);
    }
    return bytes == 0 || memory_->locate(address, static_cast<std::int64_t>(bytes)) != nullptr;
  });
}

bool KernelRunner::has_words_of_neighbours(std::span<const device::CommandWord> commands) const {
  std::size_t from_above = 0, from_below = 0;
  return std::ranges::all_of(commands, [&](const device::CommandWord& command) {
    if (device::opcode_of(command) != device::Opcode::kVectorStream) return true;
    const device::VectorStream stream = device::decode_vector_stream(command);
    if (!is_link(stream) || stream.writes) return true;
    const bool is_up = stream.end == device::VectorStreamEnd::kUp;
    const InterpretedLink* link = is_up ? links_.up_in : links_.down_in;
    const std::size_t place = (is_up ? from_above : from_below)++;
    return link != nullptr && place < link->size() && (*link)[place].size() == lanes_of(stream);
  });
}

void KernelRunner::run(std::span<const device::CommandWord> commands) {
  for (Port& port : in_) port = {};
  for (Port& port : out_) port = {};
  received_.clear();
  sent_.clear();
  for (const device::CommandWord& command : commands) {
    if (device::opcode_of(command) == device::Opcode::kVectorStream) {
      add(device::decode_vector_stream(command));
    }
  }
  for (const device::CommandWord& command : commands) {
    switch (device::opcode_of(command)) {
      case device::Opcode::kVectorProgram:
        load(device::decode_vector_program(command));
        break;
      case device::Opcode::kVectorStream:
        break;
      case device::Opcode::kVectorRun:
        run(device::decode_vector_run(command));
        break;
      default:
        throw std::invalid_argument("a kernel has a command that is not the vector engine's");
    }
  }
  for (Sent& sent : sent_) sent.link->push_back(std::move(sent.lanes));
}

std::size_t KernelRunner::lanes_of(const device::VectorStream& stream) const {
  return stream.rows * ((stream.cols + lanes_ - 1) / lanes_) * lanes_;
}

/// The words that a link's stream brings, or a place for those that it takes: as in memory, rows
/// without padding.
std::byte* KernelRunner::words_of_link(const device::VectorStream& stream) {
  const bool is_up = stream.end == device::VectorStreamEnd::kUp;
  const std::size_t lanes = lanes_of(stream);
  if (stream.writes) {
    InterpretedLink* link = is_up ? links_.up_out : links_.down_out;
    if (link == nullptr) throw std::invalid_argument("a kernel sends to no neighbour");
    sent_.push_back({.link = link, .lanes = std::vector<std::uint32_t>(lanes)});
    return reinterpret_cast<std::byte*>(sent_.back().lanes.data());
  }
  InterpretedLink* link = is_up ? links_.up_in : links_.down_in;
  if (link == nullptr || link->empty() || link->front().size() != lanes) {
    throw std::invalid_argument("a kernel takes words that its neighbour has not sent");
  }
  received_.push_back(std::move(link->front()));
  link->pop_front();
  return reinterpret_cast<std::byte*>(received_.back().data());
}

void KernelRunner::add(const device::VectorStream& stream) {
  Port& port = (stream.writes ? out_ : in_)[stream.number];
  const std::size_t first =
      port.pieces.empty() ? 0 : port.pieces.back().first + port.pieces.back().words;
  const std::size_t words = (stream.cols + lanes_ - 1) / lanes_;
  if (is_link(stream)) {
    const std::size_t all = words * stream.rows;
    port.pieces.push_back({.format = Format::kWord,
                           .memory = words_of_link(stream),
                           .first = first,
                           .words = all,
                           .words_a_row = all,
                           .elements_a_row = all * lanes_});
    return;
  }
  const auto bytes = static_cast<std::int64_t>(span_bytes(stream));
  const std::size_t row_bytes = stream.cols * bytes_of(stream.format);
  port.overlaps = port.overlaps || (stream.rows > 1 && stream.row_stride < row_bytes);
  const bool is_one_row = !stream.broadcasts && stream.cols % lanes_ == 0 &&
                          (stream.rows == 1 || stream.row_stride == row_bytes);
  const std::size_t rows = is_one_row ? stream.rows : 1;
  port.pieces.push_back({.format = stream.format,
                         .broadcasts = stream.broadcasts,
                         .memory = memory_->locate(stream.address, bytes),
                         .first = first,
                         .words = words * stream.rows,
                         .words_a_row = words * rows,
                         .elements_a_row = stream.cols * rows,
                         .row_stride = stream.row_stride});
}

std::uint32_t* KernelRunner::Piece::lanes_at(std::size_t word, std::size_t count,
                                             std::size_t lanes) const {
  const bool is_dense = format == Format::kWord && !broadcasts && words_a_row == words &&
                        elements_a_row == words * lanes &&
                        reinterpret_cast<std::uintptr_t>(memory) % sizeof(std::uint32_t) == 0;
  if (!is_dense || word + count > first + words) return nullptr;
  return reinterpret_cast<std::uint32_t*>(memory) + (word - first) * lanes;
}

void KernelRunner::Port::need(std::size_t words) const {
  const std::size_t end = pieces.empty() ? 0 : pieces.back().first + pieces.back().words;
  if (next + words > end)
    throw std::invalid_argument("a kernel's run has more words than its streams");
}

void KernelRunner::load(const device::VectorProgram& command) {
  const std::size_t each = bytes_of(command);
  const std::byte* from =
      memory_->locate(command.address, static_cast<std::int64_t>(command.count * each));
  for (std::size_t i = 0; i < command.count; ++i, from += each) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, each);
    if (command.constants) {
      constants_[command.place + i] = static_cast<std::uint32_t>(word);
    } else {
      code_[command.place + i] = vector::Instruction::decode(word);
    }
  }
}

void KernelRunner::run(const device::VectorRun& command) {
  const vector::Program program{
      .code = {code_.begin() + command.first, code_.begin() + command.last + 1},
      .constants = constants_};
  const auto lanes = static_cast<std::uint32_t>(lanes_);
  const std::uint32_t part = std::max(kPartElements / lanes / vector::kSlots, 1U) * vector::kSlots;
  const auto parts = ceil_div(command.words, part);
  const std::uint64_t work = std::uint64_t{command.words} * lanes * program.code.size();
  const bool shared = workers_.size() > 1 && parts > 1 && work > kWorthThreads &&
                      vector::has_independent_groups(program) &&
                      std::ranges::none_of(out_, &Port::overlaps);
  const vector::Flow flow(program);
  for (std::size_t i = 0; i < 4; ++i) {
    in_[i].need(flow.in[i] * command.words);
    out_[i].need(flow.out[i] * command.words);
  }
  const auto run_one = [&](Worker& worker, std::int64_t number) {
    const auto first = static_cast<std::uint32_t>(number) * part;
    run_part(worker, program, flow, command, first, std::min(part, command.words - first));
  };
  if (shared) {
    for (Worker& worker : workers_) {
      if (&worker != &workers_.front()) worker.unit.copy_registers(workers_.front().unit);
    }
    const int threads = static_cast<int>(workers_.size());
    const std::int64_t last = parts - 1;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t i = 0; i < last; ++i) {
      run_one(workers_[static_cast<std::size_t>(omp_get_thread_num())], i);
    }
    run_one(workers_.front(), last);  // its registers survive
  } else {
    for (std::int64_t i = 0; i < parts; ++i) run_one(workers_.front(), i);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    in_[i].next += flow.in[i] * command.words;
    out_[i].next += flow.out[i] * command.words;
  }
}

void KernelRunner::run_part(Worker& worker, const vector::Program& program,
                            const vector::Flow& flow, const device::VectorRun& command,
                            std::uint32_t first, std::uint32_t words) const {
  vector::Interpreter::Places places;
  for (std::size_t i = 0; i < 4; ++i) {
    if (flow.in[i] == 0) continue;
    places.in[i] = read(in_[i], in_[i].next + flow.in[i] * first, flow.in[i] * words, worker.in[i]);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    if (flow.out[i] == 0) continue;
    const std::size_t count = flow.out[i] * words;
    std::uint32_t* to = place(i, out_[i].next + flow.out[i] * first, count, flow, places);
    if (to == nullptr) {
      worker.out[i].resize(std::max(worker.out[i].size(), count * lanes_));
      to = worker.out[i].data();
    }
    places.out[i] = {to, count * lanes_};
  }
  worker.unit.run(program,
                  {.words = words,
                   .words_a_row = command.words_a_row,
                   .first_element = command.first_word * static_cast<std::uint32_t>(lanes_),
                   .first_word = first},
                  places);
  for (std::size_t i = 0; i < 4; ++i) {
    if (flow.out[i] == 0 || places.out[i].data() != worker.out[i].data()) continue;
    write(out_[i], out_[i].next + flow.out[i] * first, places.out[i]);
  }
}

namespace {

/// The piece that has the word.
template <typename Pieces>
auto piece_of(const Pieces& pieces, std::size_t word) {
  return std::prev(
      std::ranges::upper_bound(pieces, word, {}, [](const auto& piece) { return piece.first; }));
}

}  // namespace

/// The place in memory of the words that a program sends, if they lie there as the lanes have them
/// and each input that is read there is taken before its element is sent.
std::uint32_t* KernelRunner::place(std::size_t number, std::size_t word, std::size_t count,
                                   const vector::Flow& flow,
                                   const vector::Interpreter::Places& places) const {
  std::uint32_t* lanes = piece_of(out_[number].pieces, word)->lanes_at(word, count, lanes_);
  for (std::size_t i = 0; i < 4 && lanes != nullptr; ++i) {
    const std::span<const std::uint32_t> in = places.in[i];
    if (in.data() >= lanes + count * lanes_ || lanes >= in.data() + in.size()) continue;
    const bool is_before = in.data() == lanes && flow.in[i] == 1 && flow.out[number] == 1 &&
                           flow.last_taken[i] <= flow.first_sent[number];
    if (!is_before) return nullptr;
  }
  return lanes;
}

std::span<const std::uint32_t> KernelRunner::read(const Port& port, std::size_t word,
                                                  std::size_t count,
                                                  std::vector<std::uint32_t>& buffer) const {
  auto piece = piece_of(port.pieces, word);
  if (const std::uint32_t* lanes = piece->lanes_at(word, count, lanes_)) {
    return {lanes, count * lanes_};
  }
  buffer.resize(count * lanes_);
  std::uint32_t* to = buffer.data();
  while (count > 0) {
    if (word == piece->first + piece->words) piece = piece_of(port.pieces, word);
    const std::size_t row = (word - piece->first) / piece->words_a_row;
    const std::size_t place = (word - piece->first) % piece->words_a_row;
    const std::size_t words = std::min(count, piece->words_a_row - place);
    const std::byte* from = piece->memory + row * piece->row_stride;
    if (piece->broadcasts) {
      std::uint32_t lane = 0;
      to_lanes(piece->format, from, 1, &lane);
      std::fill_n(to, words * lanes_, lane);
    } else {
      const std::size_t first = place * lanes_;
      const std::size_t elements = std::min(words * lanes_, piece->elements_a_row - first);
      to_lanes(piece->format, from + first * bytes_of(piece->format), elements, to);
      std::fill(to + elements, to + words * lanes_, 0U);
    }
    to += words * lanes_;
    word += words;
    count -= words;
  }
  return buffer;
}

void KernelRunner::write(const Port& port, std::size_t word,
                         std::span<const std::uint32_t> lanes) const {
  auto piece = piece_of(port.pieces, word);
  std::size_t count = lanes.size() / lanes_;
  const std::uint32_t* from = lanes.data();
  while (count > 0) {
    if (word == piece->first + piece->words) piece = piece_of(port.pieces, word);
    const std::size_t row = (word - piece->first) / piece->words_a_row;
    const std::size_t first = (word - piece->first) % piece->words_a_row * lanes_;
    const std::size_t words = std::min(count, piece->words_a_row - first / lanes_);
    from_lanes(piece->format, from, std::min(words * lanes_, piece->elements_a_row - first),
               piece->memory + row * piece->row_stride + first * bytes_of(piece->format));
    from += words * lanes_;
    word += words;
    count -= words;
  }
}

std::vector<MemoryRange> written_by(std::span<const device::CommandWord> kernel) {
  std::vector<MemoryRange> ranges;
  for (const device::CommandWord& command : kernel) {
    if (device::opcode_of(command) != device::Opcode::kVectorStream) continue;
    const device::VectorStream stream = device::decode_vector_stream(command);
    if (!stream.writes || is_link(stream)) continue;
    ranges.push_back({stream.address, static_cast<std::int64_t>(span_bytes(stream))});
  }
  return ranges;
}

}  // namespace systole
