#include <fmt/format.h>

#include <map>

#include "hls/compiler/interface/lite_texts.h"

namespace systole::compiler {
namespace {

/// Bits [high:low] of a scalar in C++.
std::string part(const std::string& value, const LiteRegister& one) {
  if (one.bits == one.width) return value;
  return fmt::format("slice<{}, {}>({})", one.low + one.bits - 1, one.low, value);
}

/// The scalar with these bits replaced by those of `data`.
std::string written(const LiteRegister& one) {
  const std::string data =
      one.bits == 32 ? "data" : fmt::format("slice<{}, 0>(data)", one.bits - 1);
  if (one.bits == one.width) return data;
  const std::string own = "arguments." + one.scalar;
  return one.low == 0
             ? fmt::format("concat(slice<{}, {}>({}), {})", one.width - 1, one.bits, own, data)
             : fmt::format("concat({}, slice<{}, 0>({}))", data, one.low - 1, own);
}

std::string members(const std::vector<LiteRegister>& registers, bool results) {
  std::string text;
  for (const LiteRegister& one : registers) {
    if (one.is_result == results && one.low == 0) {
      text += fmt::format("    UInt<{}> {};\n", one.width, one.scalar);
    }
  }
  return text;
}

}  // namespace

std::string lite_map(const std::vector<LiteRegister>& registers) {
  std::string bits, readable, writes, reads;
  for (const LiteRegister& one : registers) {
    const std::string here = fmt::format("offset == {}", one.offset);
    readable += fmt::format("{}{}", readable.empty() ? "" : " || ", here);
    reads += fmt::format("    if ({}) word = UInt32({});\n", here,
                         part((one.is_result ? "results." : "arguments.") + one.scalar, one));
    if (one.is_result) continue;
    bits += fmt::format("    if ({}) bits = UInt32({:#x});\n", here,
                        one.bits == 32 ? 0xffffffffu : (1u << one.bits) - 1);
    writes += fmt::format("    if ({}) arguments.{} = {};\n", here, one.scalar, written(one));
  }
  return fmt::format(
      "#include \"systole/hls/lite_registers.h\"\n"
      "namespace hlsc_interface {{\n"
      "using namespace systole::hls;\n"
      "struct Map {{\n"
      "  struct Arguments {{\n{}  }};\n"
      "  struct Results {{\n{}  }};\n"
      "  static UInt32 writable_bits([[maybe_unused]] const UInt<12>& offset) {{\n"
      "    UInt32 bits = UInt32(0);\n{}    return bits;\n  }}\n"
      "  static bool is_readable([[maybe_unused]] const UInt<12>& offset) {{\n"
      "    return {};\n  }}\n"
      "  static void write([[maybe_unused]] Arguments& arguments,\n"
      "                    [[maybe_unused]] const UInt<12>& offset,\n"
      "                    [[maybe_unused]] const UInt32& data) {{\n{}  }}\n"
      "  static UInt32 read([[maybe_unused]] const UInt<12>& offset,\n"
      "                     [[maybe_unused]] const Arguments& arguments,\n"
      "                     [[maybe_unused]] const Results& results) {{\n"
      "    UInt32 word = UInt32(0);\n{}    return word;\n  }}\n"
      "}};\n"
      "}}  // namespace hlsc_interface\n",
      members(registers, false), members(registers, true), bits,
      readable.empty() ? "false" : readable, writes, reads);
}

}  // namespace systole::compiler
