#include "host/device/disk_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "host/device/cache_files.h"
#include "host/device/cache_records.h"
#include "tests/host/cache_folder.h"

namespace systole {
namespace {

namespace fs = std::filesystem;
using tests::CacheFolder;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Sends stderr to a file for the duration of a test, or to nothing.
class SilentErrors {
 public:
  explicit SilentErrors(const fs::path& file = "/dev/null") : before_(::dup(STDERR_FILENO)) {
    const int to = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(to, STDERR_FILENO);
    ::close(to);
  }
  ~SilentErrors() {
    std::fflush(stderr);
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }
  SilentErrors(const SilentErrors&) = delete;
  SilentErrors& operator=(const SilentErrors&) = delete;

 private:
  int before_;
};

/// Sets an environment variable for the duration of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, 1);
    }
  }
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("a text is found only under its identity", "[disk_cache]") {
  const CacheFolder folder;
  const DiskCache cache(folder.path());
  CHECK(cache.find("one") == std::nullopt);
  cache.keep("one", "first\nsecond");
  cache.keep("two", "");
  CHECK(cache.find("one") == "first\nsecond");
  CHECK(cache.find("two") == "");
  CHECK(cache.find("three") == std::nullopt);
  cache.keep("one", "changed");
  CHECK(cache.find("one") == "changed");
  CHECK(CacheFiles(folder.path(), 1 << 20).find("one") == "changed");
}

TEST_CASE("a thousand texts are two files", "[disk_cache]") {
  const CacheFolder folder;
  const DiskCache cache(folder.path());
  for (int i = 0; i < 1000; ++i) cache.keep(std::to_string(i), "text");
  CHECK(folder.files().size() == 2);  // one of them the lock
  CacheFiles others(folder.path(), 1 << 20);
  for (int i = 0; i < 1000; ++i) CHECK(others.find(std::to_string(i)) == "text");
}

