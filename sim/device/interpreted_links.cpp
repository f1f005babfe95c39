#include "sim/device/interpreted_links.h"

#include <span>

namespace systole {
namespace {

using Words = std::vector<std::uint32_t>;

/// The streams one after the other, each behind the number of its words.
Words packed(InterpretedLink& link) {
  Words all;
  for (const Words& stream : link) {
    all.push_back(static_cast<std::uint32_t>(stream.size()));
    all.insert(all.end(), stream.begin(), stream.end());
  }
  link.clear();
  return all;
}

void unpack(std::span<const std::uint32_t> words, InterpretedLink& link) {
  while (!words.empty()) {
    const auto stream = words.subspan(1, words.front());
    link.emplace_back(stream.begin(), stream.end());
    words = words.subspan(1 + stream.size());
  }
}

}  // namespace

InterpretedLinks InterpretedLineLinks::of(std::size_t core) {
  const bool is_highest = core + 1 == up_.size();
  InterpretedLinks links;
  if (!is_highest || ranks_.has_above()) {
    links.up_in = is_highest ? &from_above_ : &down_[core + 1];
    links.up_out = &up_[core];
  }
  if (core > 0 || ranks_.has_below()) {
    links.down_in = core == 0 ? &from_below_ : &up_[core - 1];
    links.down_out = &down_[core];
  }
  return links;
}

void InterpretedLineLinks::exchange() {
  const Words to_below = packed(down_.front());
  const Words to_above = packed(up_.back());
  const std::uint64_t for_below = to_below.size(), for_above = to_above.size();
  std::uint64_t of_below = 0, of_above = 0;
  const auto one = [](auto& number) { return std::span(&number, 1); };
  ranks_.exchange({.to_below = std::as_bytes(one(for_below)),
                   .to_above = std::as_bytes(one(for_above)),
                   .from_below = std::as_writable_bytes(one(of_below)),
                   .from_above = std::as_writable_bytes(one(of_above))});
  Words from_below(of_below), from_above(of_above);
  ranks_.exchange({.to_below = std::as_bytes(std::span(to_below)),
                   .to_above = std::as_bytes(std::span(to_above)),
                   .from_below = std::as_writable_bytes(std::span(from_below)),
                   .from_above = std::as_writable_bytes(std::span(from_above))});
  unpack(from_below, from_below_);
  unpack(from_above, from_above_);
}

}  // namespace systole
