#include "tests/campaign/thread_ends_writer.h"

#include "tests/campaign/function_writer.h"

namespace systole::tests {

void ThreadEndsWriter::draw(std::string& definitions, const TypeOf& type_of) {
  const std::uint32_t which = 1 + random_.below(7);
  if ((which & 1) != 0) memory();
  if ((which & 2) != 0) pipeline(definitions);
  if ((which & 4) != 0) server(definitions, type_of);
}

void ThreadEndsWriter::memory() {
  const Memory made{"memory", random_integer(random_), random_.between(1, 4)};
  const int depth = 1 << made.address_bits;
  parameters_.push_back(fmt::format("RamEnd<{}, {}>& memory", made.word.text(), depth));
  members_ += fmt::format("  Ram<{}, {}> memory_;\n", made.word.text(), depth);
  memories_.push_back(made);
}

void ThreadEndsWriter::pipeline(std::string& definitions) {
  const RandomFunction function = random_function(random_, name_ + "Piped", 3);
  const std::string type = fmt::format("<&{}, {}>", function.callable.name, random_.between(1, 4));
  definitions += function.text;
  parameters_.push_back(fmt::format("PipelineEnd{}& piped", type));
  members_ += fmt::format("  Pipeline{} piped_;\n", type);
  pipelines_.push_back({"piped", function.callable.arguments, function.callable.result});
}

void ThreadEndsWriter::server(std::string& definitions, const TypeOf& type_of) {
  const Compound request = type_of("Request");
  const Compound answer = type_of("Answer");
  Scope inside;
  inside.add("request", request);
  const char* pause = random_.below(2) == 0 ? "    co_await clock();\n" : "";
  definitions += fmt::format(
      "inline Thread {}Server(StreamIn<{}>& asked, StreamOut<{}>& told) {{\n  for (;;) {{\n"
      "    const {} request = co_await asked.pop();\n{}    co_await told.push({});\n  }}\n}}\n\n",
      name_, request.text(), answer.text(), request.text(), pause,
      expressions_.of(answer, inside, 3));
  parameters_.push_back(fmt::format("StreamOut<{}>& asked", request.text()));
  parameters_.push_back(fmt::format("StreamIn<{}>& told", answer.text()));
  members_ += fmt::format("  Channel<{}, {}> asked_;\n  Channel<{}, {}> told_;\n", request.text(),
                          random_.between(1, 2), answer.text(), random_.between(1, 2));
  members_ += fmt::format("  Process<&{}Server> server_;\n", name_);
  connects_ += "    server_.connect(asked_, told_);\n";
  updates_ += "    asked_.update();\n    told_.update();\n";
  resets_ += "    asked_.reset();\n    told_.reset();\n    server_.reset();\n";
  servers_.push_back({"call", {request}, answer});
}

std::string ThreadEndsWriter::use(Scope& scope, int indent) {
  std::string text;
  switch (random_.below(6)) {
    case 0:
    case 1:
      if (!memories_.empty()) text = access(memories_.front(), scope);
      break;
    case 2:
    case 3:
      if (!pipelines_.empty()) text = call(pipelines_.front(), "", scope);
      break;
    case 4:
      if (!servers_.empty()) text = call(servers_.front(), "asked, told, ", scope);
      break;
    default:
      break;
  }
  if (text.empty()) text = division(scope);
  return std::string(static_cast<std::size_t>(indent), ' ') + text;
}

std::string ThreadEndsWriter::access(const Memory& memory, Scope& scope) {
  const std::string address = expressions_.of({ValueType::kUInt, memory.address_bits}, scope, 2);
  if (random_.below(2) == 0) {
    return fmt::format("co_await {}.write({}, {});\n", memory.name, address,
                       expressions_.of(memory.word, scope, 2));
  }
  const std::string word = fmt::format("word{}", names_++);
  scope.add(word, memory.word);
  return fmt::format("const {} {} = co_await {}.read({});\n", memory.word.text(), word, memory.name,
                     address);
}

std::string ThreadEndsWriter::call(const Callable& called, const std::string& first, Scope& scope) {
  std::string arguments = first;
  for (const Compound& argument : called.arguments) {
    arguments += (arguments == first ? "" : ", ") + expressions_.of(argument, scope, 2);
  }
  const std::string answer = fmt::format("answer{}", names_++);
  scope.add(answer, called.result);
  return fmt::format("const {} = co_await {}({});\n", called.result.declared(answer), called.name,
                     arguments);
}

/// A clock for each bit of the dividend, so that is short.
std::string ThreadEndsWriter::division(Scope& scope) {
  const bool is_signed = random_.below(3) == 0;
  const ValueType::Kind kind = is_signed ? ValueType::kInt : ValueType::kUInt;
  const ValueType dividend{kind, random_.between(is_signed ? 2 : 1, 9)};
  const ValueType divisor{kind, random_.between(is_signed ? 2 : 1, 16)};
  const std::string name = fmt::format("division{}", names_++);
  const std::string text =
      fmt::format("const auto {} = co_await divide({}, {});\n", name,
                  expressions_.of(dividend, scope, 2), expressions_.of(divisor, scope, 2));
  scope.add(name + ".quotient", dividend);
  scope.add(name + ".remainder", divisor);
  return text;
}

}  // namespace systole::tests
