#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hls/compiler/report/report.h"

namespace systole::compiler {

/// One register of 32 bits of a function's register file: a scalar, or a part of one.
struct LiteRegister {
  std::string name;    ///< "scale", "a_address_low"
  std::string scalar;  ///< the argument's or result's name: "scale", "a_address"
  int offset = 0;
  int low = 0;    ///< the scalar's bit that is bit 0 here
  int bits = 0;   ///< of the scalar, from there
  int width = 0;  ///< of the whole scalar
  bool is_signed = false;
  bool is_result = false;
  std::string about;
};

/// The registers of a function: those that all have, and one or two for each scalar.
///
/// Errors   Refusal for a scalar of more than 64 bits, and for two registers of one name
std::vector<LiteRegister> lite_registers(const KernelReport& kernel);

/// The description of the device, in the form of hls/device/device.json.
nlohmann::ordered_json describe_device(const KernelReport& kernel,
                                       const std::vector<LiteRegister>& registers);

}  // namespace systole::compiler
