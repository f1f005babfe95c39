#include "host/lowering/kernel_commands.h"

#include <algorithm>
#include <cstring>

#include "host/lowering/memory_plan.h"
#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

constexpr std::int64_t kMostWords = 65'535, kSlots = 8;
/// Of a flat kernel: a multiple of every number of lanes.
constexpr std::int64_t kFlatCols = 8'192;

/// Rows row .. row + rows - 1 and columns col .. col + cols - 1 of a kernel, `words` words a row.
struct Piece {
  std::int64_t row = 0, rows = 1, col = 0, cols = 1, words = 1;
};

class Commands {
 public:
  Commands(const KernelCode& code, const KernelPlaces& places, int lanes)
      : code_(code), places_(places), lanes_(lanes) {}

  KernelCommands write() {
    switch (code_.walk) {
      case Walk::kFlat:
        write_flat();
        break;
      case Walk::kRows:
        write_block({.rows = code_.rows,
                     .cols = code_.cols,
                     .words = ceil_div(code_.cols, std::int64_t{lanes_})});
        break;
      case Walk::kBlocks:
        for (std::int64_t col = 0; col < code_.cols; col += code_.block_words * lanes_) {
          write_block({.rows = code_.rows,
                       .col = col,
                       .cols = std::min(code_.block_words * lanes_, code_.cols - col),
                       .words = code_.block_words});
        }
        break;
    }
    put_last_stream_last();
    return std::move(done_);
  }

 private:
  void write_flat() {
    const std::int64_t all = code_.rows * code_.cols;
    const std::int64_t rows = all / kFlatCols, rest = all % kFlatCols;
    begin(kSlots);
    const std::int64_t words = kFlatCols / lanes_;
    write_rows({.rows = rows, .cols = kFlatCols, .words = words}, kFlatCols);
    if (rest > 0) {
      write_rows(
          {.row = rows, .rows = 1, .cols = rest, .words = ceil_div(rest, std::int64_t{lanes_})},
          kFlatCols);
    }
    finish({.cols = 1, .words = 1});
  }

  void write_block(const Piece& block) {
    begin(kSlots);
    write_rows(block, code_.cols);
    finish(block);
  }

  void begin(std::int64_t words) {
    code_at_ = places_.code;
    if (load(code_.prologue)) run(code_.prologue, words, 0, 1);
    load(code_.body);
  }

  // `stride`: elements from one of the piece's rows to the next.
  void write_rows(const Piece& block, std::int64_t stride) {
    const std::int64_t most = kMostWords / block.words;
    for (std::int64_t row = 0; row < block.rows; row += most) {
      Piece piece = block;
      piece.row += row;
      piece.rows = std::min(most, block.rows - row);
      for (std::size_t i = 0; i < code_.in.size(); ++i) {
        stream(code_.in[i], i, false, piece, stride);
      }
      for (std::size_t i = 0; i < code_.out.size(); ++i) {
        stream(code_.out[i], i, true, piece, stride);
      }
      const std::int64_t first = code_.walk == Walk::kFlat ? piece.row * stride / lanes_ : 0;
      if (!code_.body.empty()) run(code_.body, piece.rows * piece.words, first, piece.words);
    }
  }

  void finish(const Piece& block) {
    if (load(code_.epilogue)) run(code_.epilogue, kSlots, 0, 1);
    if (!load(code_.finish)) return;
    const bool is_scalar = code_.finish_out.front().extent == Extent::kScalar;
    const Piece sums{.col = block.col, .cols = is_scalar ? 1 : block.cols};
    const std::int64_t words = ceil_div(sums.cols, std::int64_t{lanes_});
    for (std::size_t i = 0; i < code_.finish_in.size(); ++i) {
      stream(code_.finish_in[i], i, false, sums, 0);
    }
    for (std::size_t i = 0; i < code_.finish_out.size(); ++i) {
      stream(code_.finish_out[i], i, true, sums, 0);
    }
    run(code_.finish, words, 0, words);
  }

