#include "host/cli/file_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "host/cli/usage_error.h"

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWrites = "writes a file";
constexpr const char* kReads = "reads a file";
constexpr const char* kFigures = "writes figures";

// A validator's name is the one mark of its own that CLI11 lets an option carry.
CLI::Option* mark(CLI::Option* option, const char* role) {
  return option->check(CLI::Validator([](std::string&) { return std::string(); }, "", role));
}

bool has(const CLI::Option& option, const char* role) {
  for (int i = 0;; ++i) {
    try {
      const CLI::Validator* validator = const_cast<CLI::Option&>(option).get_validator(i);
      if (validator->get_name() == role) return true;
    } catch (const CLI::OptionNotFound&) {
      return false;
    }
  }
}

struct NamedFile {
  std::string option;
  fs::path path;
  bool is_written;
};

// Where a write to the path ends up: links are followed, also one to a file that is yet to be made.
fs::path destination(fs::path path) {
  std::error_code error;
  constexpr int kMostLinks = 40;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path.lexically_normal() : whole;
}

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code error;
  const bool same = destination(a) == destination(b) || fs::equivalent(a, b, error);
  return same && (!fs::exists(a, error) || fs::is_regular_file(a, error));
}

bool continues(const NamedFile& a, const NamedFile& b) {
  return std::minmax(a.option, b.option) == std::minmax<std::string>("--checkpoint", "--resume");
}

bool is_figure(const fs::path& file, const fs::path& folder) {
  const std::string extension = file.extension().string();
  return (extension == ".svg" || extension == ".png" || extension == ".html") &&
         destination(file).parent_path() == destination(folder / "x").parent_path();
}

// The values on the command line, or the default.
std::vector<std::string> values(const CLI::Option& option) {
  if (option.count() > 0) return option.results();
  return {option.get_default_str()};
}

}  // namespace

CLI::Option* writes_file(CLI::Option* option) { return mark(option, kWrites); }
CLI::Option* reads_file(CLI::Option* option) { return mark(option, kReads); }
CLI::Option* writes_figures(CLI::Option* option) { return mark(option, kFigures); }

void need_separate_files(const CLI::App& command) {
  std::vector<NamedFile> files;
  std::string folder;
  for (const CLI::Option* option : command.get_options()) {
    const bool is_written = has(*option, kWrites);
    if (has(*option, kFigures)) folder = values(*option).back();
    if (!is_written && !has(*option, kReads)) continue;
    for (const std::string& value : values(*option)) {
      if (!value.empty()) files.push_back({option->get_name(), value, is_written});
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = i + 1; j < files.size(); ++j) {
      const NamedFile &a = files[i], &b = files[j];
      if (!a.is_written && !b.is_written) continue;
      if (continues(a, b) || !is_same(a.path, b.path)) continue;
      throw UsageError(fmt::format("{} and {} name one file, {}: give each its own", a.option,
                                   b.option, a.path.string()));
    }
    if (folder.empty() || !files[i].is_written || !is_figure(files[i].path, folder)) continue;
    throw UsageError(fmt::format(
        "{} {}: figures and the page are written into that folder; choose another name or folder",
        files[i].option, files[i].path.string()));
  }
}

}  // namespace systole
