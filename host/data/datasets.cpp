#include "host/data/datasets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <stdexcept>

#include "host/data/cifar10.h"
#include "host/data/file_bytes.h"
#include "host/data/idx.h"

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::int32_t kIdxClasses = 10;
constexpr std::int64_t kIdxSide = 28;
constexpr std::string_view kFiles[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                       "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};
constexpr std::string_view kCifarFiles[] = {"data_batch_1.bin", "data_batch_2.bin",
                                            "data_batch_3.bin", "data_batch_4.bin",
                                            "data_batch_5.bin", "test_batch.bin"};

constexpr std::string_view kWordFiles[] = {"american-english"};

std::span<const std::string_view> files_of(std::string_view name) {
  if (name == "words") return kWordFiles;
  if (name == "cifar10") return kCifarFiles;
  return kFiles;
}

std::optional<fs::path> find_file(const fs::path& folder, std::string_view file) {
  for (const std::string_view suffix : {"", ".gz"}) {
    fs::path path = folder / fmt::format("{}{}", file, suffix);
    std::error_code error;
    if (fs::exists(path, error)) return path;
  }
  return {};
}

bool has_any_file(const fs::path& folder, std::string_view name) {
  return std::ranges::any_of(
      files_of(name), [&](std::string_view file) { return find_file(folder, file).has_value(); });
}

std::optional<fs::path> environment_path(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::optional<fs::path>(value) : std::nullopt;
}

std::vector<fs::path> need_files(const fs::path& folder, std::string_view name) {
  std::vector<fs::path> paths;
  for (const std::string_view file : files_of(name)) {
    const auto path = find_file(folder, file);
    if (!path) {
      throw DataError(fmt::format("{}: no such file, plain or with .gz; run scripts/fetch_data {}",
                                  (folder / file).string(), name));
    }
    paths.push_back(*path);
  }
  return paths;
}

SplitDataset load_cifar10(const fs::path& folder) {
  const auto paths = need_files(folder, "cifar10");
  const auto train_files = std::span(paths).first(5), test_file = std::span(paths).last(1);
  SplitDataset data{.train = read_cifar10(train_files), .test = read_cifar10(test_file)};
  if (data.train.size() != 5 * data.test.size()) {
    throw DataError(
        fmt::format("{}: {} images, where each of the others has {}: one of them is cut off; run "
                    "scripts/fetch_data cifar10 to fetch it again",
                    test_file[0].string(), data.test.size(), data.train.size() / 5));
  }
  return data;
}

Dataset load_idx(std::span<const fs::path> paths, std::string_view name) {
  Dataset dataset = read_idx_dataset(paths[0], paths[1], kIdxClasses);
  if (dataset.sample_shape != std::vector<std::int64_t>{kIdxSide, kIdxSide, 1}) {
    throw DataError(fmt::format(
        "{}: its images are {} x {}, not {} x {}; run scripts/fetch_data {}", paths[0].string(),
        dataset.sample_shape[0], dataset.sample_shape[1], kIdxSide, kIdxSide, name));
  }
  dataset.name = name;
  return dataset;
}

}  // namespace

std::vector<fs::path> dataset_folders(std::string_view name,
                                      const std::optional<fs::path>& data_dir) {
  if (data_dir) return {*data_dir / name, *data_dir};
  std::vector<fs::path> folders;
  if (const auto given = environment_path("SYSTOLE_DATA_DIR")) {
    std::error_code error;
    if (!fs::is_directory(*given, error)) {
      throw DataError(fmt::format(
          "$SYSTOLE_DATA_DIR is {}, which is no folder: correct it, or unset it to look elsewhere",
          given->string()));
    }
    folders.push_back(*given / name);
  }
  folders.push_back(fs::path("data") / name);
  if (const auto cache = environment_path("XDG_CACHE_HOME")) {
    folders.push_back(*cache / "systole" / name);
  } else if (const auto home = environment_path("HOME")) {
    folders.push_back(*home / ".cache" / "systole" / name);
  }
  if (name == "fashion-mnist") folders.emplace_back("/usr/share/datasets/fashion-mnist");
  if (name == "words") folders.emplace_back("/usr/share/dict");
  return folders;
}

std::vector<std::string> dataset_names() { return {"fashion-mnist", "mnist", "cifar10", "words"}; }

fs::path find_dataset(std::string_view name, const std::optional<fs::path>& data_dir) {
  const auto names = dataset_names();
  if (std::ranges::find(names, name) == names.end()) {
    throw std::invalid_argument(
        fmt::format("unknown dataset '{}': choose from {}", name, fmt::join(names, ", ")));
  }
  const auto folders = dataset_folders(name, data_dir);
  const auto found = std::ranges::find_if(
      folders, [&](const fs::path& folder) { return has_any_file(folder, name); });
  if (found != folders.end()) return *found;
  std::vector<std::string> looked;
  looked.reserve(folders.size());
  for (const auto& folder : folders) looked.push_back(folder.string());
  throw DataError(fmt::format("{}: no data files in {}; run scripts/fetch_data {}{}", name,
                              fmt::join(looked, ", "), name,
                              data_dir ? " --data-dir " + data_dir->string() : ""));
}

SplitDataset load_dataset(std::string_view name, const std::optional<fs::path>& data_dir,
                          std::int64_t context) {
  const fs::path folder = find_dataset(name, data_dir);
  if (name == "words") {
    return word_samples(read_word_list(need_files(folder, name)[0]), context);
  }
  if (name == "cifar10") return load_cifar10(folder);
  const auto paths = need_files(folder, name);
  return {.train = load_idx(std::span(paths).first(2), name),
          .test = load_idx(std::span(paths).last(2), name)};
}

}  // namespace systole
