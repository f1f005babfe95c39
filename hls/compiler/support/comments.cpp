#include "hls/compiler/support/comments.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <sstream>

#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

constexpr llvm::StringRef kMark = "///";
constexpr llvm::StringRef kAfter = "///<";

struct Place {
  std::string path;
  unsigned line = 0;
};

/// Of "file.h:12:5" or "file.h:12"; line 0 for anything else.
Place place_of(const std::string& position) {
  auto [rest, last] = llvm::StringRef(position).rsplit(':');
  auto [path, line] = rest.rsplit(':');
  Place place;
  if (!line.getAsInteger(10, place.line)) {
    place.path = path.str();
  } else if (!last.getAsInteger(10, place.line)) {
    place.path = rest.str();
  }
  return place;
}

llvm::StringRef trimmed_line(const std::string& path, unsigned number, std::string& storage) {
  storage = number == 0 ? "" : source_line(path, number).value_or("");
  return llvm::StringRef(storage).trim();
}

/// The `///` lines that end on line `last`.
std::vector<std::string> lines_up_to(const std::string& path, unsigned last) {
  std::vector<std::string> lines;
  std::string storage;
  for (unsigned at = last; at > 0; --at) {
    llvm::StringRef line = trimmed_line(path, at, storage);
    if (line.starts_with(kAfter) || !line.consume_front(kMark)) break;
    line.consume_front(" ");
    lines.push_back(line.str());
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace

std::string member_comment(const std::string& position) {
  const Place place = place_of(position);
  std::string storage;
  llvm::StringRef line = trimmed_line(place.path, place.line, storage);
  const std::size_t mark = line.find(kAfter);
  std::vector<std::string> lines;
  if (mark == llvm::StringRef::npos) {
    lines = lines_up_to(place.path, place.line - 1);
  } else {
    lines.push_back(line.drop_front(mark + kAfter.size()).str());
    for (unsigned next = place.line + 1;; ++next) {
      line = trimmed_line(place.path, next, storage);
      if (!line.consume_front(kAfter)) break;
      lines.push_back(line.str());
    }
  }
  std::string text;
  for (const std::string& one : lines) {
    const llvm::StringRef words = llvm::StringRef(one).trim();
    if (words.empty()) break;  // the first paragraph
    text += (text.empty() ? "" : " ") + words.str();
  }
  return text;
}

std::vector<std::string> declaration_comment(const std::string& position) {
  const Place place = place_of(position);
  std::string storage;
  for (unsigned at = place.line; at > 1; --at) {
    const llvm::StringRef above = trimmed_line(place.path, at - 1, storage);
    if (above.starts_with(kMark)) return lines_up_to(place.path, at - 1);
    // The template's parameters and a function's return type stand between.
    if (above.empty() || above.starts_with("//") || above.starts_with("#")) break;
    if (llvm::StringRef(";{}:").contains(above.back())) break;
  }
  return {};
}

std::vector<std::string> comment_lines(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > columns) {
      lines.push_back("// " + word);
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
}

}  // namespace systole::compiler
