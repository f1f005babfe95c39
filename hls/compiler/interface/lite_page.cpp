#include <fmt/format.h>

#include "hls/compiler/interface/lite_texts.h"

namespace systole::compiler {

std::string lite_page(const nlohmann::ordered_json& description, const std::string& made) {
  std::string text = fmt::format("# {}: registers\n\n{}. Do not edit.\n\n",
                                 description["name"].get<std::string>(), made);
  for (const auto& rule : description["register_rules"]) {
    text += fmt::format("- {}\n", rule.get<std::string>());
  }
  text += "\n| offset | register | access | bits | meaning |\n|---|---|---|---|---|\n";
  for (const auto& one : description["registers"]) {
    std::string bits;
    std::string about = one["about"].get<std::string>();
    if (one.contains("fields")) {
      for (const auto& field : one["fields"]) {
        bits += fmt::format("{}{}", bits.empty() ? "" : ", ", field["low"].get<int>());
        about += fmt::format("; bit {} `{}`: {}", field["low"].get<int>(),
                             field["name"].get<std::string>(), field["about"].get<std::string>());
      }
    } else {
      const int count = one["bits"].get<int>();
      bits = count == 1 ? "0" : fmt::format("{}:0", count - 1);
    }
    text +=
        fmt::format("| {:#x} | `{}` | {} | {} | {} |\n", one["offset"].get<int>(),
                    one["name"].get<std::string>(), one["access"].get<std::string>(), bits, about);
  }
  return text;
}

}  // namespace systole::compiler
