#include "tests/campaign/thread_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "tests/campaign/statements.h"
#include "tests/campaign/tables.h"
#include "tests/campaign/thread_ends_writer.h"
#include "tests/campaign/thread_ports.h"

namespace systole::tests {
namespace {

constexpr int kDeepest = 3;

std::string spaces(int indent) { return std::string(static_cast<std::size_t>(indent), ' '); }

class ThreadWriter {
 public:
  ThreadWriter(Random& random, const std::string& name)
      : random_(random), expressions_(random), name_(name) {}

  std::string write() {
    random_tables(random_, name_, definitions_, scope_);
    chained_ = one_in(4);
    chained_ ? chained_ports() : ports();
    if (!chained_ && one_in(2)) ends();
    for (int i = random_.between(-2, 2); i > 0; --i) helper(fmt::format("{}Helper{}", name_, i));
    std::string text = fmt::format("inline Thread {}Thread({}) {{\n", name_, ports_.parameters());
    text += start_;
    for (int i = random_.between(0, 3); i > 0; --i) {
      const Variable local{fmt::format("own{}", i), random_integer(random_)};
      text += fmt::format("  {} {} = {};\n", local.type.text(), local.text,
                          expressions_.literal(local.type));
      scope_.readable.push_back(local);
      scope_.writable.push_back(local);
    }
    if (one_in(2)) text += local_array();
    // The first wait reads nothing, since a thread runs up to it at reset.
    Scope inside = scope_;
    const std::string first = ports_.sources().empty() || one_in(3)
                                  ? "    co_await clock();\n"
                                  : pop(ports_.sources()[0], inside, 4);
    text += fmt::format("main:\n  for (;;) {{\n{}", first);
    // Every sink is pushed to, before anything can go on to the next turn.
    for (const Stream& sink : ports_.sinks()) text += push(sink, inside, 4);
    text += items(random_.between(2, 4), inside, 4, 1) + "  }\n}\n\n";
    return definitions_ + text +
           (chained_        ? ports_.chain(random_)
            : ends_.empty() ? ports_.alone()
                            : ports_.holder(ends_, random_));
  }

 private:
  using Stream = ThreadPorts::Stream;

  struct Helper {
    std::string name;
    ValueType argument;
    Compound result;
    bool returns = false;
  };

  bool one_in(std::uint32_t count) { return random_.below(count) == 0; }
  std::string fresh(const char* role) { return fmt::format("{}{}", role, names_++); }
  std::string expression(const ValueType& type, const Scope& scope, int depth = 2) {
    return expressions_.of(type, scope, depth);
  }

  void ports() {
    for (int i = random_.between(0, 2); i > 0; --i) {
      ports_.add_source({fmt::format("source{}", i), port_type(fmt::format("Source{}", i))});
    }
    for (int i = random_.between(1, 2); i > 0; --i) {
      ports_.add_sink({fmt::format("sink{}", i), port_type(fmt::format("Sink{}", i))});
    }
    for (int i = random_.between(0, 2); i > 0; --i) wire(i);
    for (int i = random_.between(0, 2); i > 0; --i) {
      const Whole shown{fmt::format("shown{}", i), port_type(fmt::format("Shown{}", i))};
      ports_.add_register(shown);
      start_ += fmt::format("  {} = {};\n", shown.text, expressions_.of(shown.type, {}, 0));
      scope_.add(shown.text, shown.type, /*writable=*/true);
    }
  }

  void wire(int number) {
    const Whole wire{fmt::format("wire{}", number), port_type(fmt::format("Wire{}", number))};
    ports_.add_wire(wire);
    scope_.add(wire.text, wire.type);
  }

  /// Of a thread between two like it: a stream in and one of the same type out, and perhaps a wire.
  void chained_ports() {
    const Compound type = port_type("Beat");
    ports_.add_source({"before", type});
    ports_.add_sink({"after", type});
    if (one_in(2)) wire(1);
  }

  /// Of things in the parent, which then connects everything.
  void ends() {
    ends_.draw(definitions_, [this](const std::string& name) { return port_type(name); });
    for (const std::string& parameter : ends_.parameters()) ports_.add_end(parameter);
  }

  /// Kept over waits, and indexed by values.
  std::string local_array() {
    const bool is_vec = one_in(2);
    Array array{"kept", random_integer(random_), random_.between(2, 6), /*any_index=*/true};
    array.type.width = std::min(array.type.width, 33);
    scope_.arrays.push_back(array);
    return is_vec ? fmt::format("  Vec<{}, {}> kept = {{}};\n", array.type.text(), array.size)
                  : fmt::format("  {} kept[{}] = {{}};\n", array.type.text(), array.size);
  }

  /// Of a beat, a wire or a register: now and then a struct, a Vec, an enum or a bool.
  Compound port_type(const std::string& name) {
    if (!one_in(3)) return Compound(random_type(random_));
    const Compound type = random_compound(random_, name_ + name, definitions_);
    scope_.types.push_back(type);
    return type;
  }

  /// A coroutine on the same ports, which the thread awaits. It may await those before it, and may
  /// return without a wait.
  void helper(const std::string& name) {
    Helper made{name, random_integer(random_), port_type("Result" + name.substr(name_.size())),
                one_in(2)};
    Scope inside = scope_;
    inside.readable.push_back({"given", made.argument});
    const auto result = [this, made](const Scope& scope) {
      return made.returns ? "co_return " + expressions_.of(made.result, scope, 2)
                          : std::string("co_return");
    };
    leaves_ = result;
    std::string text = items(random_.between(1, 3), inside, 2, 1);
    leaves_ = nullptr;
    text += "  " + result(inside) + ";\n";
    definitions_ +=
        fmt::format("inline {} {}({}, const {}& given) {{\n{}}}\n\n",
                    made.returns ? fmt::format("Task<{}>", made.result.text()) : "Thread", name,
                    ports_.parameters(), made.argument.text(), text);
    helpers_.push_back(made);
  }

