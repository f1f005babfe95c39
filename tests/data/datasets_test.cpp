#include "host/data/datasets.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "host/data/file_bytes.h"
#include "tests/data/idx_files.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

namespace fs = std::filesystem;

}  // namespace

TEST_CASE("a data set loads from its own folder or from the folder above", "[datasets]") {
  const TemporaryFolder folder;
  write_small_mnist(folder.path() + "/mnist", 3, 2);
  for (const std::string& data_dir : {folder.path(), folder.path() + "/mnist"}) {
    const SplitDataset data = load_dataset("mnist", data_dir);
    CHECK(data.train.size() == 3);
    CHECK(data.test.size() == 2);
    CHECK(data.train.sample_shape == std::vector<std::int64_t>{28, 28, 1});
    CHECK(data.train.name == "mnist");
    CHECK(data.train.classes == 10);
  }
}

TEST_CASE("a data set loads from gzip files", "[datasets]") {
  const TemporaryFolder folder;
  write_small_mnist(folder.path(), 3, 2);
  for (const std::string& name : folder.names()) {
    write_bytes(folder.file(name + ".gz"), gzip(systole::read_file(folder.file(name))));
    fs::remove(folder.file(name));
  }
  CHECK(load_dataset("mnist", folder.path()).train.size() == 3);
}

TEST_CASE("a missing data set is refused with the command that fetches it", "[datasets]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(load_dataset("mnist", folder.path()),
                    Catch::Contains("mnist: no data files in " + folder.path()) &&
                        Catch::Contains("scripts/fetch_data mnist --data-dir"));
  write_small_mnist(folder.path(), 3, 2);
  fs::remove(folder.file("t10k-labels-idx1-ubyte"));
  CHECK_THROWS_WITH(load_dataset("mnist", folder.path()),
                    Catch::Contains(folder.file("t10k-labels-idx1-ubyte") + ": no such file"));
}

TEST_CASE("a set with images of another size is refused", "[datasets]") {
  const TemporaryFolder folder;
  write_small_mnist(folder.path(), 3, 2);
  write_bytes(folder.file("train-images-idx3-ubyte"),
              idx_bytes({3, 2, 2}, std::vector<std::uint8_t>(12)));
  CHECK_THROWS_WITH(load_dataset("mnist", folder.path()),
                    Catch::Contains("its images are 2 x 2, not 28 x 28"));
}

TEST_CASE("a $SYSTOLE_DATA_DIR that is no folder is refused, not passed over", "[datasets]") {
  setenv("SYSTOLE_DATA_DIR", "/nowhere/data", 1);
  CHECK_THROWS_WITH(find_dataset("fashion-mnist"),
                    Catch::Contains("$SYSTOLE_DATA_DIR is /nowhere/data, which is no folder"));
  CHECK_NOTHROW(dataset_folders("fashion-mnist", "/nowhere"));
  unsetenv("SYSTOLE_DATA_DIR");
}

TEST_CASE("an unknown data set is refused with the known ones", "[datasets]") {
  CHECK_THROWS_WITH(load_dataset("cifar"),
                    "unknown dataset 'cifar': choose from fashion-mnist, mnist, cifar10, words");
}

TEST_CASE("the real Fashion-MNIST has 60,000 and 10,000 images", "[datasets]") {
  try {
    find_dataset("fashion-mnist");
  } catch (const DataError& absent) {
    WARN("skipped: " << absent.what());
    return;
  }
  const SplitDataset data = load_dataset("fashion-mnist");
  CHECK(data.train.size() == 60'000);
  CHECK(data.test.size() == 10'000);
  CHECK(std::ranges::count(data.test.labels, 9) == 1'000);
}

}  // namespace systole::tests
