#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace systole {

/// Parses JSON in which no object has a key twice. Other readers keep one of the two in silence.
///
/// Errors   std::exception with the place or the key
nlohmann::ordered_json parse_strictly(std::string_view text);

}  // namespace systole
