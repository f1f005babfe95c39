#pragma once

#include <span>
#include <string>
#include <utility>

namespace systole {

/// How a text stands at its anchor.
struct TextStyle {
  double size = 13;
  const char* anchor = "start";  ///< start, middle, end
  bool bold = false;
  double turn = 0;  ///< degrees, about the anchor
  double opacity = 1;
};

/// A drawing. Text and lines without a colour of their own take that of the text around the
/// drawing, so that one drawing suits a light page and a dark one.
///
/// Units    pixels, y downwards
/// Limits   width_of estimates, since no font is at hand
class Svg {
 public:
  Svg(double width, double height) : width_(width), height_(height) {}

  /// `tip` is what a pointer over the shape shows.
  void rect(double x, double y, double width, double height, const std::string& fill,
            const std::string& tip = {}, double opacity = 1);
  void line(double x1, double y1, double x2, double y2, double opacity = 1, double width = 1);
  void path(std::span<const std::pair<double, double>> points, const std::string& stroke,
            double width = 2);
  /// One of kMarkers shapes, so that colour is not all that tells curves apart.
  void marker(double x, double y, std::size_t shape, const std::string& fill,
              const std::string& tip = {});
  static constexpr std::size_t kMarkers = 6;
  void text(double x, double y, const std::string& words, const TextStyle& style = {});

  static double width_of(const std::string& words, double size);

  double width() const { return width_; }
  double height() const { return height_; }
  std::string in_page(const std::string& title) const;  ///< an element for an HTML page
  std::string file(const std::string& title) const;     ///< a file of its own, on white

 private:
  std::string root(const std::string& attributes, const std::string& title,
                   const std::string& background) const;

  double width_, height_;
  std::string body_;
};

/// & < > " as XML and HTML want them.
std::string escaped(const std::string& text);

}  // namespace systole
