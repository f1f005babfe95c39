#include "hls/compiler/support/tools.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>

#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

struct Folders {
  std::mutex mutex;
  std::set<std::string> paths;
};

Folders& scratch_folders() {
  static Folders folders;
  return folders;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createUniqueDirectory("hlsc", path)) {
    throw std::runtime_error("cannot create a temporary folder; check TMPDIR");
  }
  path_ = std::string(path);
  const std::lock_guard lock(scratch_folders().mutex);
  scratch_folders().paths.insert(path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  const std::lock_guard lock(scratch_folders().mutex);
  scratch_folders().paths.erase(path_);
}

void ScratchFolder::remove_all() {
  const std::lock_guard lock(scratch_folders().mutex);
  for (const std::string& path : scratch_folders().paths) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
}

ToolRun run_tool(const std::vector<std::string>& words, unsigned seconds) {
  const llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(words.at(0));
  if (!program) throw Refusal(fmt::format("{} is not installed; run scripts/setup", words[0]));
  const ScratchFolder scratch;
  const std::string output = scratch.file("output");
  const std::string errors = scratch.file("errors");
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(output),
                                                      llvm::StringRef(errors)};
  const std::vector<llvm::StringRef> arguments(words.begin(), words.end());
  ToolRun run;
  run.status =
      llvm::sys::ExecuteAndWait(*program, arguments, /*Env=*/std::nullopt, redirects, seconds);
  run.output = read_text(output);
  run.errors = read_text(errors);
  return run;
}

std::string read_text(const std::string& path) {
  const auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

}  // namespace systole::compiler
