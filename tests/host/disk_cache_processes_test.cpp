// A cache shared by processes, with a killed one, and on a full disk.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>

#include "host/device/cache_records.h"
#include "host/device/disk_cache.h"
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

std::size_t bytes_of(const CacheFolder& folder) {
  std::size_t bytes = 0;
  for (const auto& file : folder.files()) bytes += std::filesystem::file_size(file);
  return bytes;
}

bool is_right(const DiskCache& cache, int i) {
  const auto found = cache.find(identity(i));
  return !found || *found == text(i);
}

}  // namespace

TEST_CASE("a killed process leaves a cache of whole texts", "[disk_cache]") {
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

TEST_CASE("processes share a cache that is too small for them", "[disk_cache]") {
  const CacheFolder folder;
  constexpr std::size_t kMost = 16384;
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    children.push_back(start([&] {
      const DiskCache cache(folder.path(), kMost);
      for (int i = 0; i < 400; ++i) {
        cache.keep(identity(i % 20), text(i % 20));
        if (cache.find(identity(i % 20)) != text(i % 20)) return 1;
        if (!is_right(cache, (i + 7) % 20)) return 2;
      }
      return 0;
    }));
  }
  for (const pid_t child : children) CHECK(exit_code(child) == 0);
  CHECK(folder.files().size() <= 3);
  CHECK(bytes_of(folder) <= kMost);
  const DiskCache cache(folder.path(), kMost);
  for (int i = 0; i < 20; ++i) CHECK(is_right(cache, i));
}

TEST_CASE("what one process keeps another one finds at once", "[disk_cache]") {
  const CacheFolder folder;
  const DiskCache cache(folder.path());
  CHECK(cache.find(identity(1)) == std::nullopt);
  for (int i = 1; i < 5; ++i) {
    CHECK(exit_code(start([&] {
            DiskCache(folder.path()).keep(identity(i), text(i));
            return 0;
          })) == 0);
    CHECK(cache.find(identity(i)) == text(i));
  }
}

TEST_CASE("a process that holds the lock for long costs an entry, not the others' time",
          "[disk_cache]") {
  const CacheFolder folder;
  const DiskCache cache(folder.path());
  cache.keep(identity(0), text(0));
  const int lock = ::open((folder.path() / "lock").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(lock, LOCK_EX) == 0);
  cache.keep(identity(1), text(1));
  CHECK(cache.find(identity(1)) == std::nullopt);
  CHECK(cache.find(identity(0)) == text(0));
  ::close(lock);
  cache.keep(identity(1), text(1));
  CHECK(cache.find(identity(1)) == text(1));
}

TEST_CASE("a full disk keeps nothing and leaves nothing", "[disk_cache]") {
  const CacheFolder folder;
  const DiskCache cache(folder.path());
  cache.keep(identity(0), text(0));
  const int code = exit_code(start([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlim_t most = std::filesystem::file_size(folder.path() / "recent.txt") + 64;
    const rlimit limit{.rlim_cur = most, .rlim_max = most};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    cache.keep(identity(6), text(6));
    cache.keep(identity(0), "something new");
    if (cache.find(identity(6))) return 3;
    return cache.find(identity(0)) == text(0) ? 0 : 4;  // the old file stays
  }));
  CHECK(code == 0);
  CHECK(bytes_of(folder) == record_of(identity(0), text(0)).size());
}

}  // namespace systole
