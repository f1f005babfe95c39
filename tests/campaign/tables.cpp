#include "tests/campaign/tables.h"

namespace systole::tests {
namespace {

/// "{1, 2, 3}" of `count` things.
template <typename Text>
std::string list_of(int count, const Text& text) {
  std::string list;
  for (int i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + text();
  return "{" + list + "}";
}

}  // namespace

void random_tables(Random& random, const std::string& name, std::string& definitions,
                   Scope& scope) {
  Expressions expressions(random);
  for (int i = random.between(-2, 2); i > 0; --i) {
    const std::string table = fmt::format("k{}Table{}", name, i);
    const int size = random.between(2, random.below(4) == 0 ? 24 : 8);
    const ValueType type = random_type(random);
    const auto value = [&] { return expressions.literal(type); };
    Array array{table, type, size, /*any_index=*/true, /*writable=*/false};
    switch (random.below(3)) {
      case 0: {
        const int rows = random.between(2, 3);
        definitions += fmt::format("inline constexpr {} {}[{}][{}] = {};\n\n", type.text(), table,
                                   rows, size, list_of(rows, [&] { return list_of(size, value); }));
        array.name = fmt::format("{}[{}]", table, random.below(rows));
        break;
      }
      case 1: {
        const ValueType second = random_type(random);
        definitions += fmt::format("struct {}Entry {{\n  {} first;\n  {} second;\n}};\n", table,
                                   type.text(), second.text());
        definitions += fmt::format(
            "inline constexpr {0}Entry {0}[{1}] = {2};\n\n", table, size, list_of(size, [&] {
              return fmt::format("{{{}, {}}}", value(), expressions.literal(second));
            }));
        array.member = ".first";
        scope.arrays.push_back(array);
        array.member = ".second";
        array.type = second;
        break;
      }
      default:
        definitions += fmt::format("inline constexpr {} {}[{}] = {};\n\n", type.text(), table, size,
                                   list_of(size, value));
        break;
    }
    scope.arrays.push_back(array);
  }
}

}  // namespace systole::tests
