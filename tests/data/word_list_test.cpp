#include "host/data/word_list.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "host/data/datasets.h"
#include "host/data/file_bytes.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

std::vector<std::string> some_words(int count) {
  std::vector<std::string> words;
  for (int i = 0; i < count; ++i) {
    words.push_back({static_cast<char>('a' + i % 26), static_cast<char>('a' + i / 26 % 26), 'x'});
  }
  return words;
}

}  // namespace

TEST_CASE("a word list's words are the lines of the letters a to z alone", "[word_list]") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("american-english")) << "A\nab\nab's\n\nzebra\nétude\nend";
  CHECK(read_word_list(folder.file("american-english")) ==
        std::vector<std::string>{"ab", "zebra", "end"});
  std::ofstream(folder.file("none")) << "A\n1\n";
  CHECK_THROWS_WITH(read_word_list(folder.file("none")), Catch::Contains("no line is a word"));
  CHECK_THROWS_AS(read_word_list(folder.file("missing")), DataError);
}

TEST_CASE("samples of words are a text of which each label is the next character", "[word_list]") {
  const SplitDataset data = word_samples(some_words(100), 8);
  CHECK(data.train.sample_shape == std::vector<std::int64_t>{8});
  CHECK(data.train.labels_per_sample == 8);
  CHECK(data.train.classes == kLetters);
  CHECK(data.train.size() == 90 * 4 / 8);
  CHECK(data.test.size() == 10 * 4 / 8);
  for (const Dataset* part : {&data.train, &data.test}) {
    const std::size_t count = part->labels.size();
    REQUIRE(part->inputs.size() == count);
    CHECK(part->inputs[0] == 0);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      CHECK(part->inputs[i + 1] == static_cast<float>(part->labels[i]));
    }
    for (std::size_t i = 0; i < count; i += 4) {
      CHECK(part->inputs[i] == 0);
      CHECK(letter_of(part->labels[i + 2]) == 'x');
    }
  }
  CHECK(data.train.first(2).labels.size() == 16);
  CHECK(word_samples(some_words(100), 8).train.inputs == data.train.inputs);
  CHECK_THROWS_WITH(word_samples(some_words(9), 8), Catch::Contains("do not fill a sample of 8"));
}

TEST_CASE("the data set words loads with the context that is asked for", "[word_list]") {
  const TemporaryFolder folder;
  std::ofstream file(folder.file("american-english"));
  for (const std::string& word : some_words(676)) file << word << "\n";
  file.close();
  CHECK(load_dataset("words", folder.path()).train.sample_shape.front() == kWordsContext);
  CHECK(load_dataset("words", folder.path(), 16).test.sample_shape.front() == 16);
}

}  // namespace systole::tests
