#include "host/data/words.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/data/utf8.h"

namespace systole {
namespace {

// The letter under the accent, from U+00C0; '-' where there is none.
constexpr std::string_view kLatin1 =
    "aaaaaa-ceeeeiiii-nooooo--uuuuy--aaaaaa-ceeeeiiii-nooooo--uuuuy-y";
// Likewise from U+0100.
constexpr std::string_view kLatinExtendedA =
    "aaaaaaccccccccdd--eeeeeeeeeegggggggghh--iiiiiiiii---jjkk-llllllll--nnnnnn---oooooo--rrrrrr"
    "sssssssstttt--uuuuuuuuuuuuwwyyyzzzzzzs";
static_assert(kLatin1.size() == 0x40 && kLatinExtendedA.size() == 0x80);

constexpr char kNone = '-';

char letter_of(char32_t point) {
  if (point >= U'A' && point <= U'Z') return static_cast<char>(point - U'A' + U'a');
  if ((point >= U'a' && point <= U'z') || (point >= U'0' && point <= U'9')) {
    return static_cast<char>(point);
  }
  if (point >= 0xc0 && point < 0x100) return kLatin1[point - 0xc0];
  if (point >= 0x100 && point < 0x180) return kLatinExtendedA[point - 0x100];
  return kNone;
}

bool vanishes(char32_t point) {
  const bool combining_mark = point >= 0x300 && point < 0x370;
  const bool apostrophe = point == U'\'' || point == 0x2018 || point == 0x2019;
  return combining_mark || apostrophe;
}

}  // namespace

Words split_words(std::string_view sentence) {
  const auto points = decode_utf8(sentence);
  if (!points) throw std::invalid_argument(fmt::format("a sentence is not UTF-8"));
  Words words;
  bool inside = false;
  for (const char32_t point : *points) {
    if (vanishes(point)) continue;
    if (const char letter = letter_of(point); letter != kNone) {
      if (!inside) words.emplace_back();
      words.back() += letter;
      inside = true;
      continue;
    }
    inside = false;
    if (point == U'.' || point == U'?' || point == U'!' || point == U',') {
      words.emplace_back(1, static_cast<char>(point));
    } else if (point == 0xbf) {
      words.emplace_back("\u00bf");
    }
  }
  return words;
}

}  // namespace systole
