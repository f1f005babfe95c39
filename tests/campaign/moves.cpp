#include "tests/campaign/moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace systole::tests {

std::string Moves::perhaps(std::uint32_t times, const Scope& scope, const std::string& margin) {
  if (!one_in(times)) return "";
  const std::vector<const Array*> arrays = scope.whole_element_arrays();
  const std::vector<const Variable*> numbers = scope.writable_numbers();
  if (arrays.empty()) return "";
  const Array& array = *any_of(random_, arrays);
  const bool is_shift = one_in(2);
  if (is_shift && array.writable) return shift(array, margin);
  return numbers.empty() ? "" : rows(array, *any_of(random_, numbers), margin);
}

/// Every element to the next place or the one before, as it is: what stays a loop of registers.
std::string Moves::shift(const Array& array, const std::string& margin) {
  const std::string i = fmt::format("i_m{}", names_++);
  const std::string next = array.at(i);
  const std::string one = array.at(i + " - 1");
  const char* type = one_in(3) ? "long" : "std::size_t";
  if (one_in(2)) {
    return fmt::format("{0}for ({1} {2} = {3}; {2} > 0; --{2}) {4} = {5};\n", margin, type, i,
                       array.size - 1, next, one);
  }
  return fmt::format("{0}for ({1} {2} = 1; {2} < {3}; ++{2}) {5} = {4};\n", margin, type, i,
                     array.size, next, one);
}

/// Rows of a local array, of which one is reversed and one is walked down: a row's end is the next
/// one's start.
std::string Moves::rows(const Array& array, const Variable& to, const std::string& margin) {
  const std::string rows = fmt::format("rows_m{}", names_++);
  const int count = random_.between(2, 3);
  const int size = std::min(array.size, random_.between(2, 4));
  const auto row = [&] { return fmt::format("{}[{}]", rows, random_.below(count)); };
  const std::string turned = row();
  std::string text = fmt::format(
      "{0}{{\n{0}  std::remove_cvref_t<decltype({1}[0])> {2}[{3}][{4}];\n"
      "{0}  for (int row = 0; row < {3}; ++row) {{\n"
      "{0}    for (int place = 0; place < {4}; ++place) {{\n"
      "{0}      {2}[row][place] = {1}[row == 1 ? {5} - place : place];\n{0}    }}\n{0}  }}\n"
      "{0}  std::reverse(std::begin({6}), std::end({6}));\n",
      margin, array.name, rows, count, size, size - 1, turned);
  if (array.is_plain && one_in(2)) {
    const std::string walked = row();
    text += fmt::format(
        "{0}  for (auto* p = {1} + {2}; p != {1};) {{\n{0}    --p;\n{0}    *p = {3}(*p ^ {4}[0]);\n"
        "{0}  }}\n",
        margin, walked, size, array.type.text(), turned);
  }
  Scope inside;
  inside.readable = {to,
                     {array.value(fmt::format("{}[0]", turned)), array.type},
                     {array.value(fmt::format("{}[{}]", row(), size - 1)), array.type}};
  return text + fmt::format("{0}  {1} = {2}({3});\n{0}}}\n", margin, to.text, to.type.text(),
                            expressions_.of(to.type, inside, 2));
}

}  // namespace systole::tests
