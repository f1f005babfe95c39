#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hls/compiler/interface/description.h"

namespace systole::compiler {

/// The Map of systole/hls/lite_registers.h for these registers, as HLS C++ that hlsc compiles.
std::string lite_map(const std::vector<LiteRegister>& registers);

/// `systole_NAME_device`: the function's module and its registers, wired. Every port of the
/// function that no register stands for is a port of the device.
std::string lite_device(const KernelReport& kernel, const std::vector<LiteRegister>& registers,
                        const std::string& made);

/// The class that drives the device, as a C++ header of its own.
std::string lite_driver(const KernelReport& kernel, const std::vector<LiteRegister>& registers,
                        const std::string& made);

/// The registers as a page in Markdown, from the description.
std::string lite_page(const nlohmann::ordered_json& description, const std::string& made);

}  // namespace systole::compiler
