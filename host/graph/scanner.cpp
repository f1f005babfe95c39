#include "host/graph/scanner.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace systole::graph {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '$' || c == '-'; }

}  // namespace

Scanner::Scanner(std::string_view text) : text_(text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') lines_.push_back(i + 1);
  }
  skip();
}

bool Scanner::sees(std::string_view what) const {
  const std::string_view rest = text_.substr(place_);
  if (!rest.starts_with(what)) return false;
  return !is_letter(what.back()) || rest.size() == what.size() || !is_name(rest[what.size()]);
}

bool Scanner::accept(std::string_view what) {
  if (!sees(what)) return false;
  take(what.size());
  return true;
}

void Scanner::expect(std::string_view what) {
  if (!accept(what)) fail(fmt::format("expected '{}'", what));
}

std::string_view Scanner::name() {
  std::size_t length = 0;
  const std::string_view rest = text_.substr(place_);
  while (length < rest.size() && is_name(rest[length])) ++length;
  if (length == 0 || !is_letter(rest[0])) fail("expected a name");
  return take(length);
}

std::string_view Scanner::symbol() {
  expect("@");
  return sees("\"") ? string() : name();
}

std::string_view Scanner::value_id() {
  const std::string_view rest = text_.substr(place_);
  if (!rest.starts_with("%")) fail("expected a value such as %0");
  std::size_t length = 1;
  while (length < rest.size() && is_name(rest[length])) ++length;
  if (length == 1) fail("expected a name after %");
  if (length < rest.size() && rest[length] == '#') {
    const std::size_t number = ++length;
    while (length < rest.size() && is_digit(rest[length])) ++length;
    if (length == number) fail("expected a number after #");
  }
  return take(length);
}

std::string_view Scanner::string() {
  if (!text_.substr(place_).starts_with("\"")) fail("expected a string");
  const std::size_t end = text_.find_first_of("\"\n", place_ + 1);
  if (end == std::string_view::npos || text_[end] != '"') fail("this string does not end");
  const std::size_t length = end - place_ - 1;
  return take(length + 2).substr(1, length);
}

std::int64_t Scanner::integer() {
  std::int64_t result = 0;
  const char* begin = text_.data() + place_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), result);
  if (error != std::errc()) fail("expected a 64-bit integer");
  take(static_cast<std::size_t>(end - begin));
  return result;
}

Integers Scanner::integers(std::string_view end) {
  Integers numbers;
  list(end, [&] { numbers.push_back(integer()); });
  return numbers;
}

std::string_view Scanner::number() {
  for (const std::string_view word : {"true", "false"}) {
    if (accept(word)) return word;
  }
  const std::string_view rest = text_.substr(place_);
  const auto belongs = [&](std::size_t i) {
    const char c = rest[i];
    return is_digit(c) || is_letter(c) || c == '.' ||
           ((c == '-' || c == '+') && (i == 0 || rest[i - 1] == 'e' || rest[i - 1] == 'E'));
  };
  std::size_t length = 0;
  while (length < rest.size() && belongs(length)) ++length;
  if (length == 0) fail("expected a number");
  return take(length);
}

Shape Scanner::shape(std::string_view& element) {
  expect("tensor");
  expect("<");
  Shape shape;
  while (place_ < text_.size() && is_digit(text_[place_])) {
    const std::size_t begin = place_;
    std::int64_t size = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + place_, text_.data() + text_.size(), size);
    place_ = static_cast<std::size_t>(end - text_.data());
    if (error != std::errc() || !is_countable({size}))
      fail_at(begin, "this dimension is too large");
    shape.push_back(size);
    if (place_ == text_.size() || text_[place_] != 'x') fail("expected x after a dimension");
    ++place_;
  }
  const std::size_t begin = place_;
  element = name();
  if (sees("<")) fail_at(begin, fmt::format("unknown element type '{}{}'", element, group()));
  expect(">");
  return shape;
}

Type Scanner::type(std::string_view operation) {
  const std::size_t begin = place_;
  const auto refuse = [&](std::string_view what) {
    fail_at(begin, fmt::format("{}{}{}", operation, operation.empty() ? "" : ": ", what));
  };
  std::string_view element;
  Type type{Element::kF32, shape(element)};
  try {
    type.element = parse_element(element);
  } catch (const std::invalid_argument& error) {
    refuse(error.what());
  }
  if (!is_countable(type.shape)) refuse("this tensor has too many elements");
  return type;
}

std::vector<Type> Scanner::types(std::string_view operation) {
  std::vector<Type> types;
  const auto add = [&] { types.push_back(type(operation)); };
  accept("(") ? list(")", add) : add();
  return types;
}

std::string_view Scanner::until(char end) {
  const std::size_t found = text_.find(end, place_);
  if (found == std::string_view::npos) fail(fmt::format("expected '{}'", end));
  return take(found - place_);
}

// The end of a value, at the first comma or closing bracket outside it; or of a bracketed group.
std::size_t Scanner::find_end(bool of_group) const {
  int depth = 0;
  for (std::size_t i = place_; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '"') {
      const std::size_t end = text_.find_first_of("\"\n", i + 1);
      if (end == std::string_view::npos || text_[end] != '"')
        fail_at(i, "this string does not end");
      i = end;
      continue;
    }
    if (of_group && text_.substr(i).starts_with("//")) {
      i = std::min(text_.find('\n', i), text_.size());
      continue;
    }
    const bool closes =
        c == ']' || c == '}' || c == ')' || (c == '>' && (i == 0 || text_[i - 1] != '-'));
    if (depth == 0 && !of_group && (c == ',' || closes)) return i;
    if (c == '<' || c == '[' || c == '{' || c == '(') ++depth;
    if (closes && --depth == 0 && of_group) return i + 1;
  }
  if (of_group) fail("this bracket does not close");
  return text_.size();
}

std::string_view Scanner::any_value() {
  const std::size_t end = find_end(false);
  if (end == place_) fail("expected a value");
  return take(end - place_);
}

std::string_view Scanner::group() {
  if (at_end() || std::string_view("<[{(").find(text_[place_]) == std::string_view::npos) {
    fail("expected a bracket");
  }
  return take(find_end(true) - place_);
}

std::string Scanner::line_and_column(std::size_t place) const {
  const std::size_t at = std::min(place, text_.size());
  const auto line = std::ranges::upper_bound(lines_, at) - lines_.begin();
  return fmt::format("{}:{}", line, at - lines_[static_cast<std::size_t>(line) - 1] + 1);
}

void Scanner::fail_at(std::size_t place, const std::string& what) const {
  throw GraphError(fmt::format("{}: {}", line_and_column(place), what));
}

void Scanner::skip() {
  for (;;) {
    while (place_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[place_])) != 0) {
      ++place_;
    }
    if (!text_.substr(place_).starts_with("//")) return;
    place_ = std::min(text_.find('\n', place_), text_.size());
  }
}

std::string_view Scanner::take(std::size_t length) {
  const std::string_view taken = text_.substr(place_, length);
  place_ += length;
  skip();
  return taken;
}

}  // namespace systole::graph
