#include "host/board/board_backend.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <stdexcept>
#include <utility>

#include "host/board/board_memory.h"
#include "host/board/board_registers.h"
#include "host/device/accelerator_backend.h"
#include "host/device/register_driver.h"

namespace systole {
namespace {

constexpr int kDefaultBaud = 3'000'000;
constexpr int kLeastBaud = 9600, kMostBaud = 12'000'000;

struct Place {
  std::string path;
  int baud = kDefaultBaud;
};

Place place_of(const std::string& text) {
  const std::size_t at = text.rfind('@');
  Place place{.path = text.substr(0, at)};
  if (at != std::string::npos) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + at + 1, end, place.baud);
    if (error != std::errc() || stop != end || place.baud < kLeastBaud || place.baud > kMostBaud) {
      throw std::invalid_argument(fmt::format("board:{}: the baud rate after @ must be {} to {}",
                                              text, kLeastBaud, kMostBaud));
    }
  }
  return place;
}

DeviceInfo board_info() {
  return {.name = "board",
          .description = "an FPGA board on a serial line (docs/board.md)",
          .threads = 1,
          .clock_source = "the board's",
          .cycle_exact = true,
          .bit_exact = true,
          .memory = "SDRAM"};
}

std::shared_ptr<Backend> make_board(const DeviceOptions& options, const std::string& where) {
  const Place place = place_of(where);
  return open_board(options, place.path, place.baud);
}

}  // namespace

BackendEntry board_backend_entry() {
  return {.info = board_info(),
          .array_sizes = {},
          .place = "PORT[@BAUD]",
          .types = "bf16 int8",
          .make_at = make_board};
}

std::shared_ptr<Backend> open_board(const DeviceOptions& options, const std::string& path, int baud,
                                    LinkPatience patience) {
  auto link = std::make_shared<SerialLink>(path, baud, patience);
  const BoardIdentity& board = link->identity();
  // The default stands for whatever the board has.
  const bool is_named = options.array_size != DeviceOptions{}.array_size;
  if (is_named && options.array_size != board.array_size) {
    throw DeviceError(fmt::format(
        "the board on {} has a {} x {} array, not {} x {}: load another bitstream, or "
        "leave N to the board",
        path, board.array_size, board.array_size, options.array_size, options.array_size));
  }
  DeviceInfo info = board_info();
  info.clock_mhz = board.clock_khz / 1000.0;
  info.memory = fmt::format("{} MiB of SDRAM", board.memory_bytes >> 20);
  constexpr double kBitsOfByte = 10;  // on the line: with start and stop
  info.host_link = {.gbit_per_second = 8 / kBitsOfByte * baud * 1e-9,
                    .source = fmt::format("a serial line at {} baud", baud)};
  auto memory = std::make_shared<BoardMemory>(link);
  auto registers = std::make_shared<BoardRegisters>(std::move(link));
  return std::make_shared<AcceleratorBackend>(
      std::move(info), std::make_unique<RegisterDriver>(std::move(memory), std::move(registers)),
      options.buffers);
}

}  // namespace systole
