#include "host/report/svg.h"

#include <fmt/format.h>

#include <map>
#include <vector>

namespace systole {
namespace {

using Points = std::span<const std::pair<double, double>>;

std::string joined(Points points, double x = 0, double y = 0) {
  std::string text;
  for (const auto& [dx, dy] : points) {
    text += fmt::format("{}{:.1f},{:.1f}", text.empty() ? "" : " ", x + dx, y + dy);
  }
  return text;
}

std::string tooltip(const std::string& tip) {
  return tip.empty() ? std::string() : fmt::format("<title>{}</title>", escaped(tip));
}

}  // namespace

std::string escaped(const std::string& text) {
  static const std::map<char, std::string> kEscapes = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string result;
  for (const char c : text) {
    const auto escape = kEscapes.find(c);
    result += escape == kEscapes.end() ? std::string(1, c) : escape->second;
  }
  return result;
}

void Svg::rect(double x, double y, double width, double height, const std::string& fill,
               const std::string& tip, double opacity) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "fill=\"{}\"{}>{}</rect>\n",
      x, y, width, height, fill, opacity < 1 ? fmt::format(" opacity=\"{}\"", opacity) : "",
      tooltip(tip));
}

void Svg::line(double x1, double y1, double x2, double y2, double opacity, double width) {
  body_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"currentColor\" "
      "stroke-width=\"{}\" opacity=\"{}\"/>\n",
      x1, y1, x2, y2, width, opacity);
}

void Svg::path(std::span<const std::pair<double, double>> points, const std::string& stroke,
               double width) {
  body_ += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
      "stroke-linejoin=\"round\"/>\n",
      joined(points), stroke, width);
}

void Svg::marker(double x, double y, std::size_t shape, const std::string& fill,
                 const std::string& tip) {
  // The corners about the middle; a circle has none.
  static const std::vector<std::pair<double, double>> kShapes[kMarkers] = {
      {},
      {{-4, -4}, {4, -4}, {4, 4}, {-4, 4}},
      {{0, -5.5}, {5, 4}, {-5, 4}},
      {{0, -6}, {6, 0}, {0, 6}, {-6, 0}},
      {{0, 5.5}, {5, -4}, {-5, -4}},
      {{-5, -2},
       {-2, -2},
       {-2, -5},
       {2, -5},
       {2, -2},
       {5, -2},
       {5, 2},
       {2, 2},
       {2, 5},
       {-2, 5},
       {-2, 2},
       {-5, 2}}};
  const auto& corners = kShapes[shape % kMarkers];
  const std::string outline =
      corners.empty() ? fmt::format("circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\"", x, y)
                      : fmt::format("polygon points=\"{}\"", joined(corners, x, y));
  body_ += fmt::format("<{} fill=\"{}\">{}</{}>\n", outline, fill, tooltip(tip),
                       corners.empty() ? "circle" : "polygon");
}

void Svg::text(double x, double y, const std::string& words, const TextStyle& style) {
  body_ += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" text-anchor=\"{}\"{}{}{}>{}</text>\n", x, y,
      style.size, style.anchor, style.bold ? " font-weight=\"600\"" : "",
      style.turn != 0 ? fmt::format(" transform=\"rotate({} {:.1f} {:.1f})\"", style.turn, x, y)
                      : "",
      style.opacity < 1 ? fmt::format(" opacity=\"{}\"", style.opacity) : "", escaped(words));
}

double Svg::width_of(const std::string& words, double size) {
  constexpr double kMeanWidth = 0.58;  // of DejaVu Sans, the broadest of the requested fonts
  return kMeanWidth * size * static_cast<double>(words.size());
}

std::string Svg::root(const std::string& attributes, const std::string& title,
                      const std::string& background) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" {2} "
      "font-family=\"'DejaVu Sans', Verdana, Arial, sans-serif\" fill=\"currentColor\" "
      "role=\"img\">\n<title>{3}</title>\n{4}{5}</svg>\n",
      width_, height_, attributes, escaped(title), background, body_);
}

std::string Svg::in_page(const std::string& title) const { return root("", title, ""); }

std::string Svg::file(const std::string& title) const {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         root(fmt::format("width=\"{:g}\" height=\"{:g}\" color=\"#222222\"", width_, height_),
              title, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

}  // namespace systole
