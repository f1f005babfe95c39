#include "hls/compiler/prove/replay.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "hls/compiler/support/tools.h"

namespace systole::compiler {
namespace {

/// Reads lines of arguments from the file named by its argument, and prints a result for each.
constexpr const char* kProgram = R"(#include "{0}"
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
namespace systole::kernels {{}}
namespace hlsc_entry {{
using namespace systole;
using namespace systole::kernels;
template <typename T> struct Slot {{
  alignas(T) unsigned char bytes[sizeof(T)] = {{}};
  T& value() {{ return *reinterpret_cast<T*>(bytes); }}
  void read(const std::string& digits) {{
    int place = 0;
    for (auto at = digits.rbegin(); at != digits.rend(); ++at, ++place) {{
      const int digit = *at <= '9' ? *at - '0' : *at - 'a' + 10;
      bytes[place / 2] |= static_cast<unsigned char>(digit << (place % 2 * 4));
    }}
  }}
}};
template <typename T> void print(const T& value) {{
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  for (int i = sizeof(T); i-- > 0;) std::printf("%02x", bytes[i]);
  std::printf("\n");
}}
template <typename Result, typename... Arguments, std::size_t... kIndex>
void run(Result (*function)(Arguments...), std::ifstream& file, std::index_sequence<kIndex...>) {{
  for (std::string words[sizeof...(Arguments)]; ((file >> words[kIndex]) && ...);) {{
    std::tuple<Slot<std::remove_cvref_t<Arguments>>...> slots;
    (std::get<kIndex>(slots).read(words[kIndex]), ...);
    print(function(std::get<kIndex>(slots).value()...));
  }}
}}
template <typename Result, typename... Arguments>
void run_all(Result (*function)(Arguments...), std::ifstream& file) {{
  run(function, file, std::index_sequence_for<Arguments...>());
}}
inline constexpr auto top = &{1};
}}
int main(int, char** argv) {{
  std::ifstream file(argv[1]);
  hlsc_entry::run_all(hlsc_entry::top, file);
}}
)";

}  // namespace

std::vector<std::string> run_natively(const Source& source,
                                      const std::vector<std::vector<std::string>>& arguments) {
  const ScratchFolder scratch;
  const std::string kernel = std::filesystem::absolute(source.file).lexically_normal().string();
  std::ofstream(scratch.file("replay.cpp")) << "#include <tuple>\n#include <type_traits>\n"
                                            << fmt::format(kProgram, kernel, source.top);
  std::ofstream inputs(scratch.file("arguments"));
  for (const auto& words : arguments) inputs << fmt::format("{}\n", fmt::join(words, " "));
  inputs.close();

  std::vector<std::string> words = {source.clang,
                                    "-std=c++20",
                                    "-O0",
                                    "-fno-strict-aliasing",
                                    "-Wno-bit-int-extension",
                                    scratch.file("replay.cpp"),
                                    "-o",
                                    scratch.file("replay")};
  for (const std::string& folder : source.include_folders) words.push_back("-I" + folder);
  if (const ToolRun run = run_tool(words); run.status != 0) {
    throw std::runtime_error("the function does not compile natively: " + run.errors);
  }
  const ToolRun run = run_tool({scratch.file("replay"), scratch.file("arguments")});
  if (run.status != 0) throw std::runtime_error("the function does not end natively");
  std::vector<std::string> results;
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);) results.push_back(line);
  if (results.size() != arguments.size()) {
    throw std::runtime_error("the function does not end natively");
  }
  return results;
}

}  // namespace systole::compiler
