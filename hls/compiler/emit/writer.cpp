#include "hls/compiler/emit/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

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

bool Writer::is_one_if() const {
  const std::string margin(2 * indent_, ' ');
  if (!declarations_.empty() || lines_.empty() || !lines_[0].starts_with(margin + "if (")) {
    return false;
  }
  return std::all_of(lines_.begin() + 1, lines_.end(), [&](const std::string& line) {
    // A comment after a statement stays on its line; a separate comment moves.
    const std::size_t comment = line.find("//");
    if (comment != std::string::npos &&
        (comment != line.find_first_not_of(' ') || line.find('\n') != std::string::npos)) {
      return false;
    }
    const std::string_view rest =
        std::string_view(line).substr(std::min(line.size(), margin.size()));
    return line.starts_with(margin) &&
           (rest.starts_with("  ") || rest == "end" || rest.starts_with("else"));
  });
}

void Writer::else_block(const Writer& content) {
  if (!content.is_one_if()) return block("else", content);
  const std::size_t first = lines_.size();
  for (const std::string& one : content.lines_) {
    const std::size_t margin = one.find_first_not_of(' ');
    lines_.push_back(broken(unbroken(one), static_cast<int>(margin / 2) - 1));
  }
  lines_[first].insert(2 * indent_, "else ");
}

/// A statement on one line, without indentation.
std::string Writer::unbroken(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find('\n', at), text.size());
    const std::size_t start = text.find_first_not_of(' ', at);
    result += (result.empty() ? "" : " ") + text.substr(start, next - start);
    at = next + 1;
  }
  return result;
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
    // Break at the last blank that makes the line short enough.
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
