#include "host/data/utf8.h"

namespace systole {

std::optional<std::u32string> decode_utf8(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    if (first < 0x80) {
      points += first;
      continue;
    }
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc0 || first >= 0xf8) return {};
    char32_t point = first & (0x3fu >> more);
    for (int k = 0; k < more; ++k) {
      if (i == text.size()) return {};
      const auto next = static_cast<unsigned char>(text[i++]);
      if ((next & 0xc0) != 0x80) return {};
      point = point << 6 | (next & 0x3fu);
    }
    constexpr char32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
    const bool surrogate = point >= 0xd800 && point < 0xe000;
    if (point < kSmallest[more] || point > 0x10ffff || surrogate) return {};
    points += point;
  }
  return points;
}

}  // namespace systole
