#pragma once

#include <string>

namespace systole::compiler {

struct KernelReport;

/// A picture in the making, in pixels from its upper left corner.
class Svg {
 public:
  void rect(int x, int y, int width, int height, const char* color, double opacity);
  void dashed_line(int x, int top, int height);
  /// `style` is "title", "head", "note", "name" or "bar".
  void text(int x, int y, const char* style, const std::string& words);
  /// The same as a note that ends at x.
  void end_text(int x, int y, const std::string& words);

  std::string whole(int width, int height) const;

 private:
  std::string body_;
};

/// as_svg() of a dataflow() function.
std::string network_svg(const KernelReport& network);

}  // namespace systole::compiler
