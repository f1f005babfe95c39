#include "host/data/parallel_text.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "host/data/file_bytes.h"
#include "host/data/utf8.h"
#include "host/data/vocabulary.h"
#include "host/data/words.h"
#include "tests/data/idx_files.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

struct TextFixture {
  TemporaryFolder folder;

  std::vector<SentencePair> read(const std::string& text) const {
    write_bytes(folder.file("text.txt"), {text.begin(), text.end()});
    return read_parallel_text(folder.file("text.txt"));
  }
};

}  // namespace

TEST_CASE("parallel text is read line by line, with any line ending", "[parallel_text]") {
  const TextFixture fixture;
  const std::string text = GENERATE("Go.\tVe.\nI ran.\tCorrí.\n", "Go.\tVe.\r\nI ran.\tCorrí.\r\n",
                                    "Go.\tVe.\nI ran.\tCorrí.");
  const auto pairs = fixture.read(text);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].english == "Go.");
  CHECK(pairs[0].spanish == "Ve.");
  CHECK(pairs[1].english == "I ran.");
  CHECK(pairs[1].spanish == "Corrí.");
}

TEST_CASE("parallel text is read from gzip", "[parallel_text]") {
  const TextFixture fixture;
  const std::string text = "Go.\tVe.\n";
  const auto packed = gzip({text.begin(), text.end()});
  CHECK(fixture.read({packed.begin(), packed.end()}).at(0).spanish == "Ve.");
}

TEST_CASE("parallel text refuses malformed lines with their number", "[parallel_text]") {
  const TextFixture fixture;
  const auto refused = [&](const std::string& text, const std::string& reason) {
    CAPTURE(text);
    CHECK_THROWS_WITH(fixture.read(text), Catch::Contains("text.txt") && Catch::Contains(reason));
  };
  refused("", "it is empty");
  refused("Go.\tVe.\nGo. Ve.\n", "text.txt:2: it has 0 tabs");
  refused("Go.\tVe.\tVete.\n", "text.txt:1: it has 2 tabs");
  refused("Go.\tVe.\n\nStop.\tPara.\n", "text.txt:2: it has 0 tabs");
  refused("\tVe.\n", "nothing before its tab");
  refused("Go.\t\n", "nothing after its tab");
  refused("Go.\tVe.\nI ran.\tCorr\xc3", ":2: it is not UTF-8");  // cut off
  refused("I ran.\tCorr\xed\n", ":1: it is not UTF-8");          // Latin-1
  CHECK_THROWS_WITH(read_parallel_text(fixture.folder.file("none.txt")),
                    Catch::Contains("no such file"));
}

TEST_CASE("a missing text is refused with the places searched and the command that fetches it",
          "[parallel_text]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(
      load_parallel_text(folder.path()),
      Catch::Contains(folder.path()) && Catch::Contains("scripts/fetch_data spa-eng --data-dir"));
  std::filesystem::create_directories(folder.file("spa-eng"));
  write_bytes(folder.file("spa-eng/spa.txt"), {'a', '\t', 'b', '\n'});
  CHECK(load_parallel_text(folder.path()).size() == 1);
  CHECK(load_parallel_text(folder.file("spa-eng")).size() == 1);
}

TEST_CASE("valid UTF-8 is decoded and everything else refused", "[utf8]") {
  CHECK(decode_utf8("a\xc3\xb1\xe2\x82\xac\xf0\x9f\x98\x80") == U"a\u00f1\u20ac\U0001f600");
  CHECK(decode_utf8("") == U"");
  for (const char* wrong :
       {"\x80", "\xc3", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xe2\x82", "\xed\xa0\x80",
        "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff", "\xc3\x28"}) {
    CAPTURE(wrong);
    CHECK_FALSE(decode_utf8(wrong).has_value());
  }
}

TEST_CASE("sentences become lower-case words without accents, with punctuation split off",
          "[words]") {
  CHECK(split_words("¿Todavía está en casa?") ==
        Words{"\u00bf", "todavia", "esta", "en", "casa", "?"});
  CHECK(split_words("Don't stop, Zoë!") == Words{"dont", "stop", ",", "zoe", "!"});
  CHECK(split_words("It’s 5:30 - pop-up...") ==
        Words{"its", "5", "30", "pop", "up", ".", ".", "."});
  CHECK(split_words("ÀÑüÿ ŁódŹ ŠČž") == Words{"anuy", "odz", "scz"});
  CHECK(split_words("e\u0301l") == Words{"el"});  // an accent of its own
  CHECK(split_words("a\u00a0b") == Words{"a", "b"});
  CHECK(split_words("").empty());
  CHECK(split_words("€—").empty());
  CHECK_THROWS_AS(split_words("\xff"), std::invalid_argument);
}

TEST_CASE("a vocabulary holds the most frequent words after its four special tokens",
          "[vocabulary]") {
  const std::vector<Words> sentences{{"b", "a", "c"}, {"c", "a", "d"}, {"c"}};
  const Vocabulary vocabulary(sentences, 7);
  CHECK(vocabulary.words() == Words{"", "[UNK]", "[START]", "[END]", "c", "a", "b"});
  CHECK(vocabulary.encode({"a", "d", "c"}) == std::vector<std::int32_t>{2, 5, 1, 4, 3});
  CHECK(vocabulary.decode(std::vector<std::int32_t>{2, 5, 1, 4, 3, 6, 0}) == "a [UNK] c");
  CHECK(vocabulary.decode({}).empty());
  CHECK(Vocabulary(sentences, 100).size() == 8);
  CHECK_THROWS_WITH(Vocabulary(sentences, 4), Catch::Contains("no room for words"));
}

}  // namespace systole::tests
