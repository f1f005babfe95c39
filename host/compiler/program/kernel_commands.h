#pragma once

#include <functional>
#include <vector>

#include "host/compiler/kernels/kernel_code.h"
#include "host/compiler/schedule/memory_uses.h"
#include "host/device/device_map.h"

namespace systole::lowering {

/// Where a kernel's parts lie in device memory.
struct KernelPlaces {
  std::function<std::uint64_t(const Port& port)> port;
  std::function<std::uint64_t(int scalar)> table;
  std::uint64_t code = 0;  ///< of the sections' instructions and constants, as code_image has them
};

/// The bytes of a kernel's instructions and constants, section by section, each at a multiple
/// of 64.
std::vector<std::byte> code_image(const KernelCode& code);

/// Rows of a kernel as commands: programs where they are new, then streams and runs of at most
/// 65,535 words. The last command is the last output stream, which signals when all are in memory;
/// a part that only adds up has none, and a later part of its kernel signals for both.
struct KernelPart {
  std::vector<device::CommandWord> commands;
  std::size_t programs = 0;  ///< the first commands, which bring the parts' program
  bool signals = false;
  std::int64_t clocks = 0;                        ///< of the lanes, or of the bus if that is more
  bool meets_above = false, meets_below = false;  ///< whether it has streams of that link
  std::vector<MemorySpan> reads, writes;
};

/// Columns of a kernel that can_follow_columns: from `first` on, `count` of them, all if that is 0;
/// `each` a part.
struct ColumnParts {
  std::int64_t each = 0;
  std::int64_t first = 0, count = 0;
};

/// A kernel in parts that write other rows, so that other engines wait for the rows they need; or
/// other columns if `columns.each` is not 0. The bus brings and takes `bus_bytes` a clock.
std::vector<KernelPart> kernel_parts(const KernelCode& code, const KernelPlaces& places, int lanes,
                                     std::int64_t bus_bytes, const ColumnParts& columns = {});

}  // namespace systole::lowering