  std::string await(Scope& scope, int indent) {
    const Helper& called = any_of(random_, helpers_);
    const std::string call = fmt::format("co_await {}({}{})", called.name, ports_.names(),
                                         expressions_.of(called.argument, scope, 2));
    if (!called.returns) return fmt::format("{}{};\n", spaces(indent), call);
    const std::string name = fresh("result");
    scope.add(name, called.result);
    return fmt::format("{}const {} = {};\n", spaces(indent), called.result.declared(name), call);
  }

  std::string pop(const Stream& stream, Scope& scope, int indent) {
    const std::string beat = fresh("beat");
    scope.add(beat, stream.type);
    return fmt::format("{}const {} = co_await {}.pop();\n", spaces(indent),
                       stream.type.declared(beat), stream.name);
  }

  std::string push(const Stream& stream, const Scope& scope, int indent) {
    return fmt::format("{}co_await {}.push({});\n", spaces(indent), stream.name,
                       expressions_.of(stream.type, scope, 2));
  }

  std::string wait(Scope& scope, int indent) {
    if (!ends_.empty() && one_in(2)) return ends_.use(scope, indent);
    const std::uint32_t which = random_.below(5);
    if (which == 0) return spaces(indent) + "co_await clock();\n";
    if (which < 3 && !ports_.sources().empty())
      return pop(any_of(random_, ports_.sources()), scope, indent);
    return push(any_of(random_, ports_.sinks()), scope, indent);
  }

  std::string items(int count, Scope& scope, int indent, int nesting) {
    std::string text;
    for (int i = 0; i < count; ++i) text += item(scope, indent, nesting);
    return text;
  }

  std::string block(const Scope& scope, int indent, int nesting) {
    Scope inside = scope;
    return items(random_.between(1, 2), inside, indent, nesting);
  }

  std::string item(Scope& scope, int indent, int nesting) {
    const std::string margin = spaces(indent);
    switch (random_.below(nesting < kDeepest ? 11 : 7)) {
      case 0:
        if (!helpers_.empty()) return await(scope, indent);
        [[fallthrough]];
      case 1:
      case 2:
        return wait(scope, indent);
      case 3:
      case 4:
        return statements_.assign(scope, indent);
      case 5:  // only in a loop whose turn has waited already
        return fmt::format("{}if ({}) {};\n", margin, expression({ValueType::kBool, 1}, scope),
                           nesting == 1 && leaves_    ? leaves_(scope)
                           : nesting > 1 && one_in(2) ? "break"
                                                      : "continue");
      case 6: {  // what it declares is not used after a wait: a lambda refers to what it captures
        Scope inside = scope;
        return statements_.some(random_.between(1, 3), inside, indent);
      }
      case 7:
      case 8: {
        std::string text =
            fmt::format("{}if ({}) {{\n{}", margin, expression({ValueType::kBool, 1}, scope),
                        block(scope, indent + 2, nesting));
        if (one_in(2)) {
          text += fmt::format("{}}} else {{\n{}", margin, block(scope, indent + 2, nesting));
        }
        return text + margin + "}\n";
      }
      default:
        return loop(scope, indent, nesting + 1);
    }
  }

  /// A turn of a loop waits first, so that it may go on or leave anywhere after that.
  std::string loop(Scope& scope, int indent, int nesting) {
    const std::string margin = spaces(indent);
    const Variable counter{fresh("count"), {ValueType::kUInt, random_.between(2, 4)}};
    const std::string type = counter.type.text();
    Scope inside = scope;
    inside.readable.push_back(counter);
    const std::string next =
        fmt::format("{} = truncate<{}>({} + UInt1(1))", counter.text, type, counter.text);
    const std::string limit = fmt::format("{}({})", type, random_.between(1, 3));
    const std::string body =
        wait(inside, indent + 2) + items(random_.between(1, 2), inside, indent + 2, nesting);
    if (one_in(3)) {
      return fmt::format("{0}{1} {2};\n{3}:\n{0}while ({2} < {4}) {{\n{0}  {5};\n{6}{0}}}\n",
                         margin, type, counter.text, fresh("turn"), limit, next, body);
    }
    return fmt::format("{3}:\n{0}for ({1} {2}; {2} < {4}; {5}) {{\n{6}{0}}}\n", margin, type,
                       counter.text, fresh("turn"), limit, next, body);
  }

  Random& random_;
  Expressions expressions_;
  std::string name_;
  Scope scope_;
  bool chained_ = false;  ///< as one of an array of processes
  std::string definitions_;
  std::string start_;
  ThreadPorts ports_{name_};
  ThreadEndsWriter ends_{random_, expressions_, name_};
  std::vector<Helper> helpers_;
  std::function<std::string(const Scope&)> leaves_;  ///< how a helper ends outside of its loops
  Statements statements_{random_, expressions_};     // one, so that its names stay unique
  int names_ = 0;
};

}  // namespace

std::string random_thread(Random& random, const std::string& name) {
  return ThreadWriter(random, name).write();
}

}  // namespace systole::tests