  bool load(const Section& section) {
    const std::uint64_t code = code_at_;
    const std::uint64_t constants = code + static_cast<std::uint64_t>(code_bytes(section));
    code_at_ = constants + static_cast<std::uint64_t>(constant_bytes(section));
    if (section.empty()) return false;
    const auto count = [](std::size_t size) { return static_cast<std::uint8_t>(size); };
    push(device::VectorProgram{.address = code, .count = count(section.program.code.size())});
    if (!section.program.constants.empty()) {
      push(device::VectorProgram{.address = constants,
                                 .constants = true,
                                 .count = count(section.program.constants.size())});
    }
    for (const Section::TableUse& use : section.table) {
      push(device::VectorProgram{.address = places_.table(use.scalar),
                                 .place = static_cast<std::uint8_t>(use.place),
                                 .constants = true,
                                 .count = 1});
    }
    return true;
  }

  void stream(const Port& port, std::size_t number, bool writes, const Piece& piece,
              std::int64_t stride) {
    const std::int64_t bytes = bytes_of(port.format);
    device::VectorStream stream{
        .rows = static_cast<std::uint16_t>(piece.rows),
        .cols = static_cast<std::uint16_t>(
            code_.walk == Walk::kBlocks && piece.words > 1 ? piece.words * lanes_ : piece.cols),
        .number = static_cast<std::uint8_t>(number),
        .writes = writes,
        .format = port.format == Format::kWord ? device::VectorStreamFormat::kWord
                                               : device::VectorStreamFormat::kBf16};
    std::int64_t element = 0, step = 0;  // the first element, and from row to row
    switch (port.extent) {
      case Extent::kFull:
        element = piece.row * stride + piece.col;
        step = stride;
        break;
      case Extent::kRow:
        element = piece.row;
        step = 1;
        stream.broadcasts = !writes;
        if (writes) stream.cols = static_cast<std::uint16_t>(piece.words * lanes_);
        break;
      case Extent::kColumn:
        element = piece.col;
        break;
      case Extent::kScalar:
        stream.broadcasts = !writes;
        break;
    }
    stream.address = places_.port(port) + static_cast<std::uint64_t>(element * bytes);
    stream.row_stride = static_cast<std::uint32_t>(step * bytes);
    if (writes) last_output_ = done_.commands.size();
    push(stream);
  }

  void run(const Section& section, std::int64_t words, std::int64_t first_word,
           std::int64_t words_a_row) {
    const auto count = static_cast<std::int64_t>(section.program.code.size());
    push(device::VectorRun{.last = static_cast<std::uint8_t>(count - 1),
                           .words = static_cast<std::uint16_t>(words),
                           .first_word = static_cast<std::uint32_t>(first_word),
                           .words_a_row = static_cast<std::uint32_t>(words_a_row)});
    done_.clocks += kSlots * ceil_div(words, kSlots) * count;
  }

  template <typename Command>
  void push(const Command& command) {
    done_.commands.push_back(device::encode(command));
  }

  void put_last_stream_last() {
    const auto last = done_.commands.begin() + static_cast<std::ptrdiff_t>(last_output_);
    std::rotate(last, last + 1, done_.commands.end());
  }

  const KernelCode& code_;
  const KernelPlaces& places_;
  int lanes_;
  std::uint64_t code_at_ = 0;
  std::size_t last_output_ = 0;
  KernelCommands done_;
};

}  // namespace

std::vector<std::byte> code_image(const KernelCode& code) {
  std::vector<std::byte> image;
  const auto append = [&](const auto& words, std::int64_t bytes) {
    const std::size_t start = image.size();
    image.resize(start + static_cast<std::size_t>(bytes));
    if (!words.empty()) std::memcpy(&image[start], words.data(), words.size() * sizeof words[0]);
  };
  for (const auto* section : {&code.prologue, &code.body, &code.epilogue, &code.finish}) {
    std::vector<std::uint64_t> instructions;
    for (const vector::Instruction& one : section->program.code)
      instructions.push_back(one.encode());
    append(instructions, code_bytes(*section));
    append(section->program.constants, constant_bytes(*section));
  }
  return image;
}

KernelCommands kernel_commands(const KernelCode& code, const KernelPlaces& places, int lanes) {
  return Commands(code, places, lanes).write();
}

}  // namespace systole::lowering
