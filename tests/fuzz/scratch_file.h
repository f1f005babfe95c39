#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace systole::tests {

/// Bytes as a file without a name, in memory, for readers that take a path.
class ScratchFile {
 public:
  explicit ScratchFile(std::span<const std::uint8_t> bytes) : file_(memfd_create("scratch", 0)) {
    if (file_ < 0 || write(file_, bytes.data(), bytes.size()) != std::ssize(bytes)) {
      throw std::runtime_error("cannot make a file in memory");
    }
  }
  ~ScratchFile() { close(file_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace systole::tests
