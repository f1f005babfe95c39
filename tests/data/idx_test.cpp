#include "host/data/idx.h"

#include <catch2/catch.hpp>

#include "host/data/file_bytes.h"
#include "tests/data/idx_files.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct IdxFile {
  TemporaryFolder folder;
  std::string path = folder.file("t10k-labels-idx1-ubyte");

  explicit IdxFile(const Bytes& bytes) { write_bytes(path, bytes); }
};

void check_refused(const Bytes& bytes, std::int64_t dimensions, const std::string& text) {
  const IdxFile file(bytes);
  CHECK_THROWS_AS(read_idx(file.path, dimensions), DataError);
  CHECK_THROWS_WITH(read_idx(file.path, dimensions), Catch::StartsWith(file.path + ": ") &&
                                                         Catch::Contains(text) &&
                                                         Catch::Contains("scripts/fetch_data"));
}

}  // namespace

TEST_CASE("an IDX file is read, plain or gzip", "[idx]") {
  const Bytes bytes = idx_bytes({2, 1, 3}, {1, 2, 3, 4, 5, 255});
  for (const Bytes& stored : {bytes, gzip(bytes)}) {
    const IdxFile file(stored);
    const IdxBytes idx = read_idx(file.path, 3);
    CHECK(idx.dimensions == std::vector<std::int64_t>{2, 1, 3});
    CHECK(idx.values == Bytes{1, 2, 3, 4, 5, 255});
  }
}

TEST_CASE("an IDX file truncated at any byte is refused", "[idx]") {
  const Bytes bytes = idx_bytes({2, 2, 3}, Bytes(12, 7));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    check_refused(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)), 3,
                  "cut off");
  }
}

TEST_CASE("a gzip IDX file truncated at any byte is refused", "[idx]") {
  const Bytes bytes = gzip(idx_bytes({2, 2, 3}, Bytes(12, 7)));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    check_refused(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)), 3, "");
  }
}

TEST_CASE("a gzip IDX file with any byte of its checksum changed is refused", "[idx]") {
  const Bytes bytes = gzip(idx_bytes({12}, Bytes(12, 7)));
  for (std::size_t i = bytes.size() - 8; i < bytes.size(); ++i) {
    Bytes damaged = bytes;
    damaged[i] ^= 1;
    check_refused(damaged, 1, "gzip data is damaged");
  }
}

TEST_CASE("an IDX file with bytes after its values is refused", "[idx]") {
  Bytes bytes = idx_bytes({3}, {1, 2, 3});
  bytes.push_back(0);
  check_refused(bytes, 1, "1 bytes too many after its 3 values");
  Bytes packed = gzip(idx_bytes({3}, {1, 2, 3}));
  packed.push_back(0);
  check_refused(packed, 1, "other bytes follow its gzip data");
}

TEST_CASE("an IDX file with another magic number, type or rank is refused", "[idx]") {
  check_refused({'P', 'K', 3, 4, 0, 0, 0, 0}, 1, "0x504b0304");
  Bytes floats = idx_bytes({1}, {1});
  floats[2] = 0x0d;
  check_refused(floats, 1, "0x00000d01");
  check_refused(idx_bytes({1, 1}, {1}), 1, "0x00000802");
}

TEST_CASE("an IDX file whose dimensions are zero or overflow is refused", "[idx]") {
  check_refused(idx_bytes({0}, {}), 1, "dimension 0 is 0");
  check_refused(idx_bytes({2, 0, 3}, {}), 3, "dimension 1 is 0");
  // 2^32 in 32 bits twice over: a product of 64 bits would wrap around to 0.
  check_refused(idx_bytes({0x80000000, 0x80000000, 4}, {}), 3, "cut off");
}

TEST_CASE("a missing file and a folder are refused by their paths", "[idx]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(read_idx(folder.file("none"), 1), folder.file("none") + ": no such file");
  CHECK_THROWS_WITH(read_idx(folder.path(), 1), folder.path() + ": not a file");
}

TEST_CASE("images and labels become a data set with pixels from 0 to 1", "[idx]") {
  const TemporaryFolder folder;
  write_bytes(folder.file("images"), idx_bytes({2, 1, 2}, {0, 255, 51, 102}));
  write_bytes(folder.file("labels"), idx_bytes({2}, {9, 0}));
  const Dataset data = read_idx_dataset(folder.file("images"), folder.file("labels"), 10);
  CHECK(data.sample_shape == std::vector<std::int64_t>{1, 2, 1});
  CHECK(data.inputs == std::vector<float>{0, 1, 51 / 255.0f, 102 / 255.0f});
  CHECK(data.labels == std::vector<std::int32_t>{9, 0});
  CHECK(data.size() == 2);
  CHECK(data.first(1).inputs == std::vector<float>{0, 1});
  CHECK(data.first(5).size() == 2);
}

TEST_CASE("a label out of range and counts that differ are refused", "[idx]") {
  const TemporaryFolder folder;
  write_bytes(folder.file("images"), idx_bytes({2, 1, 1}, {0, 255}));
  write_bytes(folder.file("labels"), idx_bytes({2}, {9, 10}));
  CHECK_THROWS_WITH(read_idx_dataset(folder.file("images"), folder.file("labels"), 10),
                    Catch::Contains("label 10 of sample 1 is not in 0..9"));
  write_bytes(folder.file("labels"), idx_bytes({3}, {1, 2, 3}));
  CHECK_THROWS_WITH(read_idx_dataset(folder.file("images"), folder.file("labels"), 10),
                    Catch::Contains("3 labels for the 2 images"));
}

}  // namespace systole::tests
