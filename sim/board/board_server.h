#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>

#include "sim/board/line_faults.h"
#include "sim/board/pseudo_terminal.h"
#include "sim/board/simulated_board.h"

namespace systole::sim {

/// What happens to bytes on the line, and how long late ones take: to the board in its clocks, to
/// the host in time.
struct LineOptions {
  std::uint32_t fault_every = 0;  ///< one byte in so many; 0: none
  std::uint64_t seed = 1;
  std::int32_t late_clocks = 3 * 4096;
  std::chrono::milliseconds late{30};
};

/// A simulated board behind a pseudo-terminal, in a thread of its own. Clocks pass while the board
/// has something to do.
///
/// Errors   check() throws what the simulation has thrown; the line is then unplugged
class BoardServer {
 public:
  explicit BoardServer(std::unique_ptr<SimulatedBoard> board, LineOptions options = {});
  ~BoardServer();
  BoardServer(const BoardServer&) = delete;
  BoardServer& operator=(const BoardServer&) = delete;

  const std::string& path() const { return path_; }

  /// Unplugs the line; returns when it has gone.
  void unplug();
  void check();

  /// What has happened so far; exact once unplugged.
  std::uint64_t faults() const { return faults_; }
  std::uint64_t clocks() const { return clocks_; }

 private:
  void serve();
  void pass_to_board();
  void pass_to_host();

  std::unique_ptr<SimulatedBoard> board_;
  LineOptions options_;
  PseudoTerminal line_;
  std::string path_;
  LineFaults to_board_, to_host_;
  std::atomic<std::uint64_t> faults_ = 0, clocks_ = 0;
  std::atomic<bool> stop_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace systole::sim
