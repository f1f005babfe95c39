#include "host/report/figure_files.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "host/report/whole_file.h"

namespace systole {
namespace {

namespace fs = std::filesystem;

// Without a shell, so that no name needs quoting.
bool convert(const fs::path& svg, const fs::path& png) {
  std::string words[] = {"rsvg-convert", "--zoom=2", "--output=" + png.string(), svg.string()};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t process = 0;
  if (posix_spawnp(&process, words[0].c_str(), nullptr, nullptr, arguments, environ) != 0) {
    return false;
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool FigureFolder::has_png() { return std::system("command -v rsvg-convert >/dev/null 2>&1") == 0; }

FigureFolder::FigureFolder(const std::string& folder) : folder_(folder) {
  if (folder_.empty()) return;
  const auto cannot = [&](const std::string& why) {
    throw std::runtime_error(fmt::format("cannot draw into {}: {}; choose another --plot folder",
                                         folder_.string(), why));
  };
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!fs::is_directory(folder_)) cannot(error ? error.message() : "it is not a folder");
  const TemporaryFile probe(folder_ / "probe");
  if (!std::ofstream(probe.path)) cannot("files cannot be made in it");
}

std::vector<std::string> FigureFolder::write(const std::vector<Figure>& figures) const {
  std::vector<std::string> written;
  if (folder_.empty()) return written;
  const bool png = has_png();
  for (const Figure& figure : figures) {
    const fs::path svg = folder_ / (figure.name + ".svg");
    write_whole(svg, figure.svg.file(figure.title));
    written.push_back(svg.string());
    if (!png) continue;
    const fs::path target = folder_ / (figure.name + ".png");
    const TemporaryFile temporary(target);
    if (!convert(svg, temporary.path)) {
      throw std::runtime_error(fmt::format(
          "cannot write {}: rsvg-convert failed (its message is above)", target.string()));
    }
    fs::rename(temporary.path, target);
    written.push_back(target.string());
  }
  return written;
}

std::string FigureFolder::write_text(const std::string& name, const std::string& text) const {
  if (folder_.empty()) return {};
  write_whole(folder_ / name, text);
  return (folder_ / name).string();
}

}  // namespace systole
