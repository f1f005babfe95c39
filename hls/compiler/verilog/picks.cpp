#include "hls/compiler/verilog/picks.h"

#include <fmt/format.h>
#include <llvm/Support/MathExtras.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "hls/compiler/verilog/common_form.h"
#include "hls/compiler/verilog/functions.h"
#include "hls/compiler/verilog/nets.h"

namespace systole::compiler::sv {
namespace {

constexpr const char* kVector = "vector";
constexpr const char* kIndex = "index";

/// A vector's elements by their numbers, as a chain of choices has them.
struct Picks {
  Expression selector;
  Expression vector;
  unsigned width = 0;                               ///< of an element
  unsigned bits = 0;                                ///< of the selector
  unsigned whole = 0;                               ///< bits of the vector
  std::map<std::uint64_t, std::uint64_t> elements;  ///< by the selector's value

  bool add(std::uint64_t number, const Expression& value) {
    const bool is_element = value.is(Expression::Kind::kSlice) && value.operands.size() == 1 &&
                            value.low % value.width == 0;
    if (!is_element) return false;
    if (vector.empty()) {
      vector = value.operands[0];
      width = value.width;
      whole = value.whole;
    }
    elements.emplace(number, value.low / width);
    return vector == value.operands[0] && width == value.width;
  }
};

/// What a chain of choices picks from; none where it leaves an element out.
std::optional<Picks> picks_of(const Expression& value) {
  Picks picks;
  unsigned bits = 0;
  Expression rest = value;
  for (; rest.is(Expression::Kind::kChoice); rest = Expression(rest.operands[2])) {
    const Expression& test = rest.operands[0];
    const bool compares = test.is(Expression::Kind::kBinary) && test.text == "==" &&
                          test.operands[0].is(Expression::Kind::kName) &&
                          test.operands[1].is(Expression::Kind::kNumber) &&
                          test.operands[1].text[0] == 'd';
    if (!compares || (bits != 0 && !(picks.selector == test.operands[0]))) return std::nullopt;
    picks.selector = test.operands[0];
    bits = test.operands[1].width;
    if (!picks.add(std::stoul(test.operands[1].text.substr(1)), rest.operands[1])) {
      return std::nullopt;
    }
  }
  constexpr unsigned kMostBits = 6;
  if (bits == 0 || bits > kMostBits) return std::nullopt;
  for (std::uint64_t i = 0; i < 1u << bits; ++i) {
    if (picks.elements.count(i) == 0 && !picks.add(i, rest)) return std::nullopt;
    if (picks.elements.at(i) != i) return std::nullopt;
  }
  picks.bits = bits;
  return picks;
}

class Picker {
 public:
  explicit Picker(Module& module) : module_(module) {
    for (const Statements& part : module_.parts) add_names(part, taken_);
  }

  void run() {
    for (Statements& part : module_.parts) {
      for_each_expression(part, [this](Expression& one) { one = picked(one); });
    }
    if (!functions_.empty()) functions_part(module_).append(functions_);
  }

 private:
  Expression picked(const Expression& value) {
    if (const std::optional<Picks> picks = picks_of(value)) {
      if (llvm::isPowerOf2_32(picks->width)) {
        return element_of(picks->vector, picks->selector, picks->width);
      }
      return call(function_of(*picks).c_str(), {picks->vector, picks->selector});
    }
    Expression result = value;
    for (Expression& operand : result.operands) operand = picked(operand);
    return result;
  }

  const std::string& function_of(const Picks& picks) {
    std::string& name = names_[{picks.bits, picks.width, picks.whole}];
    if (!name.empty()) return name;
    const unsigned count = 1U << picks.bits;
    name = unique_name(fmt::format("one_of_{}", count), taken_);
    Statements taken;
    taken.assign(name, "=", element_of(kVector, Expression(kCounter), picks.width));
    Statements turn;
    turn.branch(binary(kIndex, "==", cast(picks.bits, kCounter)), taken);
    Statements body;
    body.assign(name, "=", zeros(picks.width));
    body.block(loop_head("int unsigned", 0, count), turn);
    functions_.list(
        fmt::format("function automatic {} {}(input {} {}, input {} {});", logic_type(picks.width),
                    name, logic_type(picks.whole), kVector, logic_type(picks.bits), kIndex),
        body, "endfunction");
    return name;
  }

  Module& module_;
  Statements functions_;
  std::map<std::tuple<unsigned, unsigned, unsigned>, std::string> names_;  ///< by their widths
  std::set<std::string> taken_;
};

}  // namespace

Module with_picks(Module module) {
  Picker(module).run();
  return module;
}

}  // namespace systole::compiler::sv
