#include "hls/compiler/prove/parts.h"

#include "hls/compiler/analyses/address.h"

namespace systole::compiler {

std::vector<Part> parts_of(const std::vector<Leaf>& leaves) {
  std::vector<Part> parts;
  for_each_element(leaves, [&](const Leaf& leaf, std::int64_t, std::int64_t offset) {
    parts.push_back(
        {static_cast<std::size_t>(&leaf - leaves.data()), static_cast<std::size_t>(8 * offset)});
  });
  return parts;
}

}  // namespace systole::compiler
