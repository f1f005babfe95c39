#include "sim/model/program_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

#include "host/driver/device.h"
#include "host/runtime/digest.h"
#include "host/runtime/program_cache.h"
#include "model_sources.h"
#include "sim/model/command_address.h"

namespace systole {
namespace {

/// A program's products and commands as they are wherever it lies, in numbers.
template <typename Take>
void take_numbers(const PlacedProgram& program, const Take& take) {
  const FromFirstPage moved(*program.products);
  for (const Product& product : *program.products) take(numbers_of(moved(product)));
  for (const device::CommandWord& command : program.commands) {
    const device::CommandWord word = with_address(command, moved);
    take(std::array{word.low, word.high});
  }
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

}  // namespace

ProgramFault ProgramValues::run(const PlacedProgram& program) {
  if (!can_run_products(program)) return interpret(program);
  if (!compared_.contains(hash_of(program))) return run_first(program);
  for (const Product& product : *program.products) runner_.run(product);
  return {};
}

ProgramFault ProgramValues::run_first(const PlacedProgram& program) {
  const std::string identity = identity_of(program);
  ProgramFault fault;
  if (disk_.find(identity) == kEqual) {
    for (const Product& product : *program.products) runner_.run(product);
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
      "products of a program\nsources {}\narray {}\nkernels {}\ncommands {}\nproducts {}\n"
      "digest {}",
      kModelSources, array_size_, block_kernels().begin()->name, program.commands.size(),
      program.products->size(), digest.hex());
}

bool ProgramValues::can_run_products(const PlacedProgram& program) const {
  return program.products != nullptr &&
         std::ranges::all_of(*program.products,
                             [&](const Product& product) { return runner_.can_run(product); });
}

ProgramFault ProgramValues::interpret(const PlacedProgram& program) {
  const ProgramWindow window{program.base, program.end, true, true};
  interpreter_.reset();
  interpreter_.set_windows({&window, 1});
  return interpreter_.run(program.commands);
}

std::vector<std::vector<std::byte>> ProgramValues::read(
    const std::vector<MemoryRange>& ranges) const {
  std::vector<std::vector<std::byte>> bytes;
  for (const MemoryRange& range : ranges) {
    const std::byte* first = memory_->locate(range.address, range.size_bytes);
    bytes.emplace_back(first, first + range.size_bytes);
  }
  return bytes;
}

ProgramFault ProgramValues::compare(const PlacedProgram& program) {
  std::vector<MemoryRange> ranges;
  for (const Product& product : *program.products) {
    for (const MemoryRange& range : written_by(product)) ranges.push_back(range);
  }
  const auto before = read(ranges);
  for (const Product& product : *program.products) runner_.run(product);
  const auto by_products = read(ranges);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    std::ranges::copy(before[i], memory_->locate(ranges[i].address, ranges[i].size_bytes));
  }
  const ProgramFault fault = interpret(program);
  if (fault.code != device::FaultCode::kNone) return fault;

  const auto by_commands = read(ranges);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (by_commands[i] == by_products[i]) continue;
    const auto [command, product] = std::ranges::mismatch(by_commands[i], by_products[i]);
    throw DeviceError(fmt::format(
        "a program of {} commands does not compute its products: byte {} at {:#x} is {:#04x} by "
        "its "
        "commands, {:#04x} by its products; please report this with the products' shapes",
        program.commands.size(), command - by_commands[i].begin(), ranges[i].address,
        std::to_integer<int>(*command), std::to_integer<int>(*product)));
  }
  return {};
}

}  // namespace systole
