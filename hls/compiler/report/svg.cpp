#include "hls/compiler/report/svg.h"

#include <fmt/format.h>

namespace systole::compiler {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

void Svg::rect(int x, int y, int width, int height, const char* color, double opacity) {
  body_ += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" fill=\"{}\"{}/>\n", x, y, width,
      height, color, opacity < 1 ? fmt::format(" fill-opacity=\"{:.2f}\"", opacity) : "");
}

void Svg::dashed_line(int x, int top, int height) {
  body_ += fmt::format(
      "<line x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{2}\" stroke=\"#999\" "
      "stroke-dasharray=\"3 3\"/>\n",
      x, top, top + height);
}

void Svg::text(int x, int y, const char* style, const std::string& words) {
  body_ +=
      fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y, style, escaped(words));
}

void Svg::end_text(int x, int y, const std::string& words) {
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"note\" text-anchor=\"end\">{}</text>\n", x,
                       y, escaped(words));
}

std::string Svg::whole(int width, int height) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n"
      "<style>text{{font-family:Helvetica,Arial,sans-serif;fill:#222}}"
      ".title{{font-size:20px;font-weight:bold}}.head{{font-size:13px;font-weight:bold}}"
      ".note{{font-size:11px;fill:#555}}.name{{font-size:11px}}"
      ".bar{{font-size:10px;fill:#fff}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n{2}</svg>\n",
      width, height, body_);
}

}  // namespace systole::compiler
