#include "host/cli/json_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/support/run_program.h"

namespace systole {

using tests::read_file;
using tests::TemporaryFolder;
using Names = std::vector<std::string>;

TEST_CASE("a JSON file is written whole, with its keys in order", "[json_file]") {
  const TemporaryFolder folder;
  const JsonFile file(folder.file("run.json"));
  CHECK(folder.names().empty());
  nlohmann::ordered_json value;
  value["zebra"] = 1;
  value["ant"] = 0.1;
  file.write(value);
  CHECK(read_file(folder.file("run.json")) == "{\n  \"zebra\": 1,\n  \"ant\": 0.1\n}\n");
  CHECK(folder.names() == Names{"run.json"});
}

TEST_CASE("a JSON file replaces an old one only when it is complete", "[json_file]") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("run.json")) << "old";
  const JsonFile file(folder.file("run.json"));
  CHECK(read_file(folder.file("run.json")) == "old");
  file.write({{"new", true}});
  CHECK(read_file(folder.file("run.json")).find("new") != std::string::npos);
}

TEST_CASE("a link to a JSON file stays a link", "[json_file]") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("target.json")) << "old";
  std::filesystem::create_symlink("target.json", folder.file("link.json"));
  JsonFile(folder.file("link.json")).write({{"new", true}});
  CHECK(std::filesystem::is_symlink(folder.file("link.json")));
  CHECK(read_file(folder.file("target.json")).find("new") != std::string::npos);
}

TEST_CASE("the next write removes the partial JSON file of a killed process", "[json_file]") {
  const TemporaryFolder folder;
  std::ofstream(folder.file(".run.json.partial-999999999")) << "half";
  std::ofstream(folder.file(".other.json.partial-999999999")) << "half";
  JsonFile(folder.file("run.json")).write({{"new", true}});
  CHECK(folder.names() == Names{".other.json.partial-999999999", "run.json"});
}

TEST_CASE("no path means no file", "[json_file]") { CHECK_NOTHROW(JsonFile("").write({})); }

TEST_CASE("text printed earlier to the same file stays before the JSON", "[json_file]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("output.txt");
  std::fflush(stdout);
  const int before = dup(STDOUT_FILENO);
  const int output = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  REQUIRE(dup2(output, STDOUT_FILENO) == STDOUT_FILENO);
  std::printf("wall time 1 s\n");
  JsonFile("/dev/stdout").write({{"new", true}});
  JsonFile(path).write({{"same", true}});
  std::printf("done\n");
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  close(output);
  CHECK(read_file(path) == "wall time 1 s\n{\n  \"new\": true\n}\n{\n  \"same\": true\n}\ndone\n");
  CHECK(folder.names() == Names{"output.txt"});
}

TEST_CASE("a path that cannot be written is refused at once", "[json_file]") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("plain")) << "x";
  for (const std::string& path :
       {folder.path(), folder.file("missing/run.json"), folder.file("plain/run.json")}) {
    INFO(path);
    CHECK_THROWS_WITH(JsonFile(path), Catch::Contains("cannot write") && Catch::Contains("--json"));
  }
  CHECK(folder.names() == Names{"plain"});
}

TEST_CASE("a write that fails is an error and leaves nothing", "[json_file]") {
  const JsonFile full("/dev/full");
  CHECK_THROWS_WITH(full.write({{"key", 1}}), Catch::Contains("cannot write /dev/full"));

  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("inner"));
  const JsonFile file(folder.file("inner/run.json"));
  std::filesystem::remove(folder.file("inner"));
  CHECK_THROWS_AS(file.write({{"key", 1}}), std::exception);
  CHECK(folder.names().empty());
}

}  // namespace systole
