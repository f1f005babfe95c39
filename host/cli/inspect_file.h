#pragma once

#include <string>

#include "host/device/device.h"

namespace systole {

/// A program in a file: StableHLO's text, or a portable artifact, as JAX's platform `systole` keeps
/// them in $SYSTOLE_KEEP_PROGRAMS.
struct InspectedFile {
  std::string path;
  Device device;
  bool graph = false;       ///< print the graph instead of the program
  std::string print_after;  ///< a pass: print the graph after it
};

/// Prints what a file's program becomes on a device.
///
/// Errors   graph::GraphError for a program that cannot be read, or does not lower
void inspect_file(const InspectedFile& file);

}  // namespace systole
