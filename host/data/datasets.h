#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/data/dataset.h"
#include "host/data/word_list.h"

namespace systole {

/// The names load_dataset takes: "fashion-mnist", "mnist", "cifar10", "words".
std::vector<std::string> dataset_names();

/// Where a set's files may be, first choice first: `data_dir` alone if given (a folder of the set's
/// name in it, or the files), otherwise $SYSTOLE_DATA_DIR/NAME, data/NAME under the current folder,
/// $XDG_CACHE_HOME/systole/NAME (by default ~/.cache/systole/NAME), and the folder of the Debian
/// package (/usr/share/datasets/fashion-mnist, /usr/share/dict for words).
///
/// Errors   DataError if $SYSTOLE_DATA_DIR is set and names no folder
std::vector<std::filesystem::path> dataset_folders(
    std::string_view name, const std::optional<std::filesystem::path>& data_dir = {});

/// The first of dataset_folders that has files of the set.
///
/// Errors   DataError naming the folders looked in and the command that fetches the set;
///          std::invalid_argument for an unknown name, listing the known ones
std::filesystem::path find_dataset(std::string_view name,
                                   const std::optional<std::filesystem::path>& data_dir = {});

/// Both parts of a set, from find_dataset's folder; each file plain or with .gz.
///
/// Shapes   fashion-mnist, mnist: 60,000 + 10,000 images of 28 x 28 x 1, 10 classes;
///          cifar10: 50,000 + 10,000 of 32 x 32 x 3, 10 classes;
///          words: as word_samples has them
/// context: characters of a sample of words
/// Errors   as find_dataset, read_idx_dataset, read_cifar10 and read_word_list, and for images of
///          another size
SplitDataset load_dataset(std::string_view name,
                          const std::optional<std::filesystem::path>& data_dir = {},
                          std::int64_t context = kWordsContext);

}  // namespace systole
