#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/data/dataset.h"

namespace systole {

/// Letters a to z as 1 to 26; 0 ends a word.
inline constexpr std::int32_t kLetters = 27;
/// Characters of a sample of words, unless others are asked for.
inline constexpr std::int64_t kWordsContext = 32;

/// The words of a list that are lower-case letters alone, in the list's order; a word a line.
///
/// Errors   DataError for a file that cannot be read, or has no such word
std::vector<std::string> read_word_list(const std::filesystem::path& path);

/// Words as a text to learn spelling from, in an order that depends on nothing else: one in ten is
/// held out for testing. Each part is its words one after the other, each ended by 0, cut into
/// samples; a character's label is the next one.
///
/// Shapes   a sample is [context] character numbers and as many labels
/// Limits   context >= 1
/// Errors   DataError for too few words to fill a sample of each part
SplitDataset word_samples(std::vector<std::string> words, std::int64_t context);

/// A letter's number; 0 for any other character.
std::int32_t letter_number(char letter);
char letter_of(std::int32_t number);  ///< of 1 to 26

}  // namespace systole
