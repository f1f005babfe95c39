#include "hls/compiler/prove/replay.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "hls/compiler/support/tools.h"

namespace systole::compiler {
namespace {

/// Reads words of digits from the file named by its argument, and prints a result for each line. It
/// includes little: streams and strings would be most of its compilation.
constexpr const char* kProgram = R"(#include "{0}"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
namespace systole::kernels {{}}
namespace hlsc_entry {{
using namespace systole;
using namespace systole::kernels;
template <typename T> struct Slot {{
  alignas(T) unsigned char bytes[sizeof(T)] = {{}};
  T& value() {{ return *reinterpret_cast<T*>(bytes); }}
  bool read(std::FILE* file) {{
    char digits[2 * sizeof(T)];
    int count = 0;
    int next = std::getc(file);
    while (next == ' ' || next == '\n') next = std::getc(file);
    for (; next > ' '; next = std::getc(file)) {{
      if (count == sizeof digits) std::abort();
      digits[count++] = static_cast<char>(next);
    }}
    for (int place = 0; place < count; ++place) {{
      const char one = digits[count - 1 - place];
      const int digit = one <= '9' ? one - '0' : one - 'a' + 10;
      bytes[place / 2] |= static_cast<unsigned char>(digit << (place % 2 * 4));
    }}
    return count > 0;
  }}
}};
template <typename T> void print(const T& value) {{
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  for (int i = sizeof(T); i-- > 0;) std::printf("%02x", bytes[i]);
  std::printf("\n");
}}
template <typename Result, typename... Arguments, std::size_t... kIndex>
void run(Result (*function)(Arguments...), std::FILE* file, std::index_sequence<kIndex...>) {{
  for (;;) {{
    std::tuple<Slot<std::remove_cvref_t<Arguments>>...> slots;
    if (!(std::get<kIndex>(slots).read(file) && ...)) return;
    print(function(std::get<kIndex>(slots).value()...));
  }}
}}
template <typename Result, typename... Arguments>
void run_all(Result (*function)(Arguments...), std::FILE* file) {{
  run(function, file, std::index_sequence_for<Arguments...>());
}}
inline constexpr auto top = &{1};
}}
int main(int, char** argv) {{
  hlsc_entry::run_all(hlsc_entry::top, std::fopen(argv[1], "r"));
}}
)";

}  // namespace

std::vector<std::string> run_natively(const Source& source,
                                      const std::vector<std::vector<std::string>>& arguments) {
  const ScratchFolder scratch;
  const std::string kernel = std::filesystem::absolute(source.file).lexically_normal().string();
  std::ofstream(scratch.file("replay.cpp")) << fmt::format(kProgram, kernel, source.top);
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
