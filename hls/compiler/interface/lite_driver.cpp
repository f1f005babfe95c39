#include <fmt/format.h>

#include <cctype>

#include "hls/compiler/interface/lite_texts.h"

namespace systole::compiler {
namespace {

std::string pascal_case(const std::string& name) {
  std::string result;
  bool up = true;
  for (const char c : name) {
    if (c != '_') {
      result += up ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    }
    up = c == '_';
  }
  return result;
}

bool is_flag(const LiteRegister& one) { return one.width == 1 && !one.is_signed; }

std::string type_of(const LiteRegister& one) {
  if (is_flag(one)) return "bool";
  return fmt::format("std::{}int{}_t", one.is_signed ? "" : "u", one.width > 32 ? 64 : 32);
}

/// The check that a value fits its scalar, or "".
std::string check(const LiteRegister& one) {
  const int whole = one.width > 32 ? 64 : 32;
  if (one.width == whole || is_flag(one)) return "";
  const std::string bad = one.is_signed
                              ? fmt::format("value < -({0} << {1}) || value >= ({0} << {1})",
                                            type_of(one) + "{1}", one.width - 1)
                              : fmt::format("value >> {} != 0", one.width);
  return fmt::format(
      "    if ({}) {{\n"
      "      throw std::invalid_argument(\"{} has {} bits, and \" + std::to_string(value) +\n"
      "                                  \" does not fit\");\n"
      "    }}\n",
      bad, one.scalar, one.width);
}

std::string setter(const LiteRegister& one) {
  std::string text =
      fmt::format("\n  void set_{}({} value) {{\n{}", one.scalar, type_of(one), check(one));
  if (one.width <= 32) {
    const std::string mask = one.width == 32 ? "" : fmt::format(" & {:#x}u", (1u << one.width) - 1);
    const std::string value = one.is_signed  ? "static_cast<std::uint32_t>(value)" + mask
                              : is_flag(one) ? "value ? 1 : 0"
                                             : "value";
    text += fmt::format("    bus_.write({:#x}, {});\n", one.offset, value);
  } else {
    const int high = one.width - 32;
    const std::string mask =
        one.is_signed && high < 32 ? fmt::format(" & {:#x}u", (1u << high) - 1) : "";
    text += fmt::format(
        "    bus_.write({:#x}, static_cast<std::uint32_t>(value));\n"
        "    bus_.write({:#x}, static_cast<std::uint32_t>(value >> 32){});\n",
        one.offset, one.offset + 4, mask);
  }
  return text + "  }\n";
}

std::string getter(const LiteRegister& one) {
  const int whole = one.width > 32 ? 64 : 32;
  const std::string word = fmt::format("std::uint{}_t", whole);
  std::string text = fmt::format("\n  {} {}() {{\n", type_of(one), one.scalar);
  if (whole == 64) {
    text += fmt::format(
        "    const std::uint64_t low = bus_.read({:#x});\n"
        "    const {} word = low | std::uint64_t{{bus_.read({:#x})}} << 32;\n",
        one.offset, word, one.offset + 4);
  } else {
    text += fmt::format("    const {} word = bus_.read({:#x});\n", word, one.offset);
  }
  const int above = whole - one.width;
  text +=
      one.is_signed && above > 0
          ? fmt::format("    return static_cast<{0}>(word << {1}) >> {1};\n", type_of(one), above)
      : one.is_signed ? fmt::format("    return static_cast<{}>(word);\n", type_of(one))
      : is_flag(one)  ? "    return word != 0;\n"
                      : "    return word;\n";
  return text + "  }\n";
}

}  // namespace

std::string lite_driver(const KernelReport& kernel, const std::vector<LiteRegister>& registers,
                        const std::string& made) {
  std::string scalars;
  bool checks = false;
  for (const LiteRegister& one : registers) {
    if (one.low != 0) continue;
    scalars += one.is_result ? getter(one) : setter(one);
    checks = checks || (!one.is_result && !check(one).empty());
  }
  const std::string error = kernel.has_axi
                                ? "  /// Whether memory answered an access of the last run with an "
                                  "error.\n"
                                  "  bool error() { return (bus_.read(0x4) & 4) != 0; }\n"
                                : "";
  return fmt::format(
      "#pragma once\n"
      "\n"
      "// {0}. Do not edit.\n"
      "\n"
      "#include <cstdint>\n{1}"
      "\n"
      "/// Runs {2} by its registers on AXI4-Lite ({2}.md).\n"
      "///\n"
      "/// Shapes   Bus has `std::uint32_t read(std::uint32_t offset)` and\n"
      "///          `void write(std::uint32_t offset, std::uint32_t value)`\n"
      "/// Limits   arguments are set while the function is not busy\n"
      "/// Errors   {3}what Bus throws for an answer that is an error\n"
      "template <typename Bus>\n"
      "class {4}Driver {{\n"
      " public:\n"
      "  explicit {4}Driver(Bus& bus) : bus_(bus) {{}}\n"
      "{5}"
      "\n"
      "  void start() {{ bus_.write(0x0, 1); }}\n"
      "  bool busy() {{ return (bus_.read(0x4) & 1) != 0; }}\n"
      "  /// Whether the last run has ended.\n"
      "  bool done() {{ return (bus_.read(0x4) & 2) != 0; }}\n"
      "{6}"
      "\n"
      " private:\n"
      "  Bus& bus_;\n"
      "}};\n",
      made, checks ? "#include <stdexcept>\n#include <string>\n" : "", kernel.kernel,
      checks ? "std::invalid_argument for a value that does not fit its argument;\n///          "
             : "",
      pascal_case(kernel.kernel), scalars, error);
}

}  // namespace systole::compiler
