#pragma once

#include <cstdint>

namespace systole {

/// A part of C that fits one accumulator bank: some of its rows, and one array's width of columns.
struct Job {
  std::int64_t row = 0, rows = 0;  ///< rows row .. row + rows - 1 of C
  std::int64_t col = 0, cols = 0;  ///< columns col .. col + cols - 1; cols <= N
  int bank = 0;                    ///< the accumulator bank its sums live in
};

/// How C[rows, cols] = A[rows, depth] B[depth, cols] is cut for an N x N array: into jobs, and each
/// job into depth_tiles() tiles of N along the depth, k ascending. A pure function of the sizes.
///
/// Limits   sizes >= 1. Row blocks are of even height, not full ones and a rest: a short block
///          could not hide its weight loads. Jobs go column by column within a row block, and
///          banks alternate.
class Tiling {
 public:
  Tiling(std::int64_t rows, std::int64_t depth, std::int64_t cols, int array_size, int bank_rows);

  std::int64_t rows() const { return rows_; }
  std::int64_t depth() const { return depth_; }
  std::int64_t cols() const { return cols_; }
  int array_size() const { return array_size_; }
  std::int64_t depth_tiles() const { return depth_tiles_; }
  std::int64_t col_tiles() const { return col_tiles_; }
  std::int64_t job_count() const { return row_blocks_ * col_tiles_; }
  std::int64_t tile_count() const { return job_count() * depth_tiles_; }
  Job job(std::int64_t index) const;

 private:
  std::int64_t rows_, depth_, cols_;
  int array_size_;
  std::int64_t row_blocks_, col_tiles_, depth_tiles_;
};

}  // namespace systole
