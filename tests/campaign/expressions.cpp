#include "tests/campaign/expressions.h"

#include <algorithm>

namespace systole::tests {
namespace {

constexpr int kWidest = 260;

/// An enum's value as the integer of as many bits.
std::string number_of(const std::string& text, const Compound& type) {
  return fmt::format("{}::from(static_cast<std::{}int64_t>({}))", type.value.text(),
                     type.value.is_signed() ? "" : "u", text);
}

ValueType unsigned_of(int width) { return {ValueType::kUInt, width}; }
ValueType signed_of(int width) { return {ValueType::kInt, width}; }

}  // namespace

std::vector<const Array*> Scope::whole_element_arrays() const {
  std::vector<const Array*> found;
  for (const Array& one : arrays) {
    if (one.member.empty()) found.push_back(&one);
  }
  return found;
}

std::vector<const Variable*> Scope::writable_numbers() const {
  std::vector<const Variable*> found;
  for (const Variable& one : writable) {
    if (one.type.kind != ValueType::kBool) found.push_back(&one);
  }
  return found;
}

void Scope::add(const std::string& text, const Compound& type, bool is_writable) {
  switch (type.kind) {
    case Compound::kValue:
      readable.push_back({text, type.value});
      if (is_writable) writable.push_back({text, type.value});
      return;
    case Compound::kEnum:
      readable.push_back({number_of(text, type), type.value});
      readable.push_back({fmt::format("({} == {}::{})", text, type.name, type.enumerators.back()),
                          {ValueType::kBool, 1}});
      break;
    case Compound::kStruct:
      for (const auto& [name, member] : type.members) {
        add(fmt::format("{}.{}", text, name), member, is_writable);
      }
      break;
    case Compound::kVec:
    case Compound::kArray:
      if (type.element().kind == Compound::kValue) {
        arrays.push_back({text, type.element().value, type.size, false, is_writable});
      } else {
        for (int i = 0; i < type.size; ++i) {
          add(fmt::format("{}[{}]", text, i), type.element(), is_writable);
        }
      }
      break;
  }
  wholes.push_back({text, type});
}

std::string Expressions::literal(const ValueType& type) {
  if (type.kind == ValueType::kBool) return one_in(2) ? "true" : "false";
  const int bits = std::min(type.width - type.is_signed(), 62);
  std::uint64_t value = random_.bits() & ((std::uint64_t{1} << bits) - 1);
  switch (random_.below(5)) {
    case 0:
      value = 0;
      break;
    case 1:
      value = (std::uint64_t{1} << bits) - 1;
      break;
    case 2:
      value = std::min<std::uint64_t>(value, random_.below(6));
      break;
    default:
      break;
  }
  const char* suffix = value > 0x7fff'ffff ? (type.is_signed() ? "ll" : "ull") : "";
  const char* sign = type.is_signed() && value != 0 && one_in(2) ? "-" : "";
  return fmt::format("{}({}{}{})", type.text(), sign, value, suffix);
}

std::string Expressions::of(const ValueType& type, const Scope& scope, int depth) {
  if (depth <= 0) return leaf(type, scope);
  if (one_in(12)) return leaf(type, scope);
  if (one_in(8)) {
    return fmt::format("({} ? {} : {})", condition(scope, depth - 1), of(type, scope, depth - 1),
                       of(type, scope, depth - 1));
  }
  if (!scope.functions.empty() && one_in(10)) return call(type, scope, depth);
  if (type.kind == ValueType::kBool) return condition(scope, depth);
  return type.is_signed() ? signed_value(type, scope, depth) : unsigned_value(type, scope, depth);
}

std::string Expressions::of(const Compound& type, const Scope& scope, int depth) {
  if (type.kind == Compound::kValue) return of(type.value, scope, depth);
  if (type.kind != Compound::kArray && !one_in(3)) {
    std::vector<const Whole*> alike;
    for (const Whole& one : scope.wholes) {
      if (one.type == type) alike.push_back(&one);
    }
    const auto pick = [&] { return any_of(random_, alike)->text; };
    if (alike.size() > 1 && one_in(3)) {
      return fmt::format("({} ? {} : {})", condition(scope, depth - 1), pick(), pick());
    }
    if (!alike.empty()) return pick();
  }
  if (type.kind == Compound::kEnum) {
    if (one_in(2)) {
      return fmt::format("{}::{}", type.name, any_of(random_, type.enumerators));
    }
    return fmt::format("static_cast<{}>(({}).value())", type.name, of(type.value, scope, depth));
  }
  std::string parts;
  const int count = type.size > 0 ? type.size : static_cast<int>(type.members.size());
  for (int i = 0; i < count; ++i) {
    const Compound& part = type.size > 0 ? type.element() : type.members[i].second;
    parts += (i == 0 ? "" : ", ") + of(part, scope, depth - 1);
  }
  return fmt::format("{}{{{}}}", type.kind == Compound::kArray ? "" : type.text(), parts);
}

std::string Expressions::index(const Scope& scope, int bits, int& width) {
  if (scope.readable.empty()) return "";
  const Variable& one = any_of(random_, scope.readable);
  if (one.type.width < bits || one.type.kind != ValueType::kUInt) return "";
  width = one.type.width;
  return one.text;
}

Variable Expressions::element(const Array& array, const Scope& scope) {
  const auto at = [&](const std::string& place) -> Variable {
    return {array.at(place), array.type};
  };
  for (const Counter& counter : scope.counters) {
    if (counter.count <= array.size && !one_in(4)) return at(counter.name);
  }
  int bits = 0;
  while (2 << bits <= array.size) ++bits;
  if (array.any_index && bits > 0 && one_in(2)) {
    int width = 0;
    const std::string place = index(scope, bits, width);
    if (!place.empty() && one_in(3) && (1 << bits) < array.size && width > bits) {
      return at(fmt::format("static_cast<int>(std::min({}, UInt<{}>({})).value())", place, width,
                            array.size - 1));
    }
    if (!place.empty()) {
      return at(fmt::format("static_cast<int>(slice<{}, 0>({}).value())", bits - 1, place));
    }
  }
  return at(std::to_string(random_.below(array.size)));
}

Variable Expressions::read_element(const Array& array, const Scope& scope) {
  int bits = 1;
  while (1 << bits < array.size) ++bits;
  int width = 0;
  const std::string place = array.any_index && one_in(4) ? index(scope, bits, width) : "";
  if (place.empty() || width > 30 || array.size >> width != 0) return element(array, scope);
  return {fmt::format("({} < UInt<{}>({}) ? {} : {})", place, width, array.size,
                      array.at(fmt::format("static_cast<int>({}.value())", place)),
                      literal(array.type)),
          array.type};
}

/// One of the values in scope, rather one of the wanted type.
Variable Expressions::any_value(const ValueType& type, const Scope& scope) {
  if (!scope.arrays.empty() && (scope.readable.empty() || one_in(4))) {
    return read_element(any_of(random_, scope.arrays), scope);
  }
  std::vector<const Variable*> exact;
  for (const Variable& one : scope.readable) {
    if (one.type == type) exact.push_back(&one);
  }
  if (!exact.empty() && !one_in(4)) return *any_of(random_, exact);
  return any_of(random_, scope.readable);
}

/// A value in scope made to fit, a loop counter, or a literal.
std::string Expressions::leaf(const ValueType& type, const Scope& scope) {
  if ((scope.readable.empty() && scope.arrays.empty()) || one_in(7)) {
    if (!scope.counters.empty() && type.kind == ValueType::kUInt && type.width >= 4) {
      return fmt::format("{}::from(static_cast<unsigned>({}))", type.text(),
                         any_of(random_, scope.counters).name);
    }
    return literal(type);
  }
  const Variable one = any_value(type, scope);
  if (one.type == type) return one.text;
  if (type.kind == ValueType::kBool) {
    if (one_in(2)) return fmt::format("bit<{}>({})", random_.below(one.type.width), one.text);
    if (!one.type.is_signed()) return fmt::format("static_cast<bool>({})", one.text);
    return fmt::format("({} < {})", one.text, literal(one.type));
  }
  if (one.type.kind == ValueType::kBool) {
    return fmt::format("truncate<{}>(as_bit({}))", type.text(), one.text);
  }
  if (type.kind == ValueType::kUInt && one.type.width > type.width && one_in(2)) {
    const int low = random_.between(0, one.type.width - type.width);
    return fmt::format("slice<{}, {}>({})", low + type.width - 1, low, one.text);
  }
  if (one.type.width < type.width && (type.is_signed() || !one.type.is_signed()) && one_in(2)) {
    return fmt::format("{}({})", type.text(), one.text);
  }
  return fmt::format("truncate<{}>({})", type.text(), one.text);
}

std::string Expressions::condition(const Scope& scope, int depth) {
  if (depth <= 0) return leaf({ValueType::kBool, 1}, scope);
  const auto part = [&] { return condition(scope, depth - 1); };
  switch (random_.below(9)) {
    case 0:
      return fmt::format("({} && {})", part(), part());
    case 1:
      return fmt::format("({} || {})", part(), part());
    case 2:
      return fmt::format("(!{})", part());
    case 3:
      return fmt::format("({} != {})", part(), part());
    case 4: {
      const ValueType type = operand(one_in(3), 64);
      return fmt::format("bit<{}>({})", random_.below(type.width), of(type, scope, depth - 1));
    }
    case 5: {
      int width = 0;
      const std::string value = index(scope, 1, width);
      if (value.empty()) return leaf({ValueType::kBool, 1}, scope);
      const ValueType place = unsigned_of(random_.between(1, 8));
      return one_in(2)
                 ? fmt::format("static_cast<bool>({}[{}])", value, random_.below(width))
                 : fmt::format("static_cast<bool>({}[{}])", value, of(place, scope, depth - 1));
    }
    default: {
      constexpr const char* kComparisons[] = {"==", "!=", "<", "<=", ">", ">="};
      const ValueType type = operand(one_in(3), kWidest);
      const char* comparison = kComparisons[random_.below(std::size(kComparisons))];
      const std::string right = one_in(3) ? literal(type) : of(type, scope, depth - 1);
      return fmt::format("({} {} {})", of(type, scope, depth - 1), comparison, right);
    }
  }
}

std::string Expressions::unsigned_value(const ValueType& type, const Scope& scope, int depth) {
  const int width = type.width;
  const auto part = [&] { return of(type, scope, depth - 1); };
  const auto other = [&](int bits) { return of(unsigned_of(bits), scope, depth - 1); };
  switch (random_.below(12)) {
    case 0: {
      constexpr const char* kOperators[] = {"&", "|", "^"};
      const int narrower = one_in(3) ? random_.between(1, width) : width;
      return fmt::format("({} {} {})", part(), kOperators[random_.below(3)], other(narrower));
    }
    case 1:
      return fmt::format("(~{})", part());
    case 2:
    case 3: {
      const char* shift = one_in(2) ? "<<" : ">>";
      if (one_in(3)) {
        const auto amount = literal(unsigned_of(std::min(8, random_.between(1, 8))));
        return fmt::format("({} {} {})", part(), shift, amount);
      }
      return fmt::format("({} {} {})", part(), shift, other(random_.between(1, 8)));
    }
    case 4:
      if (width >= 2) {
        const int low = random_.between(1, width - 1);
        return fmt::format("concat({}, {})", other(width - low), other(low));
      }
      return fmt::format("as_bit({})", condition(scope, depth - 1));
    case 5: {
      const int wider = std::min(kWidest, width + random_.between(0, 20));
      const int low = random_.between(0, wider - width);
      const ValueType from = one_in(4) && wider >= 2 ? signed_of(wider) : unsigned_of(wider);
      return fmt::format("slice<{}, {}>({})", low + width - 1, low, of(from, scope, depth - 1));
    }
    case 6:
      if (width >= 2) {
        return fmt::format("as_unsigned({})", of(signed_of(width), scope, depth - 1));
      }
      return fmt::format("as_bit({})", condition(scope, depth - 1));
    case 7:
      return fmt::format("std::{}({}, {})", one_in(2) ? "min" : "max", part(), part());
    case 8:
      if (width >= 2) {
        return fmt::format("{}({})", type.text(), other(random_.between(1, width - 1)));
      }
      return fmt::format("as_bit({})", condition(scope, depth - 1));
    default:
      return arithmetic(type, scope, depth);
  }
}

std::string Expressions::signed_value(const ValueType& type, const Scope& scope, int depth) {
  switch (random_.below(7)) {
    case 0:
      return fmt::format("as_signed({})", of(unsigned_of(type.width), scope, depth - 1));
    case 1:
      return fmt::format("std::{}({}, {})", one_in(2) ? "min" : "max", of(type, scope, depth - 1),
                         of(type, scope, depth - 1));
    case 2:
      if (type.width >= 3) {
        const int narrower = random_.between(2, type.width - 1);
        const ValueType from = one_in(2) ? unsigned_of(narrower) : signed_of(narrower);
        return fmt::format("{}({})", type.text(), of(from, scope, depth - 1));
      }
      [[fallthrough]];
    default:
      return arithmetic(type, scope, depth);
  }
}

/// An exact sum, difference or product, cut or extended to the type.
std::string Expressions::arithmetic(const ValueType& type, const Scope& scope, int depth) {
  if (one_in(5)) return with_constant(type, scope, depth);
  const bool is_signed = one_in(5) ? !type.is_signed() : type.is_signed();
  constexpr const char* kOperators[] = {"+", "-", "*"};
  const std::uint32_t which = random_.below(3);
  // An unsigned side beside a signed one counts a bit more.
  const int widest = which == 2 ? kWidest / 2 - 1 : kWidest - 2;
  const int near = std::min(widest, std::max(type.width, 2));
  const auto pick = [&] {
    ValueType side = operand(one_in(6) ? !is_signed : is_signed, std::min(widest, near + 8));
    if (one_in(2)) side.width = near;
    return side;
  };
  const std::string left = of(pick(), scope, depth - 1);
  const std::string right = of(pick(), scope, depth - 1);
  return fmt::format("truncate<{}>({} {} {})", type.text(), left, kOperators[which], right);
}

/// A value and a number of the host, whose type is the value's; or the value's negation.
std::string Expressions::with_constant(const ValueType& type, const Scope& scope, int depth) {
  const ValueType side = operand(one_in(3), kWidest);
  const std::string value = of(side, scope, depth - 1);
  const int bits = std::min(side.width - side.is_signed(), 20);
  const std::uint32_t number = 1 + random_.below((1u << bits) - 1);
  constexpr const char* kOperators[] = {"+", "-", "*", "/", "%"};
  switch (random_.below(4)) {
    case 0:
      return fmt::format("truncate<{}>(-({}))", type.text(), value);
    case 1:
      return fmt::format("truncate<{}>({} {} {})", type.text(), number,
                         kOperators[random_.below(3)], value);
    default:
      return fmt::format("truncate<{}>({} {} {})", type.text(), value, kOperators[random_.below(5)],
                         number);
  }
}

std::string Expressions::call(const ValueType& type, const Scope& scope, int depth) {
  const Callable& function = any_of(random_, scope.functions);
  std::string arguments;
  for (const Compound& argument : function.arguments) {
    arguments += (arguments.empty() ? "" : ", ") + of(argument, scope, depth - 2);
  }
  Scope called;
  called.add(fmt::format("{}({})", function.name, arguments), function.result);
  return leaf(type, called);
}

ValueType Expressions::operand(bool is_signed, int widest) {
  const int width = std::min(widest, random_width(random_, is_signed ? 2 : 1));
  return is_signed ? signed_of(width) : unsigned_of(width);
}

}  // namespace systole::tests
