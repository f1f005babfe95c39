#pragma once

#include <string>
#include <string_view>

namespace systole::pjrt {

struct Partitioned {
  std::string artifact;   ///< what each device runs
  std::string shardings;  ///< of the outputs: abi::Compiled::shardings
};

/// Has the partitioner that systole_pjrt_set_partitioner names divide a program of several devices.
///
/// Errors   python::Failure with the partitioner's text, or if there is none
Partitioned partition(std::string_view artifact);

}  // namespace systole::pjrt
