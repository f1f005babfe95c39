#include "host/distribute/line_ranks.h"

#include <algorithm>
#include <cstdint>

namespace systole {

// Every second pair of ranks first, so that no two wait for each other.
void LineRanks::exchange(const Messages& messages) const {
  const bool begins_above = rank() % 2 == 0;
  for (const bool above : {begins_above, !begins_above}) {
    if (above && has_above()) {
      ranks_->send(rank() + 1, messages.to_above);
      ranks_->receive(rank() + 1, messages.from_above);
    } else if (!above && has_below()) {
      ranks_->receive(rank() - 1, messages.from_below);
      ranks_->send(rank() - 1, messages.to_below);
    }
  }
}

bool LineRanks::all(bool own) const {
  const std::uint8_t said = own ? 1 : 0;
  const std::vector<std::uint8_t> of_ranks = gather<std::uint8_t>({&said, 1});
  return std::ranges::find(of_ranks, 0) == of_ranks.end();
}

std::string LineRanks::first_words(const std::string& own) const {
  for (const std::vector<std::byte>& words :
       gather_blocks(*ranks_, std::as_bytes(std::span(own)))) {
    if (words.empty()) continue;
    return {reinterpret_cast<const char*>(words.data()), words.size()};
  }
  return {};
}

}  // namespace systole
