// The program that mpi_ranks_test starts under mpirun: mpi_program MODE.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "host/distribute/communicator.h"
#include "host/distribute/ordered_sum.h"
#include "host/graph/checksum.h"

namespace systole {
namespace {

// Each rank has two cores' values; the sum's checksum tells whether all ranks have it.
void sum(Communicator& ranks) {
  std::vector<std::vector<float>> values(2);
  for (std::size_t core = 0; core < 2; ++core) {
    for (int i = 0; i < 300'000; ++i) {
      const auto seed = static_cast<float>(2 * ranks.rank() + static_cast<int>(core) + 1);
      values[core].push_back(seed / static_cast<float>(3 + i));
    }
  }
  std::vector<float> total(values[0].size());
  const std::vector<WeightedValues> parts{{0.3f, values[0]}, {0.7f, values[1]}};
  ordered_sum(ranks, parts, total);
  Checksum checksum;
  checksum.add(std::span<const float>(total));
  need_agreement(ranks, "the sum", checksum.hex());
  const std::vector<int> block{ranks.rank()};
  const auto all = gather<int>(ranks, block);
  if (ranks.is_first()) fmt::print("sum {} over {} ranks\n", checksum.hex(), all.size());
}

void wait_for_next(Communicator& ranks) {
  float value = 0;
  const int next = (ranks.rank() + 1) % ranks.size();
  ranks.receive(next, std::as_writable_bytes(std::span(&value, 1)));
}

void run(const std::string& mode, Communicator& ranks) {
  const bool last = ranks.rank() + 1 == ranks.size();
  if (mode == "sum") return sum(ranks);
  if (mode == "throw") {
    if (last) throw std::runtime_error("the disk is full");
    wait_for_next(ranks);
  }
  if (mode == "leave") {
    if (last) ranks.leave("it was told to");
    if (!last) wait_for_next(ranks);
  }
  if (mode == "die") {
    if (last) std::raise(SIGKILL);
    wait_for_next(ranks);
  }
  if (mode == "exit") {
    if (last) std::_Exit(0);
    wait_for_next(ranks);
  }
  if (mode == "differ") need_agreement(ranks, "the seed", last ? "7" : "1");
  if (mode == "size") {
    const std::vector<double> message(last ? 2 : 1);
    if (last) ranks.send(0, std::as_bytes(std::span(message)));
    std::vector<double> room(1);
    if (ranks.rank() == 0) {
      ranks.receive(ranks.size() - 1, std::as_writable_bytes(std::span(room)));
    }
  }
}

}  // namespace
}  // namespace systole

int main(int, char** argv) {
  try {
    const auto ranks = systole::launched_ranks();
    try {
      systole::run(argv[1], *ranks);
    } catch (const std::exception& error) {
      std::fputs(fmt::format("rank {}: {}\n", ranks->rank(), error.what()).c_str(), stderr);
      return 1;
    }
  } catch (const std::exception& error) {
    std::fputs(fmt::format("{}\n", error.what()).c_str(), stderr);
    return 1;
  }
}
