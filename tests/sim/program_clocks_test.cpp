#include "sim/model/program_clocks.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/host/cache_folder.h"

namespace systole {
namespace {

using tests::CacheFolder;

ProgramResult counted(std::uint64_t cycles) {
  ProgramResult result;
  for (std::uint64_t& counter : result.counts) counter = cycles++;
  return result;
}
ProgramResult never() { throw std::logic_error("counted again"); }

}  // namespace

TEST_CASE("a program is counted once, in this process and in the next", "[program_clocks]") {
  const CacheFolder folder;
  ProgramClocks clocks{DiskCache(folder.path())};
  const ProgramResult result = counted(~std::uint64_t{0} - 100);
  CHECK(clocks.find_or_count("a", [&] { return result; }).counts == result.counts);
  CHECK(clocks.find_or_count("a", never).counts == result.counts);
  CHECK_THROWS_AS(clocks.find_or_count("b", never), std::logic_error);

  ProgramClocks next{DiskCache(folder.path())};
  CHECK(next.find_or_count("a", never).counts == result.counts);
  CHECK_THROWS_AS(next.find_or_count("b", never), std::logic_error);
}

TEST_CASE("without a folder a program is counted once in a process", "[program_clocks]") {
  ProgramClocks clocks{DiskCache({})};
  CHECK(clocks.find_or_count("a", [] { return counted(7); }).counts == counted(7).counts);
  CHECK(clocks.find_or_count("a", never).counts == counted(7).counts);
  ProgramClocks next{DiskCache({})};
  CHECK_THROWS_AS(next.find_or_count("a", never), std::logic_error);
}

TEST_CASE("threads that run the same program wait for the first", "[program_clocks]") {
  ProgramClocks clocks{DiskCache({})};
  std::atomic<int> counts = 0;
  std::atomic<bool> equal = true;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto result = clocks.find_or_count("a", [&] {
        ++counts;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return counted(3);
      });
      if (result.counts != counted(3).counts) equal = false;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(counts == 1);
  CHECK(equal);
}

TEST_CASE("a failed count is repeated", "[program_clocks]") {
  const CacheFolder folder;
  ProgramClocks clocks{DiskCache(folder.path())};
  ProgramResult fault = counted(1);
  fault.fault = device::FaultCode::kReadWindow;
  CHECK(clocks.find_or_count("a", [&] { return fault; }).fault == fault.fault);
  CHECK_THROWS_AS(clocks.find_or_count("a", never), std::logic_error);
  CHECK(folder.files().empty());
  CHECK(clocks.find_or_count("a", [] { return counted(2); }).counts == counted(2).counts);
}

TEST_CASE("a program is counted again if its cached text is not a list of counters",
          "[program_clocks]") {
  const CacheFolder folder;
  DiskCache(folder.path()).keep("a", "cycles 12\nand nothing else\n");
  ProgramClocks clocks{DiskCache(folder.path())};
  CHECK(clocks.find_or_count("a", [] { return counted(2); }).counts == counted(2).counts);
  ProgramClocks next{DiskCache(folder.path())};
  CHECK(next.find_or_count("a", never).counts == counted(2).counts);
}

}  // namespace systole
