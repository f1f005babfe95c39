#pragma once

#include <span>
#include <string>
#include <utility>

namespace systole {

/// A text's position at its anchor.
struct TextStyle {
  double size = 13;
  const char* anchor = "start";  ///< start, middle, end
  bool bold = false;
  double turn = 0;  ///< degrees, about the anchor
  double opacity = 1;
};

/// A drawing. Text and lines without an explicit colour take the colour of the surrounding text, so
/// that one drawing suits light and dark pages.
///
/// Units    pixels, y downwards
/// Limits   width_of is an estimate, since no font is loaded
class Svg {
 public:
  Svg(double width, double height) : width_(width), height_(height) {}

  /// `tip` is what a pointer over the shape shows.
  void rect(double x, double y, double width, double height, const std::string& fill,
            const std::string& tip = {}, double opacity = 1);
  void line(double x1, double y1, double x2, double y2, double opacity = 1, double width = 1);
  void path(std::span<const std::pair<double, double>> points, const std::string& stroke,
            double width = 2);
  /// One of kMarkers shapes, so that curves differ in more than colour.
  void marker(double x, double y, std::size_t shape, const std::string& fill,
              const std::string& tip = {});
  static constexpr std::size_t kMarkers = 6;
  void text(double x, double y, const std::string& words, const TextStyle& style = {});

  static double width_of(const std::string& words, double size);

  double width() const { return width_; }
  double height() const { return height_; }
  std::string in_page(const std::string& title) const;  ///< an element for an HTML page
  std::string file(const std::string& title) const;     ///< a separate file, on white

 private:
  std::string root(const std::string& attributes, const std::string& title,
                   const std::string& background) const;

  double width_, height_;
  std::string body_;
};

/// Escapes & < > " for XML and HTML.
std::string escaped(const std::string& text);

}  // namespace systole
