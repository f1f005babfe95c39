#include "tests/campaign/compound.h"

#include <algorithm>
#include <set>

namespace systole::tests {
namespace {

Compound random_enum(Random& random, const std::string& name, std::string& definitions) {
  constexpr const char* kUnder[] = {"", " : std::uint8_t", " : std::int16_t"};
  const bool is_signed = random.below(4) == 0;
  Compound type;
  type.kind = Compound::kEnum;
  type.name = name;
  std::set<int> values;
  for (int i = random.between(2, 6); i > 0; --i) {
    values.insert(is_signed ? random.between(-8, 7) : random.between(0, i % 2 ? 7 : 63));
  }
  if (is_signed) values.insert(-1);
  // An Int has two bits at least.
  if (is_signed && *values.begin() == -1 && *values.rbegin() <= 0) values.insert(-2);
  std::string list;
  int bits = 1;
  for (const int value : values) {
    type.enumerators.push_back(fmt::format("kItem{}", type.enumerators.size()));
    list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", type.enumerators.back(), value);
    const int sign = is_signed ? 1 : 0;
    while ((1 << (bits - sign)) <= value || -(1 << (bits - sign)) > value) ++bits;
  }
  type.value = {is_signed ? ValueType::kInt : ValueType::kUInt, bits};
  const char* under = is_signed ? kUnder[2 * random.below(2)] : kUnder[random.below(3)];
  definitions += fmt::format("enum class {}{} {{ {} }};\n\n", name, under, list);
  return type;
}

/// A Vec or an array.
Compound list_of(Random& random, Compound::Kind kind, const Compound& element) {
  Compound type;
  type.kind = kind;
  type.size = random.between(2, 4);
  type.members = {{"", element}};
  return type;
}

}  // namespace

std::string Compound::text() const {
  switch (kind) {
    case kValue:
      return value.text();
    case kEnum:
    case kStruct:
      return name;
    case kVec:
      return fmt::format("Vec<{}, {}>", element().text(), size);
    case kArray:
      return element().text();
  }
  return "";
}

std::string Compound::declared(const std::string& variable) const {
  return kind == kArray ? fmt::format("{} {}[{}]", text(), variable, size)
                        : fmt::format("{} {}", text(), variable);
}

std::string Compound::parameter(const std::string& variable) const {
  return kind == kArray ? fmt::format("const {} (&{})[{}]", text(), variable, size)
                        : fmt::format("const {}& {}", text(), variable);
}

Compound random_compound(Random& random, const std::string& name, std::string& definitions,
                         bool may_be_array, bool may_nest) {
  const auto part = [&] {
    if (may_nest && random.below(5) == 0) {
      return random_compound(random, name + "Part", definitions, false, /*may_nest=*/false);
    }
    return random.below(5) == 0 ? random_enum(random, name + "Item", definitions)
                                : Compound(random_type(random));
  };
  switch (random.below(may_be_array ? 6 : 5)) {
    case 0:
      return random_enum(random, name, definitions);
    case 1:
      return list_of(random, Compound::kVec, part());
    case 2:
      return Compound(random_type(random));
    case 5:
      return list_of(random, Compound::kArray, part());
    default:
      break;
  }
  Compound type;
  type.kind = Compound::kStruct;
  type.name = name;
  std::string fields;
  constexpr const char* kNames[] = {"first", "second", "third", "fourth"};
  const int count = random.between(1, 4);
  for (int i = 0; i < count; ++i) {
    Compound member(random_type(random));
    if (random.below(4) == 0) {
      member = random_enum(random, fmt::format("{}Item{}", name, i), definitions);
    } else if (random.below(4) == 0) {
      member = list_of(random, random.below(2) == 0 ? Compound::kVec : Compound::kArray, member);
    } else if (may_nest && random.below(4) == 0) {
      member = random_compound(random, fmt::format("{}Part{}", name, i), definitions, false,
                               /*may_nest=*/false);
    }
    fields += fmt::format("  {};\n", member.declared(kNames[i]));
    type.members.emplace_back(kNames[i], member);
  }
  definitions += fmt::format("struct {} {{\n{}}};\n\n", name, fields);
  return type;
}

}  // namespace systole::tests
