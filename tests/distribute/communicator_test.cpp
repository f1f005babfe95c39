#include "host/distribute/communicator.h"

#include <catch2/catch.hpp>

#include "tests/distribute/on_ranks.h"

namespace systole::tests {
namespace {

template <typename T>
void send(Communicator& ranks, int to, T value) {
  ranks.send(to, std::as_bytes(std::span(&value, 1)));
}

template <typename T>
T receive(Communicator& ranks, int from) {
  T value{};
  ranks.receive(from, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

}  // namespace

TEST_CASE("a rank receives what another sends, in order", "[communicator]") {
  std::vector<int> seen;
  on_ranks(3, [&](std::shared_ptr<Communicator> ranks) {
    if (ranks->size() != 3) throw std::runtime_error("not 3 ranks");
    if (ranks->rank() == 2) {
      for (int i = 0; i < 5; ++i) send(*ranks, 0, 10 + i);
    } else if (ranks->rank() == 1) {
      send(*ranks, 0, -1);
    } else {
      for (int i = 0; i < 5; ++i) seen.push_back(receive<int>(*ranks, 2));
      seen.push_back(receive<int>(*ranks, 1));
    }
  });
  CHECK(seen == std::vector{10, 11, 12, 13, 14, -1});
}

TEST_CASE("every rank gathers the blocks of all ranks", "[communicator]") {
  const int size = GENERATE(1, 2, 5);
  on_ranks(size, [&](std::shared_ptr<Communicator> ranks) {
    const std::vector<int> block{10 * ranks->rank(), 10 * ranks->rank() + 1};
    std::vector<int> all;
    for (int rank = 0; rank < size; ++rank) {
      all.push_back(10 * rank);
      all.push_back(10 * rank + 1);
    }
    if (gather<int>(*ranks, block) != all) throw std::runtime_error("other blocks");
    if (gather<int>(*ranks, {}) != std::vector<int>{}) throw std::runtime_error("not empty");
  });
}

TEST_CASE("ranks that agree continue, and every rank learns of a disagreement", "[communicator]") {
  on_ranks(3, [](std::shared_ptr<Communicator> ranks) {
    need_agreement(*ranks, "the model", "");
    need_agreement(*ranks, "the model", "mnist-mlp");
  });
  const auto failures = failures_on_ranks(4, [](std::shared_ptr<Communicator> ranks) {
    need_agreement(*ranks, "the seed", ranks->rank() == 2 ? "7" : "1");
  });
  for (const auto& failure : failures) {
    CHECK_THAT(message_of(failure),
               Catch::Contains("the seed differs between ranks: '1' on rank 0, '7' on rank 2"));
  }
}

TEST_CASE("ranks that wait for one that left fail with its reason", "[communicator]") {
  const auto failures = failures_on_ranks(3, [](std::shared_ptr<Communicator> ranks) {
    if (ranks->rank() == 2) {
      send(*ranks, 1, 5);
      ranks->leave("the disk is full");
      throw std::runtime_error("the disk is full");
    }
    // Messages sent before it left still arrive.
    if (ranks->rank() == 1 && receive<int>(*ranks, 2) != 5) throw std::runtime_error("not 5");
    if (ranks->rank() == 1) receive<int>(*ranks, 2);
    if (ranks->rank() == 0) receive<int>(*ranks, 1);  // which ends because of rank 2
  });
  CHECK(message_of(failures[2]) == "the disk is full");
  CHECK(message_of(failures[1]) == "rank 2 has left the run: the disk is full");
  CHECK(message_of(failures[0]) == "rank 1 has left the run: it has ended");
}

TEST_CASE("a message of the wrong size is refused", "[communicator]") {
  const auto failures = failures_on_ranks(2, [](std::shared_ptr<Communicator> ranks) {
    if (ranks->rank() == 0) send(*ranks, 1, std::int64_t{1});
    if (ranks->rank() == 1) receive<std::int32_t>(*ranks, 0);
  });
  CHECK_THAT(message_of(failures[1]), Catch::Contains("expects 4 bytes of rank 0 and gets"));
}

TEST_CASE("ranks out of range are refused", "[communicator]") {
  const auto pair = thread_ranks(2);
  CHECK_THROWS_AS(send(*pair[0], 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(send(*pair[0], 2, 1), std::invalid_argument);
  CHECK_THROWS_AS(receive<int>(*pair[1], -1), std::invalid_argument);
  CHECK_THROWS_AS(thread_ranks(0), std::invalid_argument);
  CHECK_THROWS_AS(send(*single_rank(), 1, 1), std::invalid_argument);
}

}  // namespace systole::tests
