#pragma once

#include <map>
#include <string>
#include <vector>

#include "hls/compiler/compiler.h"

namespace systole::compiler {

/// What puts a function over arrays on AXI4-Lite: two modules, its register file and the device
/// that joins both, and by name the files for those who use it: the description of the registers,
/// the driver's header and the registers as a page.
struct LiteInterface {
  std::vector<GeneratedModule> modules;
  std::map<std::string, std::string> files;
};

/// The interface of a module that generate_kernel() made. The register file is HLS C++ and goes
/// through the compiler like any module.
///
/// Errors   Refusal for a scalar of more than 64 bits, and for two registers of one name
LiteInterface lite_interface(const Source& source, const GeneratedModule& kernel,
                             const std::string& target = kDefaultTarget);

}  // namespace systole::compiler
