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
#include "sim/device/interpreted_line.h"

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

std::uint64_t hash_of(std::span<const PlacedProgram> programs) {
  std::uint64_t hash = 0;
  for (const PlacedProgram& program : programs) {
    take_numbers(program, [&](const auto& numbers) {
      for (const std::uint64_t number : numbers) {
        hash = (hash ^ number) * 0x9e37'79b9'7f4a'7c15U;
        hash ^= hash >> 29;
      }
    });
  }
  return hash;
}

std::vector<std::uint64_t> numbers_of(std::span<const PlacedProgram> programs) {
  std::vector<std::uint64_t> numbers;
  for (const PlacedProgram& program : programs) numbers.push_back(program.number);
  return numbers;
}

bool is_done(std::span<const ProgramFault> faults) {
  return std::ranges::all_of(
      faults, [](const ProgramFault& fault) { return fault.code == device::FaultCode::kNone; });
}

constexpr std::string_view kEqual = "equal to its commands";
constexpr const char* kUnitsWait =
    "the units of a line's programs wait for one another, and their commands do not; please report "
    "this with the network and its options";

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

ProgramValues::ProgramValues(int array_size, int threads, std::span<ProgramMemory* const> memories,
                             DiskCache disk, int bus_bytes, FirstRunNotice& notice)
    : array_size_(array_size), disk_(std::move(disk)), notice_(&notice) {
  for (ProgramMemory* memory : memories) {
    cores_.emplace_back(array_size, threads, *memory, bus_bytes);
  }
}

ProgramValues::Way ProgramValues::way_of(Programs programs) const {
  if (numbers_.contains(numbers_of(programs))) return Way::kUnits;
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (!cores_[i].can_run(programs[i])) return Way::kInterpret;
  }
  return compared_.contains(hash_of(programs)) ? Way::kUnits : Way::kFirst;
}

ProgramValues::Faults ProgramValues::run(Programs programs) {
  const Way own = way_of(programs);
  const Way way = std::ranges::max(ranks_.gather<Way>({&own, 1}));
  if (way == Way::kInterpret) return interpret(programs);
  if (way == Way::kFirst) return run_first(programs);
  std::vector<std::uint64_t> numbers = numbers_of(programs);
  if (!std::ranges::count(numbers, 0U)) numbers_.insert(std::move(numbers));
  if (!run_units(programs)) throw DeviceError(kUnitsWait);
  return Faults(cores_.size());
}

ProgramValues::Faults ProgramValues::run_first(Programs programs) {
  const std::string identity = identity_of(programs);
  if (ranks_.all(disk_.find(identity) == kEqual) && ranks_.all(run_units(programs))) {
    compared_.insert(hash_of(programs));
    return Faults(cores_.size());
  }
  Faults faults = compare(programs);
  if (ranks_.all(is_done(faults))) {
    disk_.keep(identity, kEqual);
    compared_.insert(hash_of(programs));
  }
  return faults;
}

std::string ProgramValues::identity_of(Programs programs) const {
  std::vector<Digest::Value> own;
  for (const PlacedProgram& program : programs) {
    Digest digest;
    take_numbers(program,
                 [&](const auto& numbers) { digest.add(std::as_bytes(std::span(numbers))); });
    own.push_back(digest.value());
  }
  const std::vector<Digest::Value> all = ranks_.gather<Digest::Value>(own);
  return fmt::format("units of programs\nsources {}\narray {}\nkernels {}\ncores {}\ndigest {}",
                     kModelSources, array_size_, block_kernels().begin()->name, all.size(),
                     Digest().add(std::as_bytes(std::span(all))).hex());
}

bool ProgramValues::Core::can_run(const PlacedProgram& program) const {
  return !program.units.empty() && std::ranges::all_of(program.units, [&](const ProgramUnit& unit) {
    const auto* kernel = std::get_if<KernelUnit>(&unit);
    return kernel != nullptr ? kernels.can_run(kernel->commands)
                             : products.can_run(std::get<ProductUnit>(unit));
  });
}

