#include "tests/campaign/function_writer.h"

#include "tests/campaign/statements.h"

namespace systole::tests {

RandomFunction random_function(Random& random, const std::string& name, int statements) {
  Expressions expressions(random);
  Statements body(random, expressions);
  RandomFunction function{
      .callable = {name, {}, random_integer(random)}, .arguments = {}, .text = {}};
  Scope scope;
  std::string parameters;
  for (int i = random.between(1, 5); i > 0; --i) {
    const Variable argument{std::string(1, static_cast<char>('f' - i)), random_integer(random)};
    function.callable.arguments.push_back(argument.type);
    function.arguments.push_back(argument.text);
    scope.readable.push_back(argument);
    parameters += fmt::format("{}const {}& {}", parameters.empty() ? "" : ", ",
                              argument.type.text(), argument.text);
  }
  body.set_return(function.callable.result);
  const std::string text = body.some(random.between(0, statements), scope, 2);
  function.text =
      fmt::format("constexpr {} {}({}) {{\n{}  return {};\n}}\n\n", function.callable.result.text(),
                  name, parameters, text, expressions.of(function.callable.result, scope, 4));
  return function;
}

std::string random_pipeline(Random& random, const std::string& name) {
  const RandomFunction function = random_function(random, name + "Function", 6);
  std::string fields;
  std::string arguments;
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    fields +=
        fmt::format("    {} {};\n", function.callable.arguments[i].text(), function.arguments[i]);
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
      function.callable.name, random.between(1, 8));
}

}  // namespace systole::tests
