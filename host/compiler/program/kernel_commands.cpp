#include "host/compiler/program/kernel_commands.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "hls/kernels/link.h"
#include "hls/kernels/vector/read_stream.h"
#include "host/compiler/program/memory_plan.h"
#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

constexpr std::int64_t kMostWords = 65'535;
/// Rows so many bytes apart are noted as one span of memory.
constexpr std::uint64_t kNear = 1 << 16;
/// Of a flat kernel: a multiple of every number of lanes.
constexpr std::int64_t kFlatCols = 8'192;
/// Streams of one run, at most, and about so many commands a part, which ends only between runs:
/// the ring brings them in order, so the other engines' wait while this engine's queue is full.
constexpr std::int64_t kMostOfRun = 64, kMostOfPart = 64;
/// A kernel has at most so many parts, each of at least so many clocks.
constexpr std::int64_t kMostParts = 32, kLeastClocks = 2'048;
/// About how long a word takes over a link, with the waits for neighbours: as one stream brings
/// words out of memory, and as two do.
constexpr std::int64_t kLinkClocks = 6, kFastLinkClocks = 5;
/// Of a kernel that goes through several blocks of columns: each block needs its prologue again.
constexpr std::int64_t kRowParts = 8;

device::VectorStreamFormat stream_format(Format format) {
  const std::int64_t bytes = stream_bytes(format);
  return bytes == 1   ? device::VectorStreamFormat::kInt8
         : bytes == 2 ? device::VectorStreamFormat::kBf16
                      : device::VectorStreamFormat::kWord;
}

/// Rows row .. row + rows - 1 and columns col .. col + cols - 1 of a kernel, `words` words a row.
struct Piece {
  std::int64_t row = 0, rows = 1, col = 0, cols = 1, words = 1;
};

class Commands {
 public:
  Commands(const KernelCode& code, const KernelPlaces& places, int lanes, std::int64_t bus_bytes,
           const ColumnParts& columns)
      : code_(code), places_(places), lanes_(lanes), bus_bytes_(bus_bytes), columns_(columns) {}

