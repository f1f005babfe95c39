#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/device/device_map.h"
#include "host/device/product.h"
#include "host/vector/program.h"

namespace systole::lowering {

/// Words that the vector engine has under way at once, each in a slot.
inline constexpr std::int64_t kSlots = 8;

/// Streams of the vector engine, each way.
inline constexpr std::size_t kStreams = 4;

/// The one that may be a link, each way.
inline constexpr int kLinkStream = 3;

/// How a tensor is stored.
enum class Format : std::uint8_t {
  kWord,   ///< fp32 or int32
  kBf16,   ///< fp32 rounded to nearest even
  kTerms,  ///< fp32 as the sum of three bf16: all first terms, all second ones, all third ones
  /// A convolution's kernel [taps, channels, filters] as bf16 [channels, taps, filters], its taps
  /// last to first.
  kTurned,
  kInt8,        ///< of i8 alone
  kInt8Turned,  ///< likewise, as kTurned
};
inline constexpr std::array kAllFormats = {Format::kWord,   Format::kBf16, Format::kTerms,
                                           Format::kTurned, Format::kInt8, Format::kInt8Turned};
constexpr bool is_turned(Format format) {
  return format == Format::kTurned || format == Format::kInt8Turned;
}
/// Bytes of an element in a stream; of terms, each is a stream.
constexpr std::int64_t stream_bytes(Format format) {
  if (format == Format::kInt8 || format == Format::kInt8Turned) return 1;
  return format == Format::kWord ? 4 : 2;
}
constexpr std::int64_t bytes_of(Format format) {
  return stream_bytes(format) * (format == Format::kTerms ? kTerms : 1);
}

/// What a value holds of its kernel's rows x cols: every element, one for each row, one for each
/// column, or one in all.
enum class Extent : std::uint8_t { kFull, kRow, kColumn, kScalar };

/// Where a part of a tensor lies: rows of elements at equal distances, groups of rows, and blocks
/// of groups, as an image's pixels, rows and images.
struct View {
  std::int64_t first = 0;  ///< element
  std::int64_t step = 0;   ///< elements from row to row; 0: the rows are the whole tensor's
  std::int64_t group_rows = 0, group_step = 0;    ///< 0: all rows are one group
  std::int64_t block_groups = 0, block_step = 0;  ///< 0: all groups are one block

  /// The first element of a row.
  std::int64_t row(std::int64_t number) const {
    if (group_rows == 0) return first + number * step;
    const std::int64_t group = number / group_rows;
    const std::int64_t blocks = block_groups == 0 ? 0 : group / block_groups;
    return first + blocks * block_step + (group - blocks * block_groups) * group_step +
           number % group_rows * step;
  }
  bool operator==(const View&) const = default;
};

/// A tensor that a stream of a kernel reads or writes; the graph's value, before any reshape.
struct Port {
  int value = -1;
  Extent extent = Extent::kFull;
  Format format = Format::kWord;
  View view = {};  ///< of a full extent; of others, only `first` is used
  int term = 0;    ///< of kTerms
  bool operator==(const Port&) const = default;
};

/// A micro-program. A constant that differs from step to step comes from the step's table, or from
/// memory where another kernel computes it.
struct Section {
  struct TableUse {
    int place = 0;   ///< of the constant
    int scalar = 0;  ///< the graph's value
  };
  vector::Program program;
  std::vector<TableUse> table;

  bool empty() const { return program.code.empty(); }
};

/// How a kernel goes through its elements.
enum class Walk : std::uint8_t {
  kFlat,  ///< one after the other, whatever their rows
  kRows,  ///< row by row; a row begins a word
  /// Likewise, in blocks of at most 8 words a row, padded to 1, 2, 4 or 8: each row lies in one
  /// group of slots, and each column keeps its slots. Where the row is shorter than its words,
  /// words are read past its end, and written there before the next row overwrites them.
  kBlocks,
};

/// A part of a graph as micro-programs of the vector engine.
///
/// `body` runs over all elements. `prologue` comes before: by blocks, it brings what all rows share
/// into registers, a word for each slot, and sets those of sums over rows. With such sums there are
/// also: `epilogue`, which adds the slots up; and `finish`, which computes on the
/// sums and sends them, one word for each word of a column sum, or one.
struct KernelCode {
  Walk walk = Walk::kFlat;
  std::int64_t rows = 1, cols = 1;
  std::int64_t block_words = 1;  ///< kBlocks: words of a row of a block
  std::vector<Port> in, out;     ///< of the body, by stream
  std::vector<Port> shared;      ///< of the prologue: one element for each column
  /// The neighbours that bring and take the words of the body's link streams; memory for none.
  device::VectorStreamEnd link_in = {}, link_out = {};
  /// Whether the body, over blocks of columns, goes through the upper and the lower half of the
  /// rows in turn, eight words of each at a time: its second half is the first one with the next
  /// streams.
  bool in_halves = false;
  std::vector<Port> scalars;  ///< of memory, which become constants of programs
  std::vector<Port> finish_in, finish_out;
  Section clear, prologue, body, epilogue, finish;
  /// Filled with zeros first by `clear`, which sends one: outputs that the body does not cover.
  struct Cleared {
    int value = -1;
    Format format = Format::kWord;
    std::int64_t elements = 0;
  };
  std::vector<Cleared> cleared;

  std::array<const Section*, 5> sections() const {
    return {&clear, &prologue, &body, &epilogue, &finish};
  }

  /// All that it reads.
  std::array<const std::vector<Port>*, 4> inputs() const {
    return {&in, &shared, &scalars, &finish_in};
  }

  /// Whether a row's words reach into the next row.
  bool overlaps(int lanes) const {
    return walk == Walk::kBlocks && rows > 1 && cols % (block_words * lanes) != 0;
  }
  /// Whether what is written for a row reaches into what is read for the next: words of a row, or
  /// all lanes for an element of each row.
  bool writes_ahead(int lanes) const {
    return overlaps(lanes) || std::ranges::any_of(out, [&](const Port& port) {
             return port.extent == Extent::kRow && rows > 1;
           });
  }
  /// Whether it meets other cores, which run kernels of the same elements at the same place of
  /// their order.
  bool meets_neighbours() const {
    constexpr auto kMemory = device::VectorStreamEnd::kMemory;
    return link_in != kMemory || link_out != kMemory;
  }
  /// Whether it has one program, so that its parts may come in any order.
  bool has_one_program() const {
    return clear.empty() && prologue.empty() && epilogue.empty() && finish.empty();
  }
  /// Whether it may go through some columns of all rows before the next.
  bool can_follow_columns() const {
    constexpr std::int64_t kMostRows = 65'535;  // of a stream
    return walk == Walk::kFlat && has_one_program() && rows > 1 && rows <= kMostRows;
  }
  std::size_t instructions() const {
    std::size_t count = 0;
    for (const Section* section : sections()) count += section->program.code.size();
    return count;
  }
};

}  // namespace systole::lowering
