#include "hls/compiler/emit/float_fields.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <vector>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/support/source.h"
#include "hls/compiler/verilog/nets.h"

namespace systole::compiler {
namespace {

constexpr const char* kNames[] = {"fraction", "exponent", "sign"};

struct Range {
  unsigned high = 0;
  unsigned low = 0;

  unsigned width() const { return high - low + 1; }
};

/// The bits of a float's fields: its fraction, its exponent, its sign.
struct Format {
  std::vector<Range> fields;
};

/// The float that a method of `Float<e, f>` is about; none for any other function.
std::optional<Format> format_of(const llvm::DISubprogram& function) {
  if (!is_accessor(function)) return std::nullopt;
  const auto* type = llvm::dyn_cast_or_null<llvm::DICompositeType>(function.getScope());
  if (!type) return std::nullopt;
  std::vector<unsigned> widths;
  for (const llvm::DITemplateParameter* parameter : type->getTemplateParams()) {
    const auto* one = llvm::cast<llvm::DITemplateValueParameter>(parameter);
    const auto* constant = llvm::cast<llvm::ConstantAsMetadata>(one->getValue());
    const auto& width = *llvm::cast<llvm::ConstantInt>(constant->getValue());
    widths.push_back(static_cast<unsigned>(width.getZExtValue()));
  }
  const unsigned exponent = widths.at(0), fraction = widths.at(1), sign = exponent + fraction;
  return Format{{{fraction - 1, 0}, {sign - 1, fraction}, {sign, sign}}};
}

/// The format in which the source reads the value; none where it reads it as no float.
std::optional<Format> format_of(const llvm::Value& value, unsigned width) {
  for (const llvm::User* user : value.users()) {
    const auto& reader = *llvm::cast<llvm::Instruction>(user);
    for (const auto* at = reader.getDebugLoc().get(); at; at = at->getInlinedAt()) {
      const std::optional<Format> format = format_of(*at->getScope()->getSubprogram());
      if (format && format->fields.back().high + 1 == width) return format;
    }
    if (!is_wiring(reader)) continue;
    if (const std::optional<Format> format = format_of(reader, width)) return format;
  }
  return std::nullopt;
}

/// "old_q[lane]" and "old_q" are "old".
std::string base_of(const sv::Expression& signal) {
  std::string name = sv::root_of(signal);
  if (name.ends_with("_q") || name.ends_with("_i")) name.resize(name.size() - 2);
  return name;
}

bool is_whole(const Reference& signal) {
  return signal.offset == 0 && signal.dropped == 0 && signal.width == signal.base_width;
}

}  // namespace

sv::Expression FloatFields::field(const llvm::Value& value, const Reference& signal, unsigned high,
                                  unsigned low) const {
  const auto known = floats_.find(&value);
  if (known == floats_.end()) return {};
  const std::vector<Range> fields = format_of(value, signal.width)->fields;
  for (const auto& [field, name] : known->second) {
    const Range& bits = fields[field];
    // A part of a fraction, or the lowest bit of an exponent, is read as a part of an integer.
    const bool is_part =
        field == kExponent && low >= bits.low && high <= bits.high && high > bits.low;
    if ((low == bits.low && high == bits.high) || is_part) {
      return sv::slice(name, high - bits.low, low - bits.low, bits.width());
    }
  }
  return {};
}

void FloatFields::split(const llvm::Value& value, const Reference& signal, bool is_loop,
                        Temporaries& temporaries, sv::Statements& out) {
  if (!is_whole(signal)) return;
  const std::optional<Format> format = format_of(value, signal.width);
  if (!format) return;
  const auto wanted = wanted_.find(&value);
  if (!is_trial_ && wanted == wanted_.end()) return;
  std::vector<sv::Expression> names;
  for (const unsigned field : {kSign, kExponent, kFraction}) {
    if (!is_trial_ && wanted->second.count(field) == 0) continue;
    const unsigned width = format->fields[field].width();
    const NameChoices choices{fmt::format("{}_{}", base_of(signal.base), kNames[field])};
    const std::string name =
        is_loop ? temporaries.add(choices, width) : temporaries.declare(choices, width, out);
    floats_[&value][field] = name;
    names.emplace_back(name);
  }
  if (is_trial_) return;
  if (names.size() == format->fields.size()) {
    out.assign(sv::concatenation(names), "=", signal.base);
    return;
  }
  for (const auto& [field, name] : floats_[&value]) {
    const Range& bits = format->fields[field];
    out.assign(name, "=", sv::slice(signal.base, bits.high, bits.low, signal.width));
  }
}

FloatFields FloatFields::worth_a_variable(const sv::Statements& stage) const {
  std::map<std::string, unsigned> counts;
  sv::for_each_expression(stage, [&](const sv::Expression& one) { sv::count_names(one, counts); });
  FloatFields chosen;
  chosen.is_trial_ = false;
  for (const auto& [value, names] : floats_) {
    std::set<unsigned> read, repeated;
    for (const auto& [field, name] : names) {
      const unsigned reads = counts.count(name) != 0 ? counts.at(name) : 0;
      if (reads > 0) read.insert(field);
      if (reads > 1) repeated.insert(field);
    }
    if (repeated.empty() || read == std::set<unsigned>{kSign}) continue;
    chosen.wanted_[value] = read.size() == names.size() ? read : repeated;
  }
  return chosen;
}

}  // namespace systole::compiler
