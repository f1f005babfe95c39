#include <algorithm>
#include <map>

#include "host/graph/artifact/read_artifact.h"
#include "host/graph/checksum.h"
#include "host/graph/known_values.h"
#include "host/graph/read_argmax.h"
#include "host/graph/read_signature.h"
#include "host/graph/read_statement.h"
#include "host/graph/text.h"

namespace systole::graph {
namespace {

// So that a small text cannot ask for more than a machine has.
constexpr std::size_t kMostCalls = 64;

// Reads a module's main function. Calls and counted loops are written out where they stand.
class TextReader {
 public:
  TextReader(std::string_view text, Scopes scopes, Products products,
             std::span<const OperationKind* const> others)
      : in_(text),
        graph_(std::make_unique<Graph>()),
        scopes_(scopes),
        products_(products),
        others_(others) {}

  std::unique_ptr<Graph> read() {
    pass_aliases();
    const bool in_module = in_.accept("module");
    if (in_module) {
      if (in_.sees("@")) in_.symbol();
      if (in_.accept("attributes")) in_.group();
      in_.expect("{");
    }
    do {
      pass_meshes();
      find_function();
    } while (in_module && !in_.sees("}"));
    if (in_module) in_.expect("}");
    pass_location(in_);
    pass_aliases();
    if (!in_.at_end()) in_.fail("expected nothing more: a graph is one function, or one module");
    const auto main = functions_.find("main");
    in_.move_to(main == functions_.end() ? first_ : main->second);
    read_main();
    return std::move(graph_);
  }

 private:
  template <typename Work>
  decltype(auto) guarded(std::size_t place, const Work& work) {
    try {
      return work();
    } catch (const GraphError& error) {
      in_.fail_at(place, error.what());
    }
  }

  // #loc1 = loc("x"), before and after a module with locations.
  void pass_aliases() {
    while (in_.accept("#")) {
      in_.name();
      in_.expect("=", "loc");
      in_.group();
    }
  }

  // sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}: where values lie, which changes
  // none.
  void pass_meshes() {
    while (in_.accept("sdy.mesh")) {
      in_.symbol();
      in_.expect("=");
      in_.group();
      if (in_.sees("{")) in_.group();
      pass_location(in_);
    }
  }

  // ---- Functions ----

  void pass_types() {
    if (in_.sees("(")) {
      in_.group();
    } else {
      in_.type();
    }
  }

  // Notes where a function's arguments begin, and skips it.
  void find_function() {
    const std::size_t place = in_.place();
    in_.expect("func.func");
    if (!in_.accept("public")) in_.accept("private");
    const std::string name(in_.symbol());
    if (functions_.empty()) first_ = in_.place();
    if (!functions_.emplace(name, in_.place()).second) {
      in_.fail_at(place, fmt::format("the function {} is defined twice", name));
    }
    in_.group();
    if (in_.accept("->")) pass_types();
    if (in_.accept("attributes")) in_.group();
    in_.group();
    pass_location(in_);
  }

  void read_main() {
    const Signature signature = read_signature(in_);
    Names names;
    std::map<std::int64_t, Value> updated;
    for (const Signature::Argument& argument : signature.arguments) {
      const Value value = guarded(argument.place, [&] {
        return graph_->input(std::string_view(argument.name).substr(1), argument.type);
      });
      names.define(in_, argument.place, argument.name, value);
      if (argument.becomes < 0) continue;
      if (argument.becomes >= std::ssize(signature.results)) {
        in_.fail_at(argument.place, "an input aliases an output that does not exist");
      }
      if (!updated.emplace(argument.becomes, value).second) {
        in_.fail_at(argument.place, "two inputs alias one output");
      }
    }
    std::vector<Type> types;
    for (const Signature::Result& result : signature.results) types.push_back(result.type);
    const std::vector<Value> values = read_body(names, types);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto input = updated.find(static_cast<std::int64_t>(i));
      const std::string& name = signature.results[i].name;
      guarded(in_.place(), [&] {
        if (input == updated.end()) return graph_->output(name, values[i]);
        graph_->update(input->second, name, values[i]);
      });
    }
  }

