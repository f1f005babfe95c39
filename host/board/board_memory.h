#pragma once

#include <memory>
#include <variant>

#include "host/board/serial_link.h"
#include "host/device/block_map.h"
#include "host/device/memory.h"

namespace systole {

/// A board's memory through the link.
///
/// Limits   blocks keep what lay in them before: the board's memory is not cleared
/// Timing   an access that begins or ends inside a word reads that word first
class BoardMemory final : public Memory {
 public:
  explicit BoardMemory(std::shared_ptr<SerialLink> link);

  std::uint64_t allocate(std::int64_t size_bytes) override;
  void free(std::uint64_t address) override;
  void write(std::uint64_t address, std::span<const std::byte> source) override;
  void read(std::uint64_t address, std::span<std::byte> destination) const override;

 private:
  std::shared_ptr<SerialLink> link_;
  BlockMap<std::monostate> blocks_;
};

}  // namespace systole
