#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace systole::pjrt {

/// What JAX says of the devices that a program is for.
struct CompileOptions {
  std::int64_t replicas = 1, partitions = 1;
  std::vector<std::int64_t> devices = {};  ///< of one partition's replicas after the other
};

/// Reads a serialized CompileOptionsProto: of executable_build_options (3) the numbers of replicas
/// (4) and partitions (5), and the device assignment (9).
///
/// Errors   Failure for bytes that are no message
/// Source   xla/pjrt/proto/compile_options.proto and xla/xla_data.proto of openxla/xla
CompileOptions parse_compile_options(std::string_view bytes);

/// A DeviceAssignmentProto of them.
std::string serialized_assignment(const CompileOptions& options);

}  // namespace systole::pjrt