  // Statements up to a return, whose values these are.
  std::vector<Value> read_body(Names& names, const std::vector<Type>& types) {
    in_.expect("{");
    while (!in_.sees("return") && !in_.sees("stablehlo.return")) read_statement(names);
    const std::size_t place = in_.place();
    in_.name();
    std::vector<Value> values;
    if (!types.empty()) {
      in_.items([&] { values.push_back(names.use(in_)); });
      in_.expect(":");
      if (values.size() != types.size()) {
        in_.fail_at(place,
                    fmt::format("{} values are returned, not {}", values.size(), types.size()));
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) in_.expect(",");
        const std::size_t at = in_.place();
        if (in_.type() != types[i] || values[i].type() != types[i]) {
          in_.fail_at(at, fmt::format("result {} is {}, not {}", i, to_string(values[i].type()),
                                      to_string(types[i])));
        }
      }
    }
    pass_location(in_);
    in_.expect("}");
    return values;
  }

  // ---- Statements ----

  void read_statement(Names& names) {
    const std::size_t place = in_.place();
    if (in_.accept("stablehlo.custom_call")) read_custom_call(place, names);  // without a result
    std::vector<std::string> ids;
    do {
      const std::string id(in_.value_id());
      if (id.find('#') != std::string::npos) {
        in_.fail_at(place, "a number after # is only allowed in a use");
      }
      if (!in_.accept(":")) {
        ids.push_back(id);
        continue;
      }
      const std::int64_t count = in_.integer();
      for (std::int64_t i = 0; i < count && ids.size() <= kMostOperations; ++i) {
        ids.push_back(fmt::format("{}#{}", id, i));
      }
    } while (in_.accept(","));
    in_.expect("=");
    const std::vector<Value> values = read_values(place, names);
    if (values.size() != ids.size()) {
      in_.fail_at(place,
                  fmt::format("{} names are given to {} results", ids.size(), values.size()));
    }
    for (std::size_t i = 0; i < ids.size(); ++i) names.define(in_, place, ids[i], values[i]);
  }

  std::vector<Value> read_values(std::size_t place, Names& names) {
    if (in_.accept("call") || in_.accept("func.call")) return read_call(place, names);
    if (in_.accept("stablehlo.while")) return read_while(place, names);
    if (in_.accept("stablehlo.optimization_barrier")) return read_barrier(names);
    if (in_.accept("sdy.sharding_constraint")) return read_same(names);
    if (in_.accept("stablehlo.custom_call")) return read_custom_call(place, names);
    if (in_.accept("\"stablehlo.case\"") || in_.accept("\"stablehlo.if\"")) {
      return read_choice(place, names);
    }
    if (in_.accept("chlo.square")) return read_function(place, "multiply", 2, names);
    for (const std::string_view name : {"erf_inv", "erfc", "erf"}) {
      if (in_.accept(fmt::format("chlo.{} ", name))) return read_function(place, name, 1, names);
    }
    if (const auto values = read_argmax(in_, names)) return *values;
    StatementReader reader(in_, names, others_);
    Statement statement = in_.sees("\"") ? reader.generic(place) : reader.pretty(place);
    const std::string scope = pass_location(in_);
    reader.complete(statement);
    return add(statement, scope);
  }

  std::vector<Value> add(Statement& statement, const std::string& scope) {
    const std::size_t place = statement.place;
    if (graph_->operations().size() >= kMostOperations) {
      in_.fail_at(place, fmt::format("more than {} operations", kMostOperations));
    }
    std::vector<Type> operand_types;
    for (const Value operand : statement.operands) operand_types.push_back(operand.type());
    const bool names_place = scope.empty() && scopes_ == Scopes::kPlaces;
    const Graph::Scope layer(*graph_, names_place ? in_.line_and_column(place) : scope);
    return guarded(place, [&] {
      const std::vector<Value> results = add_statement(*graph_, statement, products_);
      if (operand_types != statement.operand_types) {
        throw GraphError("the stated types are not the operands'");
      }
      need_results(statement, results);
      return results;
    });
  }

