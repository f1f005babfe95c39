#pragma once

#include <filesystem>
#include <string>

#include "tests/campaign/batch.h"

namespace systole::tests {

/// A folder in which one design is built and run, a command at a time.
class Design {
 public:
  /// Empties the folder.
  explicit Design(const BatchTools& tools);

  const std::filesystem::path& folder() const { return folder_; }

  /// Whether this shell command succeeded in the folder; its output is in log().
  ///
  /// Errors   std::runtime_error when there is no shell
  bool step(const std::string& command) const;
  std::string log() const;

  /// NAME.h, which holds `what`, to NAME.sv.
  bool compile(const std::string& name, const std::string& top, const std::string& what) const;

  /// NAME.sv to the C++ of its model, VNAME, and NAME_ports.h.
  bool verilate(const std::string& name) const;

  /// driver.cpp and every model to `driver`. What `driver.cpp` includes first, "../NAME.h", is
  /// compiled once for all designs; this is its text.
  bool build_driver(const std::string& name, const std::string& common) const;

 private:
  const BatchTools& tools_;
  std::filesystem::path folder_;
};

}  // namespace systole::tests
