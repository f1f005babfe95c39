#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tests/distribute/thread_ranks.h"

namespace systole::tests {

/// Runs `program` as `ranks` ranks, each on a thread of its own, and returns what each threw.
inline std::vector<std::exception_ptr> failures_on_ranks(
    int ranks, const std::function<void(std::shared_ptr<Communicator>)>& program) {
  auto communicators = thread_ranks(ranks);
  std::vector<std::exception_ptr> failures(ranks);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < failures.size(); ++rank) {
    threads.emplace_back([&, rank, own = std::move(communicators[rank])]() mutable {
      try {
        program(std::move(own));
      } catch (...) {
        failures[rank] = std::current_exception();
      }
      own.reset();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failures;
}

/// The same for programs that must not throw; rethrows the lowest rank's failure.
inline void on_ranks(int ranks, const std::function<void(std::shared_ptr<Communicator>)>& program) {
  for (const std::exception_ptr& failure : failures_on_ranks(ranks, program)) {
    if (failure) std::rethrow_exception(failure);
  }
}

/// The failure's message; empty if none.
inline std::string message_of(const std::exception_ptr& failure) {
  if (!failure) return {};
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace systole::tests
