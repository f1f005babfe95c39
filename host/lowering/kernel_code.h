#pragma once

#include <cstdint>
#include <vector>

#include "host/vector/program.h"

namespace systole::lowering {

/// How a stream of the vector engine finds an element in memory: fp32 or int32, or fp32 as bf16.
enum class Format : std::uint8_t { kWord, kBf16 };
constexpr std::int64_t bytes_of(Format format) { return format == Format::kWord ? 4 : 2; }

/// What a value holds of its kernel's rows x cols: every element, one for each row, one for each
/// column, or one in all.
enum class Extent : std::uint8_t { kFull, kRow, kColumn, kScalar };

/// A tensor that a stream of a kernel reads or writes; the graph's value, before any reshape.
struct Port {
  int value = -1;
  Extent extent = Extent::kFull;
  Format format = Format::kWord;
  bool operator==(const Port&) const = default;
};

/// A micro-program. A constant that differs from step to step comes from the step's table.
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
  /// group of slots, and each column keeps its slots. Where the row is shorter than its words, words
  /// are read past its end, and written there before the next row overwrites them.
  kBlocks,
};

/// A part of a graph as micro-programs of the vector engine.
///
/// `body` runs over all elements. With sums over rows there are also: `prologue`, which sets their
/// registers in all slots; `epilogue`, which adds the slots up; and `finish`, which computes on the
/// sums and sends them, one word for each word of a column sum, or one.
struct KernelCode {
  Walk walk = Walk::kFlat;
  std::int64_t rows = 1, cols = 1;
  std::int64_t block_words = 1;       ///< kBlocks: words of a row of a block
  std::vector<Port> in, out;          ///< of the body, by stream
  std::vector<Port> finish_in, finish_out;
  Section prologue, body, epilogue, finish;

  /// Whether a row's words reach into the next row.
  bool overlaps(int lanes) const {
    return walk == Walk::kBlocks && cols % (block_words * lanes) != 0;
  }
  std::size_t instructions() const {
    return prologue.program.code.size() + body.program.code.size() + epilogue.program.code.size() +
           finish.program.code.size();
  }
};

}  // namespace systole::lowering
