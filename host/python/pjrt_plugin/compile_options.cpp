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
  bool is_first = true;
  const auto take_device = [&](std::uint64_t device) {
    if (is_first) options.device = static_cast<std::int64_t>(device);
    is_first = false;
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

std::string serialized_assignment(int device) {
  // One replica (1) of one computation (2), whose devices (3) are a list (1) of one.
  return {8, 1, 16, 1, 26, 3, 10, 1, static_cast<char>(device)};
}

}  // namespace systole::pjrt
