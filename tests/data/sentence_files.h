#pragma once

#include <filesystem>

namespace systole::tests {

/// A parallel text in spa-eng's file, "I see 3 dogs." and the like: 12 pairs for each of `numbers`.
void write_small_sentences(const std::filesystem::path& folder, int numbers);

}  // namespace systole::tests
