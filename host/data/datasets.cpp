#include "host/data/datasets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "host/data/file_bytes.h"
#include "host/data/idx.h"

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::int32_t kClasses = 10;
constexpr std::int64_t kSide = 28;
constexpr std::string_view kFiles[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                       "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

std::optional<fs::path> find_file(const fs::path& folder, std::string_view file) {
  for (const std::string_view suffix : {"", ".gz"}) {
    fs::path path = folder / fmt::format("{}{}", file, suffix);
    std::error_code error;
    if (fs::exists(path, error)) return path;
  }
  return {};
}

bool has_any_file(const fs::path& folder) {
  return std::ranges::any_of(
      kFiles, [&](std::string_view file) { return find_file(folder, file).has_value(); });
}

std::optional<fs::path> environment_path(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::optional<fs::path>(value) : std::nullopt;
}

Dataset load_part(const fs::path& folder, std::string_view name, std::size_t first_file) {
  fs::path paths[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string_view file = kFiles[first_file + i];
    const auto path = find_file(folder, file);
    if (!path) {
      throw DataError(fmt::format("{}: no such file, plain or with .gz; run scripts/fetch_data {}",
                                  (folder / file).string(), name));
    }
    paths[i] = *path;
  }
  Dataset dataset = read_idx_dataset(paths[0], paths[1], kClasses);
  if (dataset.sample_shape != std::vector<std::int64_t>{kSide, kSide, 1}) {
    throw DataError(fmt::format(
        "{}: its images are {} x {}, not {} x {}; run scripts/fetch_data {}", paths[0].string(),
        dataset.sample_shape[0], dataset.sample_shape[1], kSide, kSide, name));
  }
  dataset.name = name;
  return dataset;
}

}  // namespace

std::vector<fs::path> dataset_folders(std::string_view name,
                                      const std::optional<fs::path>& data_dir) {
  if (data_dir) return {*data_dir / name, *data_dir};
  std::vector<fs::path> folders;
  if (const auto given = environment_path("SYSTOLE_DATA_DIR")) folders.push_back(*given / name);
  folders.push_back(fs::path("data") / name);
  if (const auto cache = environment_path("XDG_CACHE_HOME")) {
    folders.push_back(*cache / "systole" / name);
  } else if (const auto home = environment_path("HOME")) {
    folders.push_back(*home / ".cache" / "systole" / name);
  }
  if (name == "fashion-mnist") folders.emplace_back("/usr/share/datasets/fashion-mnist");
  return folders;
}

std::vector<std::string> dataset_names() { return {"fashion-mnist", "mnist"}; }

fs::path find_dataset(std::string_view name, const std::optional<fs::path>& data_dir) {
  const auto names = dataset_names();
  if (std::ranges::find(names, name) == names.end()) {
    throw std::invalid_argument(
        fmt::format("unknown dataset '{}': choose from {}", name, fmt::join(names, ", ")));
  }
  const auto folders = dataset_folders(name, data_dir);
  const auto found = std::ranges::find_if(folders, has_any_file);
  if (found != folders.end()) return *found;
  std::vector<std::string> looked;
  looked.reserve(folders.size());
  for (const auto& folder : folders) looked.push_back(folder.string());
  throw DataError(fmt::format("{}: no data files in {}; run scripts/fetch_data {}{}", name,
                              fmt::join(looked, ", "), name,
                              data_dir ? " --data-dir " + data_dir->string() : ""));
}

SplitDataset load_dataset(std::string_view name, const std::optional<fs::path>& data_dir) {
  const fs::path folder = find_dataset(name, data_dir);
  return {.train = load_part(folder, name, 0), .test = load_part(folder, name, 2)};
}

}  // namespace systole