  // call @relu(%3) : (tensor<2xf32>) -> tensor<2xf32>
  std::vector<Value> read_call(std::size_t place, Names& names) {
    const std::string name(in_.symbol());
    in_.expect("(");
    std::vector<Value> values;
    in_.list(")", [&] { values.push_back(names.use(in_)); });
    in_.expect(":");
    in_.group();
    in_.expect("->");
    pass_types();
    pass_location(in_);
    const std::size_t after = in_.place();
    const auto function = functions_.find(name);
    if (function == functions_.end()) {
      in_.fail_at(place, fmt::format("there is no function {}", name));
    }
    if (++calls_ > kMostCalls) {
      in_.fail_at(place, fmt::format("calls nest deeper than {}", kMostCalls));
    }
    in_.move_to(function->second);
    const Signature signature = read_signature(in_);
    if (signature.arguments.size() != values.size()) {
      in_.fail_at(place, fmt::format("{} takes {} values, not {}", name, signature.arguments.size(),
                                     values.size()));
    }
    Names own;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Signature::Argument& argument = signature.arguments[i];
      if (argument.type != values[i].type()) {
        in_.fail_at(place, fmt::format("{}: value {} is {}, not {}", name, i,
                                       to_string(values[i].type()), to_string(argument.type)));
      }
      own.define(in_, argument.place, argument.name, values[i]);
    }
    std::vector<Type> types;
    for (const Signature::Result& result : signature.results) types.push_back(result.type);
    std::vector<Value> results = read_body(own, types);
    --calls_;
    in_.move_to(after);
    return results;
  }

  // stablehlo.while(%i = %0, %x = %1) : tensor<i32>, tensor<2xf32> cond {...} do {...}
  //
  // The body is read once for each iteration, while the condition is known to hold.
  std::vector<Value> read_while(std::size_t place, const Names& names) {
    std::vector<std::string> ids;
    std::vector<Value> values;
    in_.expect("(");
    in_.list(")", [&] {
      ids.emplace_back(in_.value_id());
      in_.expect("=");
      values.push_back(names.use(in_));
    });
    in_.expect(":");
    std::vector<Type> types;
    in_.items([&] { types.push_back(in_.type()); });
    if (types.size() != values.size()) in_.fail_at(place, "while: not one type for each value");
    if (in_.accept("attributes")) in_.group();
    in_.expect("cond");
    const std::size_t condition = in_.place();
    in_.group();
    in_.expect("do");
    const std::size_t body = in_.place();
    in_.group();
    pass_location(in_);
    const std::size_t after = in_.place();
    const auto run = [&](std::size_t region, const std::vector<Type>& results) {
      Names own(&names);
      for (std::size_t i = 0; i < ids.size(); ++i) own.define(in_, place, ids[i], values[i]);
      in_.move_to(region);
      return read_body(own, results);
    };
    for (std::size_t iterations = 0;; ++iterations) {
      const Value goes_on = run(condition, {{Element::kPred, {}}})[0];
      const Literal* known = known_.find(goes_on.id());
      if (known == nullptr) {
        in_.fail_at(place,
                    "while: the number of iterations depends on data; use a loop that counts "
                    "to a constant");
      }
      if (known->at(0) == 0) break;
      if (iterations == kMostIterations) {
        in_.fail_at(place, fmt::format("while: more than {} iterations", kMostIterations));
      }
      values = run(body, types);
    }
    in_.move_to(after);
    return values;
  }

  // "stablehlo.case"(%i) ({...}, {...}) : (tensor<i32>) -> tensor<2xf32>; "stablehlo.if" likewise.
  std::vector<Value> read_choice(std::size_t place, const Names& names) {
    in_.expect("(");
    const Value choice = names.use(in_);
    in_.expect(")");
    std::vector<std::size_t> branches;
    in_.expect("(");
    in_.list(")", [&] {
      branches.push_back(in_.place());
      in_.group();
    });
    in_.expect(":", "(");
    in_.type();
    in_.expect(")", "->");
    const std::vector<Type> types = in_.types();
    pass_location(in_);
    const std::size_t after = in_.place();
    const std::vector<Value> values =
        guarded(place, [&] {
          return Choice(choice, known_.find(choice.id()), branches.size());
        }).take([&](std::size_t i) {
          Names own(&names);
          in_.move_to(branches[i]);
          return read_body(own, types);
        });
    in_.move_to(after);
    return values;
  }

  // Calls of JAX's runtime; @Sharding says where a value lies.
  std::vector<Value> read_custom_call(std::size_t place, const Names& names) {
    const std::string name(in_.symbol());
    if (name == "Sharding") {
      in_.expect("(");
      const Value x = names.use(in_);
      in_.expect(")");
      if (in_.sees("{")) in_.group();
      in_.expect(":");
      in_.group();
      in_.expect("->");
      in_.type();
      pass_location(in_);
      return {x};
    }
    const bool calls_python = name.find("callback") != std::string::npos;
    in_.fail_at(place,
                fmt::format("custom_call @{}: {}", name,
                            calls_python ? "a program calls no Python: take jax.debug.print and "
                                           "callbacks out of the function, or return the values"
                                         : "it has no such operation: compute it outside of the "
                                           "function, or in plain JAX (docs/python.md)"));
  }

  // sdy.sharding_constraint %x <@mesh, [{}]> : tensor<2xui32>
  std::vector<Value> read_same(const Names& names) {
    const Value x = names.use(in_);
    in_.group();
    in_.expect(":");
    in_.type();
    pass_location(in_);
    return {x};
  }

  // chlo.erf %x : tensor<2xf32> -> tensor<2xf32>; chlo.square is a product with itself.
  std::vector<Value> read_function(std::size_t place, std::string_view name, std::size_t operands,
                                   const Names& names) {
    Statement statement{.place = place, .kind = &find_kind(name)};
    statement.operands.assign(operands, names.use(in_));
    in_.expect(":");
    statement.operand_types.assign(operands, in_.type(name));
    in_.expect("->");
    statement.result_types = {in_.type(name)};
    return add(statement, pass_location(in_));
  }

  // Values as they are: it orders the work of other compilers.
  std::vector<Value> read_barrier(const Names& names) {
    std::vector<Value> values;
    in_.items([&] { values.push_back(names.use(in_)); });
    in_.expect(":");
    in_.items([&] { in_.type(); });
    pass_location(in_);
    return values;
  }

  Scanner in_;
  std::unique_ptr<Graph> graph_;
  Scopes scopes_;
  Products products_;
  std::span<const OperationKind* const> others_;
  KnownValues known_{*graph_};
  std::map<std::string, std::size_t> functions_;  // where their arguments begin
  std::size_t first_ = 0, calls_ = 0;
};

}  // namespace

std::unique_ptr<Graph> read(std::string_view text, Scopes scopes, Products products,
                            std::span<const OperationKind* const> others, CorePlace place) {
  if (is_artifact(text)) return read_artifact(text, products, place);
  const std::size_t mark = text.rfind(kChecksumMark);
  if (mark != std::string_view::npos && (mark == 0 || text[mark - 1] == '\n')) {
    std::string_view digits = text.substr(mark + kChecksumMark.size());
    digits = digits.substr(0, digits.find('\n'));
    if (digits != text_checksum(text.substr(0, mark))) {
      const auto line = std::ranges::count(text.substr(0, mark), '\n') + 1;
      throw GraphError(
          fmt::format("{}:1: the checksum does not match the text: the file is damaged; after an "
                      "edit, delete this "
                      "line",
                      line));
    }
  }
  return TextReader(text, scopes, products, others).read();
}

}  // namespace systole::graph
