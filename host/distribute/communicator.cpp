#include "host/distribute/communicator.h"

#include <fmt/format.h>

namespace systole {
namespace {

class SingleRank final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string kind() const override { return "one process"; }
  void send(int to, std::span<const std::byte>) override { refuse(to); }
  void receive(int from, std::span<std::byte>) override { refuse(from); }
  void leave(const std::string&) noexcept override {}

 private:
  [[noreturn]] static void refuse(int rank) {
    throw std::invalid_argument(fmt::format("there is no rank {}: this run has one rank", rank));
  }
};

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span<const char>(text));
}

std::string receive_text(Communicator& communicator, int from) {
  std::uint64_t size = 0;
  communicator.receive(from, std::as_writable_bytes(std::span(&size, 1)));
  std::string text(size, '\0');
  communicator.receive(from, std::as_writable_bytes(std::span<char>(text)));
  return text;
}

void send_text(Communicator& communicator, int to, const std::string& text) {
  const std::uint64_t size = text.size();
  communicator.send(to, std::as_bytes(std::span(&size, 1)));
  communicator.send(to, bytes_of(text));
}

}  // namespace

std::shared_ptr<Communicator> single_rank() { return std::make_shared<SingleRank>(); }

void need_agreement(Communicator& communicator, const std::string& what, const std::string& text) {
  // Up the ranks with the first rank's text, and back with the verdict.
  const int rank = communicator.rank();
  const bool last = rank + 1 == communicator.size();
  std::string verdict;
  std::string first = text;
  if (rank > 0) {
    verdict = receive_text(communicator, rank - 1);
    first = receive_text(communicator, rank - 1);
    if (verdict.empty() && text != first) {
      verdict = fmt::format(
          "{} differs between ranks: '{}' on rank 0, '{}' on rank {}; start all "
          "ranks with the same program and options",
          what, first, text, rank);
    }
  }
  if (!last) {
    send_text(communicator, rank + 1, verdict);
    send_text(communicator, rank + 1, first);
    verdict = receive_text(communicator, rank + 1);
  }
  if (rank > 0) send_text(communicator, rank - 1, verdict);
  if (!verdict.empty()) throw RankError(verdict);
}

void gather_in_place(Communicator& communicator, std::span<std::byte> all, std::size_t position,
                     std::size_t size) {
  // Up the ranks, each adding its part, and back with all of them.
  const int rank = communicator.rank();
  if (rank > 0) communicator.receive(rank - 1, all.first(position));
  if (rank + 1 < communicator.size()) {
    communicator.send(rank + 1, all.first(position + size));
    communicator.receive(rank + 1, all);
  }
  if (rank > 0) communicator.send(rank - 1, all);
}

std::vector<std::vector<std::byte>> gather_blocks(Communicator& communicator,
                                                  std::span<const std::byte> block) {
  const std::uint64_t own = block.size();
  const std::vector<std::uint64_t> sizes = gather<std::uint64_t>(communicator, {&own, 1});
  const std::uint64_t most = *std::ranges::max_element(sizes);
  std::vector<std::byte> padded(block.begin(), block.end());
  padded.resize(most);
  const std::vector<std::byte> all = gather<std::byte>(communicator, padded);
  std::vector<std::vector<std::byte>> blocks;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(rank * most);
    blocks.emplace_back(first, first + static_cast<std::ptrdiff_t>(sizes[rank]));
  }
  return blocks;
}

}  // namespace systole
