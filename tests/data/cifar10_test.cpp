#include "host/data/cifar10.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "host/data/datasets.h"
#include "host/data/file_bytes.h"
#include "tests/data/idx_files.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kRecord = 3073;

// Images whose red is the pixel's place (mod 256), whose green is 1 and whose blue is the label.
Bytes records(const std::vector<std::uint8_t>& labels) {
  Bytes bytes;
  for (const std::uint8_t label : labels) {
    bytes.push_back(label);
    for (std::size_t i = 0; i < 1024; ++i) bytes.push_back(static_cast<std::uint8_t>(i));
    bytes.insert(bytes.end(), 1024, 1);
    bytes.insert(bytes.end(), 1024, label);
  }
  return bytes;
}

struct CifarFolder : TemporaryFolder {
  CifarFolder() {
    for (std::uint8_t i = 1; i <= 5; ++i) {
      write_bytes(file("data_batch_" + std::to_string(i) + ".bin"),
                  records({i, static_cast<std::uint8_t>(i + 1)}));
    }
    write_bytes(file("test_batch.bin"), records({9, 0}));
  }
};

}  // namespace

TEST_CASE("CIFAR-10's planes become pixels of three channels", "[cifar10]") {
  const TemporaryFolder folder;
  write_bytes(folder.file("a"), records({7, 2}));
  const fs::path path = folder.file("a");
  const Dataset data = read_cifar10({&path, 1});
  CHECK(data.sample_shape == std::vector<std::int64_t>{32, 32, 3});
  CHECK(data.labels == std::vector<std::int32_t>{7, 2});
  REQUIRE(data.inputs.size() == 2 * 3072);
  CHECK(data.inputs[3 * 33] == 33 / 255.0f);
  CHECK(data.inputs[3 * 33 + 1] == 1 / 255.0f);
  CHECK(data.inputs[3 * 33 + 2] == 7 / 255.0f);
  CHECK(data.inputs[3072 + 2] == 2 / 255.0f);
}

TEST_CASE("CIFAR-10 is five training files and one test file", "[cifar10]") {
  const CifarFolder folder;
  const SplitDataset data = load_dataset("cifar10", folder.path());
  CHECK(data.train.labels == std::vector<std::int32_t>{1, 2, 2, 3, 3, 4, 4, 5, 5, 6});
  CHECK(data.test.labels == std::vector<std::int32_t>{9, 0});
  fs::remove(folder.file("data_batch_3.bin"));
  CHECK_THROWS_WITH(load_dataset("cifar10", folder.path()),
                    Catch::Contains("data_batch_3.bin: no such file") &&
                        Catch::Contains("scripts/fetch_data cifar10"));
}

TEST_CASE("a truncated CIFAR-10 file is refused", "[cifar10]") {
  const CifarFolder folder;
  for (const char* name : {"data_batch_1.bin", "data_batch_4.bin", "test_batch.bin"}) {
    const std::string whole = read_file(folder.file(name));
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, kRecord - 1, kRecord, kRecord + 1, 2 * kRecord - 1}) {
      CAPTURE(name, size);
      fs::resize_file(folder.file(name), size);
      CHECK_THROWS_AS(load_dataset("cifar10", folder.path()), DataError);
      write_bytes(folder.file(name), {whole.begin(), whole.end()});
    }
    load_dataset("cifar10", folder.path());
  }
}

TEST_CASE("a CIFAR-10 label out of range is refused with its image", "[cifar10]") {
  const CifarFolder folder;
  write_bytes(folder.file("data_batch_2.bin"), records({3, 10}));
  CHECK_THROWS_WITH(load_dataset("cifar10", folder.path()),
                    Catch::Contains("data_batch_2.bin: label 10 of image 1 is not in 0..9"));
}

TEST_CASE("the real CIFAR-10 has 50,000 and 10,000 images", "[cifar10]") {
  try {
    find_dataset("cifar10");
  } catch (const DataError& absent) {
    WARN("skipped: " << absent.what());
    return;
  }
  const SplitDataset data = load_dataset("cifar10");
  CHECK(data.train.size() == 50'000);
  CHECK(data.test.size() == 10'000);
  CHECK(std::ranges::count(data.test.labels, 9) == 1'000);
}

}  // namespace systole::tests
