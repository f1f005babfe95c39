#include "host/cli/comparison_figure.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace systole {
namespace {

namespace fs = std::filesystem;

struct Format {
  const char* extension;
  const char* terminal;
};
constexpr Format kFormats[] = {
    {"png", "pngcairo size 1500,1100 font 'DejaVu Sans,13' enhanced"},
    {"svg", "svg size 1500,1100 dynamic font 'DejaVu Sans,13' enhanced background rgb 'white'"},
};

// gnuplot's quoting: a single quote is written twice.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

bool has_gnuplot() { return std::system("command -v gnuplot >/dev/null 2>&1") == 0; }

void run_gnuplot(const std::string& commands) {
  std::FILE* pipe = popen("gnuplot", "w");
  if (pipe == nullptr) throw std::runtime_error("gnuplot cannot be started; leave out --plot");
  const bool sent = std::fwrite(commands.data(), 1, commands.size(), pipe) == commands.size();
  if (pclose(pipe) != 0 || !sent) {
    throw std::runtime_error("gnuplot failed (its message is above); leave out --plot");
  }
}

fs::path temporary(const fs::path& folder, const char* extension) {
  return folder / fmt::format(".compare.{}.{}", getpid(), extension);
}

struct Leftovers {
  fs::path folder;
  ~Leftovers() {
    std::error_code error;
    for (const Format& format : kFormats) fs::remove(temporary(folder, format.extension), error);
  }
};

}  // namespace

ComparisonFigure::ComparisonFigure(const std::string& folder) : folder_(folder) {
  if (folder_.empty()) return;
  if (!has_gnuplot()) {
    throw std::runtime_error("--plot needs gnuplot: install gnuplot-nox, or leave out --plot");
  }
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error(fmt::format("cannot draw into {}: {}; choose another --plot folder",
                                         folder_.string(), why));
  };
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!fs::is_directory(folder_)) refuse(error ? error.message() : "it is not a folder");
  const Leftovers leftovers{folder_};
  if (!std::ofstream(temporary(folder_, "png"))) refuse("files cannot be made in it");
}

void ComparisonFigure::write(const Comparison& comparison) const {
  if (folder_.empty()) return;
  const Leftovers leftovers{folder_};
  const std::string drawing = figure_commands(comparison);
  for (const Format& format : kFormats) {
    run_gnuplot(fmt::format("set terminal {}\nset output {}\n{}", format.terminal,
                            quoted(temporary(folder_, format.extension).string()), drawing));
  }
  for (const Format& format : kFormats) {
    const fs::path target = folder_ / fmt::format("compare.{}", format.extension);
    fs::rename(temporary(folder_, format.extension), target);
    fmt::print("figure: {}\n", target.string());
  }
}

}  // namespace systole