bool ProgramValues::Core::can_go_on(const ProgramUnit& unit) const {
  const auto* kernel = std::get_if<KernelUnit>(&unit);
  return kernel == nullptr || kernels.has_words_of_neighbours(kernel->commands);
}

void ProgramValues::Core::run(const ProgramUnit& unit) {
  if (const auto* kernel = std::get_if<KernelUnit>(&unit)) {
    kernels.run(kernel->commands);
  } else {
    products.run(std::get<ProductUnit>(unit));
  }
}

/// Core 0's units first, each core's until one waits for a neighbour; false if some wait for ever.
bool ProgramValues::run_units(Programs programs) {
  InterpretedLineLinks links(cores_.size(), ranks_);
  for (std::size_t i = 0; i < cores_.size(); ++i) cores_[i].kernels.set_links(links.of(i));
  std::vector<std::size_t> next(cores_.size());
  links.run([&] {
    bool moves = false;
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      const auto units = programs[i].units;
      for (; next[i] < units.size() && cores_[i].can_go_on(units[next[i]]); ++next[i]) {
        cores_[i].run(units[next[i]]);
        moves = true;
      }
    }
    return moves;
  });
  for (Core& core : cores_) core.kernels.set_links({});
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (next[i] < programs[i].units.size()) return false;
  }
  return true;
}

ProgramValues::Faults ProgramValues::interpret(Programs programs) {
  std::vector<InterpretedCore> line;
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const ProgramWindow window{programs[i].base, programs[i].end, true, true};
    cores_[i].interpreter.reset();
    cores_[i].interpreter.set_windows({&window, 1});
    line.push_back({&cores_[i].interpreter, programs[i].commands});
  }
  return interpret_line(line, ranks_);
}

ProgramValues::Faults ProgramValues::compare(Programs programs) {
  const FirstRunNotice::Run told(*notice_);
  std::vector<std::vector<MemoryRange>> ranges;
  for (const PlacedProgram& program : programs) ranges.push_back(written_by_all(program.units));
  const auto each_range = [&](const auto& work) {
    std::size_t place = 0;
    for (std::size_t core = 0; core < ranges.size(); ++core) {
      for (const MemoryRange& range : ranges[core]) {
        std::byte* first = cores_[core].memory->locate(range.address, range.size_bytes);
        work(core, range, std::span(first, static_cast<std::size_t>(range.size_bytes)), place++);
      }
    }
  };
  const auto read = [&] {
    std::vector<std::vector<std::byte>> bytes;
    each_range([&](std::size_t, const MemoryRange&, std::span<std::byte> in_memory, std::size_t) {
      bytes.emplace_back(in_memory.begin(), in_memory.end());
    });
    return bytes;
  };
  const auto before = read();
  const bool do_units_end = ranks_.all(run_units(programs));
  const auto by_units = read();
  each_range([&](std::size_t, const MemoryRange&, std::span<std::byte> in_memory,
                 std::size_t place) { std::ranges::copy(before[place], in_memory.begin()); });
  Faults faults = interpret(programs);
  if (!ranks_.all(is_done(faults))) return faults;
  if (!do_units_end) throw DeviceError(kUnitsWait);

  each_range([&](std::size_t core, const MemoryRange& range, std::span<std::byte> by_commands,
                 std::size_t place) {
    const auto [unit, command] = std::ranges::mismatch(by_units[place], by_commands);
    if (unit == by_units[place].end()) return;
    throw DeviceError(fmt::format(
        "a program of {} commands does not compute its units: the byte at {:#x} is {:#04x} by its "
        "commands, {:#04x} by its units; please report this with the network and its options",
        programs[core].commands.size(),
        range.address + static_cast<std::uint64_t>(unit - by_units[place].begin()),
        std::to_integer<int>(*command), std::to_integer<int>(*unit)));
  });
  return faults;
}

}  // namespace systole
