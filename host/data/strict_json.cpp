#include "host/data/strict_json.h"

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace systole {

nlohmann::ordered_json parse_strictly(std::string_view text) {
  using Json = nlohmann::ordered_json;
  std::vector<std::set<std::string>> keys;
  const auto refuse_twins = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys.back().insert(parsed.get<std::string>()).second) {
      throw std::runtime_error("the key " + parsed.dump() + " occurs twice");
    }
    return true;
  };
  return Json::parse(text, refuse_twins);
}

}  // namespace systole
