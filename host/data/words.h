#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace systole {

/// A sentence as words: lower-case ASCII letters and digits, and the marks . ? ! , ¿ each a word of
/// its own. Accents go ("mañana" is "manana"), apostrophes vanish ("don't" is "dont"), and every
/// other character separates words.
///
/// Limits   letters of Latin-1 and Latin Extended-A lose their accents; letters of other scripts
///          separate words, too
/// Errors   std::invalid_argument for text that is not UTF-8
/// Source   the standardisation of TensorFlow's translation tutorial, except that it drops digits,
///          and drops dashes without parting the words around them
using Words = std::vector<std::string>;
Words split_words(std::string_view sentence);

}  // namespace systole
