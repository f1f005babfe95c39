#include "sim/model/program_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "host/compiler/schedule/product_numbers.h"
#include "host/device/command_address.h"
#include "host/device/device.h"
#include "host/device/digest.h"
#include "model_sources.h"

namespace systole {
namespace {

/// A program's units and commands as they are wherever it lies, in numbers.
template <typename Take>
void take_numbers(const PlacedProgram& program, const Take& take) {
  const FromFirstPage moved(program.base);
  const auto take_commands = [&](std::span<const device::CommandWord> commands) {
    for (const device::CommandWord& command : commands) {
      const device::CommandWord word = with_address(command, moved);
      take(std::array{word.low, word.high});
    }
  };
  for (const ProgramUnit& unit : program.units) {
    if (const auto* kernel = std::get_if<KernelUnit>(&unit)) {
      take_commands(kernel->commands);
      continue;
    }
    const auto& [product, stretch] = std::get<ProductUnit>(unit);
    take(numbers_of(moved(product)));
    take(std::array{static_cast<std::uint64_t>(stretch)});
  }
  take_commands(program.commands);
  take(std::array{moved(program.base), moved(program.end)});
}

std::uint64_t hash_of(const PlacedProgram& program) {
  std::uint64_t hash = 0;
  take_numbers(program, [&](const auto& numbers) {
    for (const std::uint64_t number : numbers) {
      hash = (hash ^ number) * 0x9e37'79b9'7f4a'7c15U;
      hash ^= hash >> 29;
    }
  });
  return hash;
}

constexpr std::string_view kEqual = "equal to its commands";

/// What the units write, in order of addresses, without overlaps. Ranges that only touch stay
/// apart: they may lie in two blocks of memory.
std::vector<MemoryRange> written_by_all(std::span<const ProgramUnit> units) {
  std::vector<MemoryRange> all;
  for (const ProgramUnit& unit : units) {
    const auto* kernel = std::get_if<KernelUnit>(&unit);
    const std::vector<MemoryRange> ranges = kernel != nullptr
                                                ? written_by(kernel->commands)
                                                : written_by(std::get<ProductUnit>(unit).product);
    all.insert(all.end(), ranges.begin(), ranges.end());
  }
  std::ranges::sort(all, {}, &MemoryRange::address);
  std::vector<MemoryRange> merged;
  for (const MemoryRange& range : all) {
    const std::uint64_t end = range.address + static_cast<std::uint64_t>(range.size_bytes);
    if (merged.empty() || range.address >= merged.back().address + static_cast<std::uint64_t>(
                                                                       merged.back().size_bytes)) {
      merged.push_back(range);
      continue;
    }
    MemoryRange& last = merged.back();
    last.size_bytes = std::max(last.size_bytes, static_cast<std::int64_t>(end - last.address));
  }
  return merged;
}

}  // namespace

ProgramFault ProgramValues::run(const PlacedProgram& program) {
  if (!numbers_.contains(program.number)) {
    if (!can_run_units(program)) return interpret(program);
    if (!compared_.contains(hash_of(program))) return run_first(program);
    if (program.number != 0) numbers_.insert(program.number);
  }
  run_units(program);
  return {};
}

ProgramFault ProgramValues::run_first(const PlacedProgram& program) {
  const std::string identity = identity_of(program);
  ProgramFault fault;
  if (disk_.find(identity) == kEqual) {
    run_units(program);
  } else {
    fault = compare(program);
    if (fault.code == device::FaultCode::kNone) disk_.keep(identity, kEqual);
  }
  if (fault.code == device::FaultCode::kNone) compared_.insert(hash_of(program));
  return fault;
}

std::string ProgramValues::identity_of(const PlacedProgram& program) const {
  Digest digest;
  take_numbers(program,
               [&](const auto& numbers) { digest.add(std::as_bytes(std::span(numbers))); });
  return fmt::format(
      "units of a program\nsources {}\narray {}\nkernels {}\ncommands {}\nunits {}\ndigest {}",
      kModelSources, array_size_, block_kernels().begin()->name, program.commands.size(),
      program.units.size(), digest.hex());
}

bool ProgramValues::can_run_units(const PlacedProgram& program) const {
  return !program.units.empty() && std::ranges::all_of(program.units, [&](const ProgramUnit& unit) {
    const auto* kernel = std::get_if<KernelUnit>(&unit);
    return kernel != nullptr ? kernels_.can_run(kernel->commands)
                             : products_.can_run(std::get<ProductUnit>(unit));
  });
}

void ProgramValues::run_units(const PlacedProgram& program) {
  for (const ProgramUnit& unit : program.units) {
    if (const auto* kernel = std::get_if<KernelUnit>(&unit)) {
      kernels_.run(kernel->commands);
    } else {
      products_.run(std::get<ProductUnit>(unit));
    }
  }
}

ProgramFault ProgramValues::interpret(const PlacedProgram& program) {
  const ProgramWindow window{program.base, program.end, true, true};
  interpreter_.reset();
  interpreter_.set_windows({&window, 1});
  return interpreter_.run(program.commands);
}

ProgramFault ProgramValues::compare(const PlacedProgram& program) {
  const FirstRunNotice::Run told(*notice_);
  const std::vector<MemoryRange> ranges = written_by_all(program.units);
  const auto read = [&] {
    std::vector<std::vector<std::byte>> bytes;
    for (const MemoryRange& range : ranges) {
      const std::byte* first = memory_->locate(range.address, range.size_bytes);
      bytes.emplace_back(first, first + range.size_bytes);
    }
    return bytes;
  };
  const auto before = read();
  run_units(program);
  const auto by_units = read();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    std::ranges::copy(before[i], memory_->locate(ranges[i].address, ranges[i].size_bytes));
  }
  const ProgramFault fault = interpret(program);
  if (fault.code != device::FaultCode::kNone) return fault;

  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::byte* by_commands = memory_->locate(ranges[i].address, ranges[i].size_bytes);
    const auto [unit, command] = std::mismatch(by_units[i].begin(), by_units[i].end(), by_commands);
    if (unit == by_units[i].end()) continue;
    throw DeviceError(fmt::format(
        "a program of {} commands does not compute its units: the byte at {:#x} is {:#04x} by its "
        "commands, {:#04x} by its units; please report this with the network and its options",
        program.commands.size(),
        ranges[i].address + static_cast<std::uint64_t>(unit - by_units[i].begin()),
        std::to_integer<int>(*command), std::to_integer<int>(*unit)));
  }
  return {};
}

}  // namespace systole
