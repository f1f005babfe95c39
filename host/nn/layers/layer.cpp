#include "host/nn/layers/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace systole::nn {

std::string scope_name(std::size_t number, const Layer& layer) {
  std::string kind = layer.kind();
  std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return std::tolower(c); });
  return fmt::format("{}.{}", number, kind);
}

}  // namespace systole::nn
