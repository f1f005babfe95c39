#include "tests/campaign/function_writer.h"

#include "tests/campaign/statements.h"
#include "tests/campaign/tables.h"

namespace systole::tests {

RandomFunction random_function(Random& random, const std::string& name, int statements,
                               bool may_take_arrays) {
  Expressions expressions(random);
  Statements body(random, expressions);
  RandomFunction function;
  const auto type_of = [&](const std::string& role, bool may_be_array) {
    return random.below(2) == 0 ? random_compound(random, name + role, function.text, may_be_array)
                                : Compound(random_integer(random));
  };
  function.callable.name = name;
  function.callable.result = type_of("Result", false);
  Scope scope;
  scope.types = {function.callable.result};
  std::string parameters;
  for (int i = random.between(1, 5); i > 0; --i) {
    const std::string argument(1, static_cast<char>('f' - i));
    const bool same = random.below(6) == 0;  // so that there is something to copy
    const Compound type =
        same ? function.callable.result : type_of(fmt::format("Argument{}", i), may_take_arrays);
    function.callable.arguments.push_back(type);
    function.arguments.push_back(argument);
    scope.add(argument, type);
    if (type.kind == Compound::kVec || type.kind == Compound::kArray) {
      for (Array& array : scope.arrays) array.any_index = true;
    }
    const bool by_value = type.kind != Compound::kArray && random.below(4) == 0;
    parameters += (parameters.empty() ? "" : ", ") +
                  (by_value ? type.declared(argument) : type.parameter(argument));
  }
  random_tables(random, name, function.text, scope);
  body.set_return(function.callable.result);
  const std::string text = body.some(random.between(0, statements), scope, 2);
  function.text +=
      fmt::format("constexpr {} {}({}) {{\n{}  return {};\n}}\n\n", function.callable.result.text(),
                  name, parameters, text, expressions.of(function.callable.result, scope, 4));
  return function;
}

std::string random_pipeline(Random& random, const std::string& name) {
  const RandomFunction function = random_function(random, name + "Function", 6, true);
  const int stages = random.between(1, 8);
  if (function.arguments.size() == 1 && function.callable.arguments[0].kind != Compound::kArray) {
    return fmt::format("{}using {} = StreamPipeline<&{}, {}>;\n\n", function.text, name,
                       function.callable.name, stages);
  }
  std::string fields;
  std::string arguments;
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    fields +=
        fmt::format("    {};\n", function.callable.arguments[i].declared(function.arguments[i]));
    arguments += (i == 0 ? "in." : ", in.") + function.arguments[i];
  }
  return fmt::format(
      "{0}struct {1} {{\n  struct Inputs {{\n{2}  }};\n  struct Outputs {{\n    {3} result;\n  "
      "}};\n"
      "  Outputs clock(const Inputs& in) {{\n"
      "    const Outputs out{{.result = function_.output()}};\n"
      "    function_.clock({4});\n    return out;\n  }}\n\n"
      " private:\n  Pipeline<&{5}, {6}> function_;\n}};\n\n",
      function.text, name, fields, function.callable.result.text(), arguments,
      function.callable.name, stages);
}

}  // namespace systole::tests
