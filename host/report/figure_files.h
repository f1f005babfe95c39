#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/report/figures.h"

namespace systole {

/// A folder for figures, each as SVG and, where rsvg-convert is installed, as PNG.
///
/// Timing   the constructor checks that files can be created there, before any work is done
/// Limits   an empty name writes nothing
/// Errors   std::runtime_error naming the folder; existing files are kept
class FigureFolder {
 public:
  explicit FigureFolder(const std::string& folder);

  /// Returns the names of the files written. Each appears whole or not at all.
  std::vector<std::string> write(const std::vector<Figure>& figures) const;
  /// Writes a text next to them and returns its file's name; empty if there is no folder.
  std::string write_text(const std::string& name, const std::string& text) const;

  /// Whether write makes PNG files too.
  static bool has_png();

 private:
  std::filesystem::path folder_;
};

}  // namespace systole
