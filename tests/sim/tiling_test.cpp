#include "sim/device/tiling.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <vector>

namespace systole {

TEST_CASE("the jobs of a product cover every element of C once", "[tiling]") {
  constexpr int kN = 4;
  constexpr int kBankRows = 16;
  for (const int rows : {1, 3, 4, 5, 9, 15, 16, 17, 33, 50}) {
    for (const int cols : {1, 3, 4, 5, 9, 12}) {
      INFO(rows << " rows, " << cols << " columns");
      const Tiling tiling(rows, 7, cols, kN, kBankRows);
      std::vector<int> covered(static_cast<std::size_t>(rows * cols));
      for (std::int64_t j = 0; j < tiling.job_count(); ++j) {
        const Job job = tiling.job(j);
        REQUIRE(job.rows >= 1);
        REQUIRE(job.rows <= kBankRows);
        REQUIRE(job.cols >= 1);
        REQUIRE(job.cols <= kN);
        CHECK(job.bank == j % 2);
        for (std::int64_t r = job.row; r < job.row + job.rows; ++r) {
          for (std::int64_t c = job.col; c < job.col + job.cols; ++c) {
            ++covered.at(static_cast<std::size_t>(r * cols + c));
          }
        }
      }
      CHECK(covered == std::vector<int>(covered.size(), 1));
    }
  }
}

TEST_CASE("row blocks differ in height by one row at most", "[tiling]") {
  const Tiling tiling(1025, 1, 1, 4, 512);
  REQUIRE(tiling.job_count() == 3);
  CHECK(tiling.job(0).rows == 342);
  CHECK(tiling.job(1).rows == 342);
  CHECK(tiling.job(2).rows == 341);
}

TEST_CASE("a depth is cut into tiles of N, the last one padded", "[tiling]") {
  CHECK(Tiling(1, 1, 1, 4, 512).depth_tiles() == 1);
  CHECK(Tiling(1, 4, 1, 4, 512).depth_tiles() == 1);
  CHECK(Tiling(1, 5, 1, 4, 512).depth_tiles() == 2);
  CHECK(Tiling(1, 9, 5, 4, 512).tile_count() == 6);
}

}  // namespace systole
