#include "host/data/parallel_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "host/data/datasets.h"
#include "host/data/file_bytes.h"
#include "host/data/utf8.h"

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSet = "spa-eng";
constexpr std::string_view kFile = "spa.txt";

SentencePair split_pair(std::string_view line, const fs::path& path, std::size_t number) {
  const auto wrong = [&](std::string_view what) {
    return DataError(
        fmt::format("{}:{}: {}; a line is a sentence, a tab and its translation, in UTF-8",
                    path.string(), number, what));
  };
  const auto tabs = std::ranges::count(line, '\t');
  if (tabs != 1) throw wrong(fmt::format("it has {} tabs, not one", tabs));
  if (!decode_utf8(line)) throw wrong("it is not UTF-8");
  const std::size_t tab = line.find('\t');
  if (tab == 0) throw wrong("there is nothing before its tab");
  if (tab + 1 == line.size()) throw wrong("there is nothing after its tab");
  return {.english = std::string(line.substr(0, tab)),
          .spanish = std::string(line.substr(tab + 1))};
}

}  // namespace

std::vector<SentencePair> read_parallel_text(const fs::path& path) {
  const auto bytes = read_file(path);
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (rest.empty()) throw DataError(fmt::format("{}: it is empty", path.string()));
  std::vector<SentencePair> pairs;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    pairs.push_back(split_pair(line, path, pairs.size() + 1));
  }
  return pairs;
}

std::vector<SentencePair> load_parallel_text(const std::optional<fs::path>& data_dir) {
  const auto folders = dataset_folders(kSet, data_dir);
  std::vector<std::string> looked;
  for (const fs::path& folder : folders) {
    for (const char* suffix : {"", ".gz"}) {
      const fs::path path = folder / fmt::format("{}{}", kFile, suffix);
      std::error_code error;
      if (fs::exists(path, error)) return read_parallel_text(path);
    }
    looked.push_back(folder.string());
  }
  throw DataError(fmt::format("{}: no {} in {}; run scripts/fetch_data {}{}", kSet, kFile,
                              fmt::join(looked, ", "), kSet,
                              data_dir ? " --data-dir " + data_dir->string() : ""));
}

}  // namespace systole
