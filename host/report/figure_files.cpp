#include "host/report/figure_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "host/data/atomic_file.h"

namespace systole {
namespace {

namespace fs = std::filesystem;

// The output of rsvg-convert for an SVG file, or nothing if it fails. Runs without a shell, so
// names need no quoting.
std::string png_of(const fs::path& svg) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string words[] = {"rsvg-convert", "--zoom=2", svg.string()};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t process = 0;
  const bool started =
      posix_spawnp(&process, words[0].c_str(), &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string png;
  char part[1 << 16];
  for (ssize_t count = 1; started && count != 0;) {
    count = read(ends[0], part, sizeof part);
    if (count < 0 && errno != EINTR) break;
    if (count > 0) png.append(part, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  if (!started) return {};
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return {};
  return png;
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
  try {
    need_writable(folder_ / "probe");
  } catch (const std::runtime_error&) {
    cannot("files cannot be made in it");
  }
}

std::vector<std::string> FigureFolder::write(const std::vector<Figure>& figures) const {
  std::vector<std::string> written;
  if (folder_.empty()) return written;
  const bool png = has_png();
  for (const Figure& figure : figures) {
    const fs::path svg = folder_ / (figure.name + ".svg");
    write_file_atomically(svg, figure.svg.file(figure.title));
    written.push_back(svg.string());
    if (!png) continue;
    const fs::path target = folder_ / (figure.name + ".png");
    const std::string drawn = png_of(svg);
    if (drawn.empty()) {
      throw std::runtime_error(fmt::format(
          "cannot write {}: rsvg-convert failed (its message is above)", target.string()));
    }
    write_file_atomically(target, drawn);
    written.push_back(target.string());
  }
  return written;
}

std::string FigureFolder::write_text(const std::string& name, const std::string& text) const {
  if (folder_.empty()) return {};
  write_file_atomically(folder_ / name, text);
  return (folder_ / name).string();
}

}  // namespace systole
