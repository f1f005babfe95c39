// A cache shared by processes, with a killed one, and on a full disk.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "host/runtime/disk_cache.h"
#include "tests/host/cache_folder.h"

namespace systole {
namespace {

using tests::CacheFolder;

std::string identity(int i) { return "identity " + std::to_string(i); }
std::string text(int i) { return std::string(static_cast<std::size_t>(i % 7 * 300), 'x') + "end"; }

/// Runs `work` in a new process, which exits with the code it returns.
template <typename Work>
pid_t start(Work work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  return child;
}
int exit_code(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool is_right(const DiskCache& cache, int i) {
  const auto found = cache.find(identity(i));
  return !found || *found == text(i);
}

}  // namespace

TEST_CASE("a killed process leaves a cache of whole files", "[disk_cache]") {
  const CacheFolder folder;
  const DiskCache cache(folder.path());
  constexpr int kKills = 20, kIdentities = 50;
  for (int kill = 0; kill < kKills; ++kill) {
    const pid_t child = start([&] {
      for (int i = 0;; i = (i + 1) % kIdentities) cache.keep(identity(i), text(i));
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(3 + kill));
    ::kill(child, SIGKILL);
    CHECK(exit_code(child) == -1);
    for (int i = 0; i < kIdentities; ++i) CHECK(is_right(cache, i));
  }
  CHECK(cache.find(identity(0)) == text(0));
}

TEST_CASE("an unfinished file of a killed process is removed eventually", "[disk_cache]") {
  const CacheFolder folder;
  const auto left = folder.path() / "unfinished-abcdef";
  const auto young = folder.path() / "unfinished-ghijkl";
  for (const auto& path : {left, young}) std::ofstream(path) << "part";
  std::filesystem::last_write_time(
      left, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  DiskCache(folder.path(), 8).keep("identity", "text");  // each write lists such a small folder
  CHECK(!std::filesystem::exists(left));
  CHECK(std::filesystem::exists(young));
}

TEST_CASE("processes share a cache that is too small for them", "[disk_cache]") {
  const CacheFolder folder;
  const DiskCache cache(folder.path(), 8);
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    children.push_back(start([&] {
      for (int i = 0; i < 400; ++i) {
        cache.keep(identity(i % 20), text(i % 20));
        if (!is_right(cache, (i + 7) % 20)) return 1;
      }
      return 0;
    }));
  }
  for (const pid_t child : children) CHECK(exit_code(child) == 0);
  CHECK(folder.files().size() <= 8);
  for (int i = 0; i < 20; ++i) CHECK(is_right(cache, i));
}

TEST_CASE("a full disk keeps nothing and leaves nothing", "[disk_cache]") {
  const CacheFolder folder;
  const DiskCache cache(folder.path());
  cache.keep(identity(0), text(0));
  const int code = exit_code(start([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 64, .rlim_max = 64};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    cache.keep(identity(6), text(6));
    cache.keep(identity(0), "something new");
    if (cache.find(identity(6))) return 3;
    return cache.find(identity(0)) == text(0) ? 0 : 4;  // the old file stays
  }));
  CHECK(code == 0);
  CHECK(folder.files().size() == 1);
}

}  // namespace systole
