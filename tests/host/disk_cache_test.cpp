#include "host/runtime/disk_cache.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

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
  CHECK(DiskCache(folder.path()).find("one") == "changed");
  CHECK(folder.files().size() == 2);
}

TEST_CASE("a file under the name of another identity is ignored", "[disk_cache]") {
  const CacheFolder folder;
  const DiskCache cache(folder.path());
  cache.keep("one", "text of one");
  const fs::path one = folder.files().front();
  const std::string bytes = read(one);
  fs::remove(one);
  cache.keep("two", "text of two");
  write(folder.files().front(), bytes);
  CHECK(cache.find("two") == std::nullopt);
}

TEST_CASE("a file damaged at any byte is ignored, then written again", "[disk_cache]") {
  const CacheFolder folder;
  const DiskCache cache(folder.path());
  cache.keep("identity", "cycles 425104\n");
  const fs::path file = folder.files().front();
  const std::string whole = read(file);
  const auto is_ignored = [&](const std::string& bytes) {
    write(file, bytes);
    return cache.find("identity") == std::nullopt;
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    INFO("byte " << i);
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    CHECK(is_ignored(damaged));
    damaged[i] = '\0';
    CHECK(is_ignored(damaged));
    CHECK(is_ignored(whole.substr(0, i)));
  }
  CHECK(is_ignored(whole + "\n"));
  CHECK(is_ignored(whole + whole));
  CHECK(is_ignored(std::string(100'000, 'x')));
  cache.keep("identity", "cycles 425104\n");
  CHECK(cache.find("identity") == "cycles 425104\n");
  CHECK(read(file) == whole);
}

TEST_CASE("a cache keeps its most recently used files", "[disk_cache]") {
  const CacheFolder folder;
  const DiskCache cache(folder.path(), 16);
  for (int i = 0; i < 100; ++i) {
    cache.keep(std::to_string(i), "text");
    CHECK(cache.find("0") == "text");
    CHECK(folder.files().size() <= 16);
  }
  CHECK(folder.files().size() >= 14);
  CHECK(cache.find("99") == "text");
  CHECK(cache.find("1") == std::nullopt);
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
  const DiskCache cache(folder.path());
  cache.keep("identity", "text");
  const fs::path file = folder.files().front();
  fs::remove(file);
  fs::create_directories(file / "something");
  cache.keep("identity", "text");
  CHECK(cache.find("identity") == std::nullopt);
  CHECK(folder.files().size() == 1);
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
