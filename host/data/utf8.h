#pragma once

#include <optional>
#include <string_view>

namespace systole {

/// The code points of a UTF-8 text, or nothing if it is malformed: truncated, overlong, a
/// surrogate, or beyond U+10FFFF.
std::optional<std::u32string> decode_utf8(std::string_view text);

}  // namespace systole
