#include "tests/campaign/placeholders.h"

#include <fmt/format.h>

#include <cctype>

namespace systole::tests {
namespace {

std::string replaced(std::string text, char from, const std::string& to) {
  std::string result;
  const auto part_of_a_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool word = from != '@' && ((i > 0 && part_of_a_word(text[i - 1])) ||
                                      (i + 1 < text.size() && part_of_a_word(text[i + 1])));
    if (text[i] == from && !word) {
      result += to;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace

std::string with_values(std::string text, const std::string& name, int width, int size,
                        int number) {
  text = replaced(text, 'T', fmt::format("UInt<{}>", width));
  text = replaced(text, 'W', std::to_string(width));
  text = replaced(text, 'S', std::to_string(size));
  text = replaced(text, 'N', std::to_string(number));
  return replaced(text, '@', name);
}

}  // namespace systole::tests
