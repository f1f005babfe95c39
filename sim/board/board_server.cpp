#include "sim/board/board_server.h"

#include <array>
#include <utility>
#include <vector>

namespace systole::sim {
namespace {

constexpr int kClocks = 512;  // between two looks at the line
constexpr std::chrono::milliseconds kNap{20};

}  // namespace

BoardServer::BoardServer(std::unique_ptr<SimulatedBoard> board, LineOptions options)
    : board_(std::move(board)),
      options_(options),
      path_(line_.path()),
      to_board_(options.seed, options.fault_every),
      to_host_(~options.seed, options.fault_every),
      thread_([this] { serve(); }) {}

BoardServer::~BoardServer() { unplug(); }

void BoardServer::unplug() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void BoardServer::check() {
  if (error_ == nullptr) return;
  unplug();
  std::rethrow_exception(error_);
}

void BoardServer::serve() {
  try {
    while (!stop_) {
      pass_to_board();
      if (board_->idle()) continue;
      for (int clock = 0; clock < kClocks; ++clock) board_->tick();
      pass_to_host();
      clocks_ = board_->clocks();
      faults_ = to_board_.total() + to_host_.total();
    }
  } catch (...) {
    error_ = std::current_exception();
  }
  line_.unplug();
}

void BoardServer::pass_to_board() {
  std::array<std::uint8_t, 4096> bytes;
  const std::size_t count = line_.read(bytes, board_->idle() ? kNap : std::chrono::milliseconds(0));
  std::vector<LineFaults::Passed> passed;
  for (std::size_t i = 0; i < count; ++i) to_board_.pass(bytes[i], passed);
  for (const auto& [byte, late] : passed) {
    if (late) board_->pause(options_.late_clocks);
    board_->send(byte);
  }
  // Otherwise the board stays idle until a clock has shown it the line.
  if (!passed.empty()) board_->tick();
}

void BoardServer::pass_to_host() {
  std::vector<LineFaults::Passed> passed;
  while (const auto byte = board_->take()) to_host_.pass(*byte, passed);
  std::vector<std::uint8_t> bytes;
  for (const auto& [byte, late] : passed) {
    if (late) {
      line_.write(bytes);
      bytes.clear();
      std::this_thread::sleep_for(options_.late);
    }
    bytes.push_back(byte);
  }
  line_.write(bytes);
}

}  // namespace systole::sim
