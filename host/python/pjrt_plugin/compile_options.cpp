#include "host/python/pjrt_plugin/compile_options.h"

#include <functional>

#include "host/python/core/core.h"

namespace systole::pjrt {
namespace {

[[noreturn]] void fail() {
  throw python::Failure(python::Code::kInvalidArgument, "the compile options are no message");
}

std::uint64_t take_number(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (bytes.empty()) fail();
    const auto byte = static_cast<std::uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  fail();
}

std::string_view take(std::string_view& bytes, std::uint64_t size) {
  if (size > bytes.size()) fail();
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

// Calls number(field, value) and message(field, bytes) for each field of a message.
void for_each_field(std::string_view bytes,
                    const std::function<void(std::uint64_t, std::uint64_t)>& number,
                    const std::function<void(std::uint64_t, std::string_view)>& message) {
  while (!bytes.empty()) {
    const std::uint64_t tag = take_number(bytes);
    switch (tag & 7U) {
      case 0:
        number(tag >> 3, take_number(bytes));
        break;
      case 1:
        take(bytes, 8);
        break;
      case 2:
        message(tag >> 3, take(bytes, take_number(bytes)));
        break;
      case 5:
        take(bytes, 4);
        break;
      default:
        fail();
    }
  }
}

void pass_number(std::uint64_t, std::uint64_t) {}

// computation_devices (3) have their replica_device_ids (1) packed, or one by one.
void read_assignment(std::string_view bytes, CompileOptions& options) {
  const auto take_device = [&](std::uint64_t device) {
    options.devices.push_back(static_cast<std::int64_t>(device));
  };
  for_each_field(bytes, pass_number, [&](std::uint64_t field, std::string_view devices) {
    if (field != 3) return;
    for_each_field(
        devices, [&](std::uint64_t, std::uint64_t device) { take_device(device); },
        [&](std::uint64_t, std::string_view packed) {
          while (!packed.empty()) take_device(take_number(packed));
        });
  });
}

}  // namespace

CompileOptions parse_compile_options(std::string_view bytes) {
  CompileOptions options;
  for_each_field(bytes, pass_number, [&](std::uint64_t field, std::string_view build) {
    if (field != 3) return;
    for_each_field(
        build,
        [&](std::uint64_t inner, std::uint64_t value) {
          if (inner == 4) options.replicas = static_cast<std::int64_t>(value);
          if (inner == 5) options.partitions = static_cast<std::int64_t>(value);
        },
        [&](std::uint64_t inner, std::string_view assignment) {
          if (inner == 9) read_assignment(assignment, options);
        });
  });
  return options;
}

std::string serialized_assignment(const CompileOptions& options) {
  constexpr char kReplicas = 1 << 3, kComputations = 2 << 3, kDevices = (3 << 3) + 2,
                 kList = (1 << 3) + 2;
  const auto byte = [](std::int64_t number) { return static_cast<char>(number); };  // all are small
  std::string bytes{kReplicas, byte(options.replicas), kComputations, byte(options.partitions)};
  for (std::int64_t partition = 0; partition < options.partitions; ++partition) {
    bytes += {kDevices, byte(options.replicas + 2), kList, byte(options.replicas)};
    for (std::int64_t replica = 0; replica < options.replicas; ++replica) {
      bytes +=
          byte(options.devices[static_cast<std::size_t>(partition * options.replicas + replica)]);
    }
  }
  return bytes;
}

}  // namespace systole::pjrt
