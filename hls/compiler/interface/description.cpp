#include "hls/compiler/interface/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFirstOffset = 16;
constexpr int kRegisterBits = 32;
constexpr int kMostBits = 64;

std::string meaning(const PortReport& port) {
  switch (port.kind) {
    case PortKind::kAddress:
      return fmt::format("address of {}[0]", port.parameter);
    case PortKind::kResult:
      return fmt::format("{} after a run", port.parameter);
    default:
      return port.parameter;
  }
}

/// The description, the page and the driver know a register, and a scalar, by its name.
void check_names(const KernelReport& kernel, const std::vector<LiteRegister>& registers) {
  std::map<std::string, std::string> owners = {{"control", "the block"}, {"status", "the block"}};
  for (const LiteRegister& one : registers) {
    const auto [found, is_new] = owners.emplace(one.name, fmt::format("'{}'", one.scalar));
    if (is_new) continue;
    throw Refusal(fmt::format("{}: '{}' would have a register '{}', as {} has; rename it",
                              kernel.position, one.scalar, one.name, found->second));
  }
}

}  // namespace

std::vector<LiteRegister> lite_registers(const KernelReport& kernel) {
  std::vector<LiteRegister> registers;
  int offset = kFirstOffset;
  for (const PortReport& port : kernel.ports) {
    const bool is_result = port.kind == PortKind::kResult;
    if (!is_result && port.kind != PortKind::kArgument && port.kind != PortKind::kAddress) continue;
    if (port.width > kMostBits) {
      throw Refusal(fmt::format(
          "{}: '{}' has {} bits, and an argument in registers has at most {}; pass it in "
          "an array, or in two arguments",
          kernel.position, port.parameter, port.width, kMostBits));
    }
    // An argument that is also a result has two names.
    const bool twice =
        is_result && std::ranges::any_of(kernel.ports, [&](const PortReport& other) {
          return other.kind == PortKind::kArgument && other.parameter == port.parameter;
        });
    const std::string scalar = port.base + (twice ? "_result" : "");
    for (int low = 0; low < port.width; low += kRegisterBits) {
      const bool parts = port.width > kRegisterBits;
      const int high = std::min(low + kRegisterBits, port.width) - 1;
      const std::string part = parts ? fmt::format(", its bits {}:{}", high, low) : "";
      registers.push_back({.name = parts ? scalar + (low == 0 ? "_low" : "_high") : scalar,
                           .scalar = scalar,
                           .offset = offset,
                           .low = low,
                           .bits = std::min(kRegisterBits, port.width - low),
                           .width = port.width,
                           .is_signed = port.is_signed,
                           .is_result = is_result,
                           .about = meaning(port) + part});
      offset += 4;
    }
  }
  check_names(kernel, registers);
  return registers;
}

Json describe_device(const KernelReport& kernel, const std::vector<LiteRegister>& registers) {
  Json list = Json::array();
  list.push_back({{"name", "control"},
                  {"offset", 0},
                  {"access", "write"},
                  {"fields", {{{"name", "start"}, {"low", 0}, {"about", "starts a run"}}}},
                  {"about", "a 0 does nothing"}});
  Json status = {{{"name", "busy"}, {"low", 0}, {"about", "a run is under way"}},
                 {{"name", "done"}, {"low", 1}, {"about", "the last run has ended"}}};
  if (kernel.has_axi) {
    status.push_back(
        {{"name", "error"},
         {"low", 2},
         {"about", "memory has answered a read or a write of this run with an error"}});
  }
  list.push_back({{"name", "status"},
                  {"offset", 4},
                  {"access", "read"},
                  {"fields", status},
                  {"about", "what the function does"}});
  for (const LiteRegister& one : registers) {
    list.push_back({{"name", one.name},
                    {"offset", one.offset},
                    {"access", one.is_result ? "read" : "read, write"},
                    {"bits", one.bits},
                    {"about", one.about}});
  }
  return {
      {"name", kernel.kernel},
      {"register_rules",
       {"A register has 32 bits and is accessed whole: SLVERR answers an offset that no register "
        "has, a read of a register that is only written, a write to one that is only read, and a "
        "write with any of its four strobes clear. A refused write changes nothing.",
        "Bits without a meaning read as 0 and are written as 0. A write with a 1 in one of them is "
        "refused with SLVERR.",
        "While a run is under way, every write is refused with SLVERR.",
        "Arguments keep their values from run to run; they have none after a reset."}},
      {"registers", list}};
}

}  // namespace systole::compiler