  std::vector<KernelPart> write() {
    if (columns_.each > 0) {
      write_columns();
      return std::move(parts_);
    }
    if (!code_.cleared.empty()) clear();
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
        write_blocks();
        break;
    }
    end_part();
    return std::move(parts_);
  }

 private:
  /// What follows overwrites some of the zeros, so it waits until they are in memory.
  void clear() {
    code_at_ = places_.code;
    load(code_.clear);
    for (const KernelCode::Cleared& port : code_.cleared) {
      each_flat_piece(port.elements, [&](const Piece& piece) {
        each_part(piece, [&](const Piece& part) {
          stream({.value = port.value, .format = port.format}, 0, true, part, kFlatCols);
          run(code_.clear, part.rows * part.words, 0, 1);
        });
      });
    }
    end_part();
  }

  template <typename Work>
  void each_flat_piece(std::int64_t all, const Work& work) const {
    const std::int64_t rows = all / kFlatCols, rest = all % kFlatCols;
    work(Piece{.rows = rows, .cols = kFlatCols, .words = kFlatCols / lanes_});
    if (rest == 0) return;
    work(Piece{.row = rows, .cols = rest, .words = ceil_div(rest, std::int64_t{lanes_})});
  }

  /// Without sums, all blocks of some rows before the next rows, for which others wait.
  void write_blocks() {
    const std::int64_t most = code_.block_words * lanes_;
    const bool goes_by_rows = code_.cols > most && code_.epilogue.empty() && group_rows() == 0;
    std::int64_t rows = goes_by_rows ? ceil_div(code_.rows, kRowParts) : code_.rows;
    if (goes_by_rows) rows = ceil_div(rows, kSlots) * kSlots;
    for (std::int64_t row = 0; row < code_.rows; row += rows) {
      for (std::int64_t col = 0; col < code_.cols; col += most) {
        write_block({.row = row,
                     .rows = std::min(rows, code_.rows - row),
                     .col = col,
                     .cols = std::min(most, code_.cols - col),
                     .words = code_.block_words});
      }
    }
  }

  /// How many clocks of the lanes a part takes.
  std::int64_t part_clocks() const {
    const std::int64_t words = code_.rows * ceil_div(code_.cols, std::int64_t{lanes_});
    return std::max(words * body_size() / kMostParts, kLeastClocks);
  }
  // Of a kernel with links, those bind, on all cores alike: its runs are theirs.
  std::int64_t body_size() const {
    if (code_.meets_neighbours()) return kernels::kLinkBeatsOfWord;
    return std::max<std::int64_t>(1, std::ssize(code_.body.program.code));
  }
  /// How many words a run takes at most: no more than a part.
  std::int64_t run_words() const { return std::min(kMostWords, part_clocks() / body_size()); }

  /// Parts of a piece, one for each run. All but the last fill all slots.
  template <typename Work>
  void each_part(const Piece& piece, const Work& work) const {
    std::int64_t most = std::max<std::int64_t>(1, run_words() / piece.words);
    if (most > kSlots) most -= most % kSlots;
    for (std::int64_t row = 0; row < piece.rows; row += most) {
      Piece part = piece;
      part.row += row;
      part.rows = std::min(most, piece.rows - row);
      work(part);
    }
  }

  void write_flat() {
    begin({});
    each_flat_piece(code_.rows * code_.cols,
                    [&](const Piece& piece) { write_rows(piece, kFlatCols); });
    finish({.cols = 1, .words = 1});
  }

  void write_columns() {
    begin({});
    const std::int64_t end = columns_.count > 0 ? columns_.first + columns_.count : code_.cols;
    for (std::int64_t col = columns_.first; col < end; col += columns_.each) {
      Piece piece{.col = col, .cols = std::min(columns_.each, end - col)};
      piece.words = ceil_div(piece.cols, std::int64_t{lanes_});
      const std::int64_t most = std::max<std::int64_t>(1, kMostWords / piece.words);
      for (piece.row = 0; piece.row < code_.rows; piece.row += most) {
        piece.rows = std::min(most, code_.rows - piece.row);
        if (code_.in_halves) {
          write_halves(piece);
        } else {
          write_streams(piece, code_.cols);
          run(code_.body, piece.rows * piece.words, 0, piece.words);
        }
      }
      end_part();
    }
  }

  // The upper half has the odd row, which comes first: the last output, the lower half's, starts
  // after the last run, so no run before that may need it.
  void write_halves(const Piece& piece) {
    Piece upper = piece, lower = piece;
    upper.rows = ceil_div(piece.rows, std::int64_t{2});
    lower.row += upper.rows;
    lower.rows -= upper.rows;
    const auto streams = [&](const std::vector<Port>& ports, bool writes) {
      for (const Port& port : ports) {
        stream(port, 0, writes, upper, code_.cols);
        if (lower.rows > 0) stream(port, 1, writes, lower, code_.cols);
      }
    };
    streams(code_.in, false);
    link(code_.link_in, false, piece);
    streams(code_.out, true);
    link(code_.link_out, true, piece);
    const std::int64_t both = lower.rows * piece.words, rest = upper.rows * piece.words - both;
    const std::int64_t size = std::ssize(code_.body.program.code) / 2;
    if (rest > 0) push_run(size, kFastLinkClocks, rest, 0, piece.words);
    if (both > 0) push_run(2 * size, 2 * kFastLinkClocks, both, 0, piece.words);
  }

  void write_block(const Piece& block) {
    begin(block);
    write_rows(block, code_.cols);
    finish(block);
  }

  void begin(const Piece& block) {
    if (last_output_) end_part();
    code_at_ = places_.code + static_cast<std::uint64_t>(bytes_of(code_.clear));
    const bool has_prologue = load(code_.prologue);
    for (std::size_t i = 0; i < code_.shared.size(); ++i) {
      Piece slots = block;
      slots.rows = kSlots / block.words;
      stream(code_.shared[i], i, false, slots, 0);
    }
    if (has_prologue) run(code_.prologue, kSlots, 0, 1);
    load(code_.body);
  }

  // `stride`: elements from one of the piece's rows to the next.
  void write_rows(const Piece& block, std::int64_t stride) {
    if (const std::int64_t group = group_rows(); group > 0)
      return write_groups(block, group, stride);
    each_part(block, [&](const Piece& piece) {
      may_end_part();
      write_streams(piece, stride);
      const std::int64_t first = code_.walk == Walk::kFlat ? piece.row * stride / lanes_ : 0;
      if (!code_.body.empty()) run(code_.body, piece.rows * piece.words, first, piece.words);
    });
  }

  /// Rows that lie in one group of each view; 0 if no view's rows lie in groups.
  std::int64_t group_rows() const {
    std::int64_t rows = 0;
    for (const auto* ports : {&code_.in, &code_.out}) {
      for (const Port& port : *ports) rows = std::gcd(rows, port.view.group_rows);
    }
    return rows;
  }

  /// Whether the words that an instruction takes at once lie in three groups or more of so many.
  static bool is_small(std::int64_t words) {
    return words < kSlots / 2 || (words < kSlots - 1 && words % 2 != 0);
  }

  // One run over the streams of many groups, which follow it: the words that an instruction takes
  // at once lie in two groups at most, so a stream's queue of one suffices. Small groups have runs
  // of their own. Commands start in order, and an output waits for the group before it, so inputs
  // come up to three groups ahead: a stream's port knows of four, two of which an instruction may
  // wait with, and it has room for 16 words.
  void write_groups(const Piece& block, std::int64_t group, std::int64_t stride) {
    const std::int64_t words = group * block.words;
    const auto streams = static_cast<std::int64_t>(code_.in.size() + code_.out.size());
    const std::int64_t groups = std::min(run_words() / words, kMostOfRun / streams);
    const std::int64_t most = is_small(words) ? 1 : std::max<std::int64_t>(1, groups);
    for (std::int64_t row = 0; row < block.rows; row += most * group) {
      const std::int64_t count = std::min(most, (block.rows - row) / group);
      const auto piece = [&](std::int64_t number) {
        Piece one = block;
        one.row = row + number * group;
        one.rows = group;
        return one;
      };
      may_end_part();
      const std::int64_t ahead =
          std::min(count, std::clamp<std::int64_t>(kernels::kStreamWords / words, 1, 3));
      for (std::int64_t i = 0; i < ahead; ++i) write_inputs(piece(i), stride);
      if (count > 1) run(code_.body, count * words, 0, block.words);
      for (std::int64_t i = 0; i < count; ++i) {
        write_outputs(piece(i), stride);
        if (i + ahead < count) write_inputs(piece(i + ahead), stride);
      }
      if (count == 1) run(code_.body, words, 0, block.words);
    }
  }

  void write_streams(const Piece& piece, std::int64_t stride) {
    write_inputs(piece, stride);
    write_outputs(piece, stride);
  }
  void write_inputs(const Piece& piece, std::int64_t stride) {
    for (std::size_t i = 0; i < code_.in.size(); ++i) {
      stream(code_.in[i], i, false, piece, stride);
    }
    link(code_.link_in, false, piece);
  }
  void write_outputs(const Piece& piece, std::int64_t stride) {
    for (std::size_t i = 0; i < code_.out.size(); ++i) {
      stream(code_.out[i], i, true, piece, stride);
    }
    link(code_.link_out, true, piece);
  }
  void link(device::VectorStreamEnd end, bool writes, const Piece& piece) {
    if (end == device::VectorStreamEnd::kMemory) return;
    push(device::VectorStream{.rows = static_cast<std::uint16_t>(piece.rows),
                              .cols = static_cast<std::uint16_t>(piece.cols),
                              .number = kLinkStream,
                              .writes = writes,
                              .format = device::VectorStreamFormat::kWord,
                              .end = end});
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

  static std::int64_t bytes_of(const Section& section) {
    return code_bytes(section) + constant_bytes(section);
  }

  bool load(const Section& section) {
    const std::uint64_t code = code_at_;
    const std::uint64_t constants = code + static_cast<std::uint64_t>(code_bytes(section));
    code_at_ = code + static_cast<std::uint64_t>(bytes_of(section));
    if (section.empty()) return false;
    const bool is_first = done_.programs == done_.commands.size();
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
    if (is_first) done_.programs = done_.commands.size();
    return true;
  }

  void stream(const Port& port, std::size_t number, bool writes, const Piece& piece,
              std::int64_t stride) {
    const std::int64_t bytes = stream_bytes(port.format);
    device::VectorStream stream{
        .rows = static_cast<std::uint16_t>(piece.rows),
        .cols = static_cast<std::uint16_t>(
            code_.walk == Walk::kBlocks && piece.words > 1 ? piece.words * lanes_ : piece.cols),
        .number = static_cast<std::uint8_t>(number),
        .writes = writes,
        .format = stream_format(port.format)};
    std::int64_t element = 0, step = 0;  // the first element, and from row to row
    switch (port.extent) {
      case Extent::kFull:
        step = port.view.step > 0 ? port.view.step : stride;
        element = (port.view.step > 0 ? port.view.row(piece.row) : piece.row * stride) + piece.col;
        break;
      case Extent::kRow:
        element = port.view.first + piece.row;
        step = 1;
        stream.broadcasts = !writes;
        if (writes) stream.cols = static_cast<std::uint16_t>(piece.words * lanes_);
        break;
      case Extent::kColumn:
        element = port.view.first + piece.col;
        break;
      case Extent::kScalar:
        element = port.view.first;
        stream.broadcasts = !writes;
        break;
    }
    stream.address = places_.port(port) + static_cast<std::uint64_t>(element * bytes);
    stream.row_stride = static_cast<std::uint32_t>(step * bytes);
    if (writes) last_output_ = done_.commands.size();
    note(stream, stream.broadcasts ? bytes : bytes * stream.cols);
    push(stream);
  }

  // A port's rows are one span: those between them are rarely another engine's, unless the parts
  // are columns.
  void note(const device::VectorStream& stream, std::int64_t row_bytes) {
    (stream.writes ? written_ : read_) += stream.rows * row_bytes;
    const std::int64_t rows = std::int64_t{stream.rows - 1} * stream.row_stride;
    const bool is_columns = columns_.each > 0 && stream.rows > 1;
    const MemorySpan span{stream.address,
                          stream.address + static_cast<std::uint64_t>(rows + row_bytes),
                          is_columns ? stream.row_stride : 0};
    auto& spans = stream.writes ? done_.writes : done_.reads;
    if (is_columns) return spans.push_back(span);
    auto& of_port = (stream.writes ? last_writes_ : last_reads_)[stream.number];
    if (of_port && spans[*of_port].first <= span.first &&
        span.first <= spans[*of_port].end + kNear) {
      spans[*of_port].end = std::max(spans[*of_port].end, span.end);
    } else {
      of_port = spans.size();
      spans.push_back(span);
    }
  }

  void run(const Section& section, std::int64_t words, std::int64_t first_word,
           std::int64_t words_a_row) {
    const auto size = static_cast<std::int64_t>(section.program.code.size());
    const bool meets = code_.meets_neighbours() && &section == &code_.body;
    push_run(size, meets ? std::max(size, kLinkClocks) : size, words, first_word, words_a_row);
  }

  // The first instructions, and the clocks that they take for each word.
  void push_run(std::int64_t instructions, std::int64_t clocks, std::int64_t words,
                std::int64_t first_word, std::int64_t words_a_row) {
    push(device::VectorRun{.last = static_cast<std::uint8_t>(instructions - 1),
                           .words = static_cast<std::uint16_t>(words),
                           .first_word = static_cast<std::uint32_t>(first_word),
                           .words_a_row = static_cast<std::uint32_t>(words_a_row)});
    done_.clocks += kSlots * ceil_div(words, kSlots) * clocks;
  }

  // Nothing that was started lacks a stream here.
  void may_end_part() {
    const bool is_whole = code_.overlaps(lanes_);  // a row ends in the next one
    const bool is_long =
        2 * done_.clocks > part_clocks() || std::ssize(done_.commands) > kMostOfPart;
    if (!is_whole && is_long) end_part();
  }

  template <typename Command>
  void push(const Command& command) {
    done_.commands.push_back(device::encode(command));
  }

  void end_part() {
    for (const Port& scalar : code_.scalars) {
      const std::uint64_t address = places_.port(scalar);
      done_.reads.push_back({address, address + 4});
    }
    // The last output stream comes last.
    done_.signals = last_output_.has_value();
    if (last_output_) {
      const auto last = done_.commands.begin() + static_cast<std::ptrdiff_t>(*last_output_);
      std::rotate(last, last + 1, done_.commands.end());
    }
    done_.clocks = std::max({done_.clocks, read_ / bus_bytes_, written_ / bus_bytes_});
    done_.meets_above = has_end(device::VectorStreamEnd::kUp);
    done_.meets_below = has_end(device::VectorStreamEnd::kDown);
    parts_.push_back(std::exchange(done_, {}));
    last_output_.reset();
    last_reads_ = last_writes_ = {};
    read_ = written_ = 0;
  }

  bool has_end(device::VectorStreamEnd end) const {
    return code_.link_in == end || code_.link_out == end;
  }

  const KernelCode& code_;
  const KernelPlaces& places_;
  int lanes_;
  std::int64_t bus_bytes_;
  ColumnParts columns_;
  std::uint64_t code_at_ = 0;
  std::vector<KernelPart> parts_;
  KernelPart done_;  ///< under way
  std::optional<std::size_t> last_output_;
  std::array<std::optional<std::size_t>, kStreams> last_reads_, last_writes_;  ///< spans, by port
  std::int64_t read_ = 0, written_ = 0;                                        ///< bytes
};

}  // namespace

std::vector<std::byte> code_image(const KernelCode& code) {
  std::vector<std::byte> image;
  const auto append = [&](const auto& words, std::int64_t bytes) {
    const std::size_t start = image.size();
    image.resize(start + static_cast<std::size_t>(bytes));
    if (!words.empty()) std::memcpy(&image[start], words.data(), words.size() * sizeof words[0]);
  };
  for (const Section* section : code.sections()) {
    std::vector<std::uint64_t> instructions;
    for (const vector::Instruction& one : section->program.code)
      instructions.push_back(one.encode());
    append(instructions, code_bytes(*section));
    append(section->program.constants, constant_bytes(*section));
  }
  return image;
}

std::vector<KernelPart> kernel_parts(const KernelCode& code, const KernelPlaces& places, int lanes,
                                     std::int64_t bus_bytes, const ColumnParts& columns) {
  return Commands(code, places, lanes, bus_bytes, columns).write();
}

}  // namespace systole::lowering
