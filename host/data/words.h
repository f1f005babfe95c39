#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace systole {

/// Splits a sentence into words of lower-case ASCII letters and digits; each of the marks . ? ! , ¿
/// is a word. Accents are removed ("mañana" becomes "manana"), and so are apostrophes ("don't"
/// becomes "dont"). Every other character separates words.
///
/// Limits   letters of Latin-1 and Latin Extended-A lose their accents; letters of other scripts
///          separate words
/// Errors   std::invalid_argument for text that is not UTF-8
/// Source   the standardisation of TensorFlow's translation tutorial, except that it drops digits,
///          and removes dashes without splitting words
using Words = std::vector<std::string>;
Words split_words(std::string_view sentence);

}  // namespace systole
