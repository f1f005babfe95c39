#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// A sentence and its translation, as in the file.
struct SentencePair {
  std::string english, spanish;
};

/// Reads parallel text: a line for each pair, "English<TAB>Spanish", UTF-8, LF or CRLF, plain or
/// gzip.
///
/// Errors   DataError naming file and line for a line that is not UTF-8, has not exactly one tab or
///          has nothing before or after it; for a file without any line
std::vector<SentencePair> read_parallel_text(const std::filesystem::path& path);

/// The English-Spanish pairs "spa-eng" (spa.txt), from find_dataset's folders.
///
/// Shapes   118,964 pairs, the shortest first
/// Errors   DataError as read_parallel_text, and where the file is missing, naming the folders
///          looked in and the command that fetches it
/// Source   Tatoeba (CC BY 2.0) as prepared by manythings.org, the file of TensorFlow's translation
///          tutorial
std::vector<SentencePair> load_parallel_text(
    const std::optional<std::filesystem::path>& data_dir = {});

}  // namespace systole
