#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "sim/board/line_faults.h"
#include "sim/board/pseudo_terminal.h"

namespace systole::tests {

/// docs/board.md in plain C++: a board on a pseudo-terminal, with a map of registers and a small
/// memory. Its line may have faults.
class FakeBoard {
 public:
  struct Options {
    std::uint32_t magic = 0x4b4c5953, version = 1, array_size = 4;
    std::uint32_t fault_every = 0;
    std::uint64_t seed = 1;
    bool mute = false;     ///< takes bytes and says nothing
    bool babbles = false;  ///< answers with noise alone
  };
  static constexpr std::size_t kMemoryWords = 1 << 16;

  FakeBoard() : FakeBoard(Options()) {}
  explicit FakeBoard(Options options);
  ~FakeBoard();

  const std::string& path() const { return path_; }
  void unplug();

  std::map<std::uint32_t, std::uint32_t> registers;  ///< others answer with an error
  std::vector<std::uint32_t> memory;
  std::atomic<std::uint64_t> writes_done = 0;  ///< requests to write that were carried out
  std::uint64_t faults() const { return to_board_.total() + to_host_.total(); }

 private:
  void serve();
  void take(std::uint8_t byte);
  std::vector<std::uint8_t> reply_to(const std::vector<std::uint8_t>& request);
  void send(const std::vector<std::uint8_t>& bytes);

  Options options_;
  sim::PseudoTerminal line_;
  std::string path_;
  sim::LineFaults to_board_, to_host_;
  std::vector<std::uint8_t> frame_;
  std::uint8_t last_ = 0;
  std::uint32_t status_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace systole::tests