TEST_CASE("a file damaged at any byte loses the text that it hits, and is written again",
          "[disk_cache]") {
  const CacheFolder folder;
  const SilentErrors silent;
  const auto file = folder.path() / "recent.txt";
  {
    const DiskCache cache(folder.path());
    for (const char* name : {"before", "identity", "after"}) cache.keep(name, "cycles 425104\n");
  }
  const std::string whole = read(file);
  const std::size_t length = whole.size() / 3;
  const auto check = [&](const std::string& bytes, bool damaged) {
    write(file, bytes);
    CacheFiles cache(folder.path(), 1 << 20);
    CHECK(cache.find("identity") ==
          (damaged ? std::nullopt : std::optional<std::string>("cycles 425104\n")));
    CHECK(cache.find("before") == "cycles 425104\n");
    cache.keep("identity", "cycles 425104\n");
    cache.keep("after", "cycles 425104\n");
    // Nothing damaged is left.
    const std::string mended = read(file);
    std::size_t records = 0;
    const ReadRecords read = read_records(mended, [&](auto, auto) { ++records; });
    CHECK(read.damaged == 0);
    CHECK(read.end == mended.size());
    CHECK(records == 3);
  };
  const std::size_t first = whole.find("systole cache", 1);
  REQUIRE(first < length + 10);
  const std::size_t last = whole.find("systole cache", first + 1);
  for (std::size_t i = first; i < last; ++i) {
    INFO("byte " << i);
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    check(damaged, true);
    damaged[i] = '\0';
    check(damaged, true);
    check(whole.substr(0, i), true);
  }
  check(whole, false);
  check(whole + "\n", false);
  check(whole + whole.substr(0, 20), false);
  check(whole.substr(0, first) + std::string(100'000, 'x') + whole.substr(first), false);
}

TEST_CASE("a file of another kind counts as empty and is written again", "[disk_cache]") {
  const CacheFolder folder;
  const SilentErrors silent;
  const auto file = folder.path() / "recent.txt";
  write(file, "another systole wrote this");
  const DiskCache cache(folder.path());
  CHECK(cache.find("identity") == std::nullopt);
  cache.keep("identity", "text");
  CHECK(cache.find("identity") == "text");
  CHECK(read(file) == record_of("identity", "text"));
}

TEST_CASE("damage is said once, on stderr", "[disk_cache]") {
  const CacheFolder folder;
  const auto said = folder.path() / "said";
  {
    const SilentErrors to_file(said);
    write(folder.path() / "recent.txt", "another systole wrote this");
    const DiskCache cache(folder.path());
    for (int i = 0; i < 3; ++i) CHECK(cache.find("identity") == std::nullopt);
  }
  CHECK(read(said) == "systole: " + (folder.path() / "recent.txt").string() +
                          " had 26 bytes that are no entry; they were removed\n");
}

TEST_CASE("a cache keeps its most recently used texts in its bytes", "[disk_cache]") {
  const CacheFolder folder;
  constexpr std::size_t kMost = 4096;
  const DiskCache cache(folder.path(), kMost);
  for (int i = 0; i < 300; ++i) {
    cache.keep(std::to_string(i), "text");
    CHECK(cache.find("0") == "text");
    std::size_t bytes = 0;
    for (const auto& file : folder.files()) bytes += fs::file_size(file);
    CHECK(bytes <= kMost);
  }
  CacheFiles others(folder.path(), kMost);
  CHECK(others.find("0") == "text");
  CHECK(others.find("299") == "text");
  CHECK(others.find("1") == std::nullopt);
  cache.keep("large", std::string(kMost, 'x'));
  CHECK(cache.find("large") == std::nullopt);
}

TEST_CASE("a folder that is deleted begins again", "[disk_cache]") {
  const CacheFolder folder;
  const DiskCache cache(folder.path() / "inside");
  cache.keep("one", "text");
  fs::remove_all(folder.path() / "inside");
  cache.keep("two", "text");
  CacheFiles others(folder.path() / "inside", 1 << 20);
  CHECK(others.find("one") == std::nullopt);
  CHECK(others.find("two") == "text");
}

TEST_CASE("without a usable folder nothing is kept", "[disk_cache]") {
  const CacheFolder folder;
  write(folder.path() / "file", "");
  for (const fs::path& nowhere :
       {fs::path(), folder.path() / "file" / "under", fs::path("/proc/1")}) {
    const DiskCache cache(nowhere);
    cache.keep("identity", "text");
    CHECK(cache.find("identity") == std::nullopt);
    CHECK_THAT(cache.trouble(), Catch::Contains("set SYSTOLE_CACHE_DIR"));
  }
  CHECK(DiskCache(folder.path() / "new").trouble().empty());
  CHECK(DiskCache("/dev/null").trouble().empty());  // switched off
}

TEST_CASE("a folder in place of a file is left alone", "[disk_cache]") {
  const CacheFolder folder;
  const auto file = folder.path() / "recent.txt";
  fs::create_directories(file / "something");
  const DiskCache cache(folder.path());
  cache.keep("identity", "text");
  CHECK(cache.find("identity") == std::nullopt);
  CHECK(fs::exists(file / "something"));
}

TEST_CASE("the user's folder follows the environment", "[disk_cache]") {
  const Variable own("SYSTOLE_CACHE_DIR", "/own");
  const Variable caches("XDG_CACHE_HOME", "/caches");
  const Variable home("HOME", "/home/user");
  CHECK(DiskCache::users_folder() == "/own");
  const Variable not_own("SYSTOLE_CACHE_DIR", "");
  CHECK(DiskCache::users_folder() == "/caches/systole");
  const Variable relative("XDG_CACHE_HOME", "caches");
  CHECK(DiskCache::users_folder() == "/home/user/.cache/systole");
  const Variable not_home("HOME", nullptr);
  CHECK(DiskCache::users_folder().empty());
}

}  // namespace systole
