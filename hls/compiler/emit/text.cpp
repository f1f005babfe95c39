#include "hls/compiler/emit/text.h"

#include <fmt/format.h>
#include <llvm/ADT/APInt.h>
#include <llvm/ADT/SmallString.h>

#include <algorithm>
#include <cctype>

#include "hls/compiler/emit/writer.h"

namespace systole::compiler {

std::string to_text(const Reference& reference) {
  if (reference.offset == 0 && reference.width == reference.base_width) return reference.base;
  return slice_text(reference, reference.width - 1, 0);
}

namespace {

/// A slice of a signal that has only bits [dropped, dropped + base_width) of its value.
std::string kept_text(const Reference& reference, unsigned high, unsigned low) {
  const unsigned top = std::min(high, reference.dropped + reference.base_width - 1);
  const unsigned bottom = std::max(low, reference.dropped);
  if (top < bottom || bottom > high) return zeros(high - low + 1);
  const Reference kept{reference.base, 0, reference.base_width, reference.base_width};
  std::vector<std::string> parts;
  if (high > top) parts.push_back(zeros(high - top));
  parts.push_back(slice_text(kept, top - reference.dropped, bottom - reference.dropped));
  if (bottom > low) parts.push_back(zeros(bottom - low));
  return join_concatenation(parts);
}

}  // namespace

std::string slice_text(const Reference& reference, unsigned high, unsigned low) {
  if (reference.dropped > 0 || reference.width > reference.base_width) {
    return kept_text(reference, high, low);
  }
  if (low == 0 && high + 1 == reference.base_width && reference.offset == 0) return reference.base;
  if (reference.base.front() == '(') {  // a loop's counter and a step
    return low == 0 ? fmt::format("{}'{}", high + 1, reference.base)
                    : fmt::format("{}'({} >> {})", high - low + 1, reference.base, low);
  }
  if (high == low) return fmt::format("{}[{}]", reference.base, reference.offset + low);
  return fmt::format("{}[{}:{}]", reference.base, reference.offset + high, reference.offset + low);
}

unsigned bits_of(const Leaf& leaf) { return static_cast<unsigned>(leaf.width * leaf.elements()); }

std::string logic_type(const Leaf& leaf) { return logic_type(bits_of(leaf)); }

Reference element_of(const std::string& signal, const Leaf& leaf, std::int64_t element) {
  return {signal, static_cast<unsigned>(element) * leaf.width, leaf.width, bits_of(leaf)};
}

std::string literal_of(const llvm::APInt& value) {
  const unsigned width = value.getBitWidth();
  if (width == 1) return value.isZero() ? "1'b0" : "1'b1";
  llvm::SmallString<40> digits;
  if (value.ult(1024) || value.isZero()) {
    value.toStringUnsigned(digits, 10);
    return fmt::format("{}'d{}", width, std::string(digits));
  }
  value.toString(digits, 16, /*Signed=*/false, /*formatAsCLiteral=*/false);
  std::string lower = std::string(digits);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return fmt::format("{}'h{}", width, lower);
}

std::string if_head(const std::string& condition) {
  return condition.front() == '(' ? "if " + condition : "if (" + condition + ")";
}

std::string zeros(unsigned width) {
  return width == 1 ? std::string("1'b0") : fmt::format("{}'d0", width);
}

namespace {

/// "{16{x}}", which is not a concatenation to split.
bool is_replication(const std::string& text) {
  const std::size_t inner = text.find('{', 1);
  return inner != std::string::npos && inner > 1 &&
         text.find_first_not_of("0123456789", 1) == inner;
}

/// 3 for "3'd0", 0 for anything else.
unsigned width_of_zeros(const std::string& text) {
  const std::size_t quote = text.find('\'');
  if (quote == 0 || quote == std::string::npos) return 0;
  if (text.find_first_not_of("0123456789") != quote) return 0;
  const auto width = static_cast<unsigned>(std::stoul(text.substr(0, quote)));
  return text == zeros(width) ? width : 0;
}

}  // namespace

/// "base[high:low]", with high == low for a bit; an empty base for other text.
struct Slice {
  std::string base;
  unsigned high = 0;
  unsigned low = 0;
  bool is_range = false;
};

static Slice slice_of(const std::string& text) {
  const std::size_t open = text.rfind('[');
  if (open == std::string::npos || text.back() != ']') return {};
  if (text.find_first_of(" (){},?") < open) return {};
  const std::string inside = text.substr(open + 1, text.size() - open - 2);
  if (inside.empty() || inside.find_first_not_of("0123456789:") != std::string::npos) return {};
  const std::size_t colon = inside.find(':');
  const auto number = [](const std::string& digits) {
    return static_cast<unsigned>(std::stoul(digits));
  };
  return {text.substr(0, open), number(inside.substr(0, colon)),
          number(colon == std::string::npos ? inside : inside.substr(colon + 1)),
          colon != std::string::npos};
}

/// Two neighbours of a concatenation as one, or "". Two single indices may be elements of an array.
static std::string merged(const std::string& left, const std::string& right) {
  const unsigned before = width_of_zeros(left), after = width_of_zeros(right);
  if (before != 0 && after != 0) return zeros(before + after);
  const Slice high = slice_of(left), low = slice_of(right);
  if (high.base.empty() || high.base != low.base || high.low != low.high + 1 ||
      !(high.is_range || low.is_range)) {
    return "";
  }
  return fmt::format("{}[{}:{}]", high.base, high.high, low.low);
}

std::string join_concatenation(const std::vector<std::string>& parts) {
  if (parts.size() == 1) return parts[0];
  std::string text;
  for (const std::string& part : parts) {
    const bool nested = part.front() == '{' && is_closed(part) && !is_replication(part);
    std::string more = nested ? part.substr(1, part.size() - 2) : part;
    if (text.empty()) {
      text = more;
      continue;
    }
    const std::size_t last = text.rfind(", ") == std::string::npos ? 0 : text.rfind(", ") + 2;
    const std::size_t first = std::min(more.find(','), more.size());
    const std::string one = merged(text.substr(last), more.substr(0, first));
    text = one.empty() ? text + ", " + more : text.substr(0, last) + one + more.substr(first);
  }
  const bool is_one = text.find(", ") == std::string::npos;
  return is_one ? text : "{" + text + "}";
}

bool is_closed(const std::string& text) {
  if (text.find(' ') == std::string::npos) return text[0] != '-' && text[0] != '~';
  const auto named = std::isalpha(static_cast<unsigned char>(text.front())) != 0;
  const std::size_t open = text.find('[');
  if (named && open < text.find(' ')) return text.find(']') + 1 == text.size();  // "x_i[i +: 8]"
  if (text.front() != '{') return false;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (depth == 0) return i + 1 == text.size();
  }
  return false;
}

}  // namespace systole::compiler
