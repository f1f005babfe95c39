#include "hls/compiler/emit/writer.h"

#include <fmt/format.h>

namespace systole::compiler {
namespace {
constexpr std::size_t kColumns = 100;
}

void Writer::line(const std::string& text) { lines_.push_back(broken(text, indent_)); }

void Writer::blank() {
  if (!lines_.empty() && !lines_.back().empty()) lines_.emplace_back();
}

void Writer::declare(const std::string& text) { declarations_.push_back(broken(text, indent_)); }

void Writer::block(const std::string& head, const Writer& content, const std::string& label) {
  line(
      fmt::format("{}begin{}", head.empty() ? "" : head + " ", label.empty() ? "" : " : " + label));
  for (const std::string& one : content.declarations_) lines_.push_back(one);
  for (const std::string& one : content.lines_) lines_.push_back(one);
  line("end");
}

void Writer::append(const Writer& content) {
  declarations_.insert(declarations_.end(), content.declarations_.begin(),
                       content.declarations_.end());
  lines_.insert(lines_.end(), content.lines_.begin(), content.lines_.end());
}

std::string Writer::text() const {
  std::string result;
  for (const std::string& one : declarations_) result += one + "\n";
  for (const std::string& one : lines_) result += one + "\n";
  return result;
}

std::string Writer::broken(const std::string& text, int indent) {
  const auto comment = text.find("  // ");
  if (comment != std::string::npos && 2 * indent + text.size() > kColumns) {
    return broken(text.substr(comment + 2), indent) + "\n" +
           broken(text.substr(0, comment), indent);
  }
  std::string rest = std::string(2 * indent, ' ') + text;
  std::string result;
  const std::string hang(2 * indent + 4, ' ');
  while (rest.size() > kColumns && text.rfind("//", 0) != 0) {
    // Break after the last blank that leaves the line short enough.
    std::size_t at = rest.rfind(' ', kColumns);
    if (at == std::string::npos || at <= hang.size()) break;
    result += rest.substr(0, at) + "\n";
    rest = hang + rest.substr(at + 1);
  }
  return result + rest;
}

std::string array_dimension(std::int64_t elements) {
  std::int64_t size = 1;
  while (size < elements) size *= 2;
  return fmt::format(" [{}]", size);
}

std::string logic_type(unsigned width) {
  return width == 1 ? "logic" : fmt::format("logic [{}:0]", width - 1);
}

}  // namespace systole::compiler
