#include <algorithm>
#include <map>

#include "host/graph/checksum.h"
#include "host/graph/read_attribute.h"
#include "host/graph/scanner.h"
#include "host/graph/text.h"

namespace systole::graph {
namespace {

// Attributes that other writers add, with the values that change nothing here.
constexpr std::string_view kIgnored[] = {"precision_config",   "compare_type",
                                         "indices_are_sorted", "unique_indices",
                                         "result_accuracy",    "algorithm"};

class Reader {
 public:
  explicit Reader(std::string_view text) : in_(text), graph_(std::make_unique<Graph>()) {}

  std::unique_ptr<Graph> read() {
    const bool in_module = in_.accept("module");
    if (in_module) {
      if (in_.accept("@")) in_.name();
      if (in_.accept("attributes")) pass_braces();
      in_.expect("{");
    }
    read_function();
    if (in_module) in_.expect("}");
    pass_location();
    if (!in_.at_end()) in_.fail("expected nothing more: a graph is one function");
    return std::move(graph_);
  }

 private:
  struct Result {
    std::string name;
    Type type;
  };

  template <typename Work>
  decltype(auto) guarded(std::size_t place, const Work& work) {
    try {
      return work();
    } catch (const GraphError& error) {
      in_.fail_at(place, error.what());
    }
  }

  void pass_braces() {
    in_.expect("{");
    in_.list("}", [&] {
      in_.name();
      if (in_.accept("=")) in_.any_value();
    });
  }

  std::string pass_location() {
    if (!in_.accept("loc")) return {};
    in_.expect("(");
    const std::string scope(in_.sees("\"") ? in_.string() : std::string_view());
    if (scope.empty() && !in_.sees(")")) in_.any_value();
    in_.expect(")");
    return scope;
  }

  // ---- The function ----

  void read_function() {
    in_.expect("func.func");
    if (!in_.accept("public")) in_.accept("private");
    in_.expect("@");
    in_.name();
    in_.expect("(");
    std::map<std::int64_t, Value> updated;
    in_.list(")", [&] { read_argument(updated); });
    std::vector<Result> results;
    if (in_.accept("->")) {
      if (in_.accept("(")) {
        in_.list(")", [&] { results.push_back(read_result(results.size())); });
      } else {
        results.push_back({"result0", in_.type()});
      }
    }
    if (in_.accept("attributes")) pass_braces();
    in_.expect("{");
    while (!in_.sees("return")) read_operation();
    read_return(results, updated);
    in_.expect("}");
    pass_location();
  }

  void read_argument(std::map<std::int64_t, Value>& updated) {
    const std::size_t place = in_.place();
    const std::string_view id = in_.value_id();
    in_.expect(":");
    const Type type = in_.type();
    const Value value = guarded(place, [&] { return graph_->input(id.substr(1), type); });
    define(place, std::string(id), value);
    if (in_.accept("{")) {
      in_.list("}", [&] {
        const std::size_t at = in_.place();
        if (in_.name() != "tf.aliasing_output") {
          if (in_.accept("=")) in_.any_value();
          return;
        }
        in_.expect("=");
        if (!updated.emplace(in_.integer(), value).second) in_.fail_at(at, "two inputs become one");
        in_.expect(":");
        in_.expect("i32");
      });
    }
    pass_location();
  }

  Result read_result(std::size_t number) {
    Result result{fmt::format("result{}", number), in_.type()};
    if (!in_.accept("{")) return result;
    in_.list("}", [&] {
      const bool names = in_.name() == "jax.result_info";
      if (!in_.accept("=")) return;
      if (!names) {
        in_.any_value();
        return;
      }
      const std::string name(in_.string());
      // JAX also writes result[0].
      if (name.find_first_of("[]'. ") == std::string::npos || name.find('[') == std::string::npos) {
        if (!name.empty()) result.name = name;
      }
    });
    return result;
  }

  void read_return(const std::vector<Result>& results, std::map<std::int64_t, Value>& updated) {
    const std::size_t place = in_.place();
    in_.expect("return");
    std::vector<Value> values;
    if (!results.empty()) {
      do {
        values.push_back(use());
      } while (in_.accept(","));
      in_.expect(":");
      if (values.size() != results.size()) {
        in_.fail_at(place,
                    fmt::format("{} values are returned, not {}", values.size(), results.size()));
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) in_.expect(",");
        const std::size_t at = in_.place();
        if (in_.type() != results[i].type || values[i].type() != results[i].type) {
          in_.fail_at(at, fmt::format("result {} is {}, not {}", i, to_string(values[i].type()),
                                      to_string(results[i].type)));
        }
      }
    }
    pass_location();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto input = updated.find(static_cast<std::int64_t>(i));
      guarded(place, [&] {
        if (input == updated.end()) return graph_->output(results[i].name, values[i]);
        graph_->update(input->second, results[i].name, values[i]);
      });
    }
    if (!updated.empty() && (updated.begin()->first < 0 ||
                             updated.rbegin()->first >= static_cast<std::int64_t>(values.size()))) {
      in_.fail_at(place, "an input aliases an output that does not exist");
    }
  }

  // ---- One operation ----

  void read_operation() {
    const std::size_t place = in_.place();
    const std::string id(in_.value_id());
    if (id.find('#') != std::string::npos)
      in_.fail_at(place, "a number after # is only allowed in a use");
    const std::int64_t count = in_.accept(":") ? in_.integer() : 1;
    in_.expect("=");
    const std::size_t name_place = in_.place();
    std::string_view name = in_.string();
    if (!name.starts_with("stablehlo.")) {
      in_.fail_at(name_place, fmt::format("'{}' is not a stablehlo operation", name));
    }
    name.remove_prefix(std::string_view("stablehlo.").size());
    const OperationKind& kind =
        guarded(name_place, [&]() -> const OperationKind& { return find_kind(name); });
    in_.expect("(");
    std::vector<Value> operands;
    in_.list(")", [&] { operands.push_back(use()); });

    std::vector<Attribute> attributes(kind.attributes.size());
    std::vector<bool> found(kind.attributes.size());
    bool detached = false;
    if (in_.accept("<")) {
      in_.expect("{");
      in_.list("}", [&] { read_property(kind, attributes, found); });
      in_.expect(">");
    }
    if (in_.accept("(")) {
      std::vector<std::string> bodies;
      in_.list(")", [&] { bodies.push_back(read_region()); });
      give_regions(place, kind, bodies, attributes, found);
    }
    if (in_.accept("{")) {
      in_.list("}", [&] {
        if (in_.accept("detached")) {
          detached = true;
        } else {
          read_property(kind, attributes, found);
        }
      });
    }
    in_.expect(":");
    const auto [operand_types, result_types] = read_function_type();
    const std::string scope = pass_location();
    finish(place, kind, operands, attributes, found, result_types);
    const Graph::Scope layer(*graph_, scope);
    const std::vector<Value> results =
        guarded(place, [&] { return graph_->add(kind, operands, std::move(attributes)); });
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (operand_types.size() != operands.size() || operand_types[i] != operands[i].type()) {
        in_.fail_at(place, "the stated types are not the operands'");
      }
    }
    if (detached) graph_->detach(results[0]);
    if (static_cast<std::int64_t>(results.size()) != count ||
        results.size() != result_types.size()) {
      in_.fail_at(place, fmt::format("{} has {} results", kind.name, results.size()));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].type() != result_types[i]) {
        in_.fail_at(place, fmt::format("{} gives {}, not {}", kind.name,
                                       to_string(results[i].type()), to_string(result_types[i])));
      }
      define(place, count == 1 ? id : fmt::format("{}#{}", id, i), results[i]);
    }
  }

  std::pair<std::vector<Type>, std::vector<Type>> read_function_type() {
    std::pair<std::vector<Type>, std::vector<Type>> types;
    in_.expect("(");
    in_.list(")", [&] { types.first.push_back(in_.type()); });
    in_.expect("->");
    if (in_.accept("(")) {
      in_.list(")", [&] { types.second.push_back(in_.type()); });
    } else {
      types.second.push_back(in_.type());
    }
    return types;
  }

  // "add", or "compare GE".
  std::string read_region() {
    in_.expect("{");
    in_.expect("^");
    in_.name();
    in_.expect("(");
    std::vector<std::string> arguments;
    in_.list(")", [&] {
      arguments.emplace_back(in_.value_id());
      in_.expect(":");
      in_.type();
      pass_location();
    });
    in_.expect(":");
    const std::size_t place = in_.place();
    const std::string result(in_.value_id());
    in_.expect("=");
    std::string_view name = in_.string();
    if (!name.starts_with("stablehlo.")) in_.fail_at(place, "expected one stablehlo operation");
    std::string body(name.substr(std::string_view("stablehlo.").size()));
    in_.expect("(");
    std::vector<std::string> operands;
    in_.list(")", [&] { operands.emplace_back(in_.value_id()); });
    if (operands.size() != 2 || operands != arguments) {
      in_.fail_at(place, "a region's operation takes the region's two arguments, in order");
    }
    const bool has_properties = in_.accept("<");
    if (has_properties) {
      const OperationKind& compare = find_kind("compare");
      std::vector<Attribute> attributes(1);
      std::vector<bool> found(1);
      if (body != "compare") in_.fail_at(place, "this operation has no properties here");
      in_.expect("{");
      in_.list("}", [&] { read_property(compare, attributes, found); });
      in_.expect(">");
      if (found[0]) body += " " + std::get<std::string>(attributes[0]);
    }
    in_.expect(":");
    read_function_type();
    pass_location();
    if (in_.string() != "stablehlo.return") in_.fail_at(place, "a region has one operation");
    in_.expect("(");
    if (in_.value_id() != result) in_.fail_at(place, "a region returns its operation's result");
    in_.expect(")");
    in_.expect(":");
    in_.expect("(");
    in_.type();
    in_.expect(")");
    in_.expect("->");
    in_.expect("(");
    in_.expect(")");
    pass_location();
    in_.expect("}");
    return body;
  }

  void give_regions(std::size_t place, const OperationKind& kind,
                    const std::vector<std::string>& bodies, std::vector<Attribute>& attributes,
                    std::vector<bool>& found) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if (kind.attributes[i].form != Form::kRegion || next == bodies.size()) continue;
      attributes[i] = bodies[next++];
      found[i] = true;
    }
    if (next != bodies.size())
      in_.fail_at(place, fmt::format("{} has too many regions", kind.name));
  }

  // Defaults that the text omits: the result's type, strides and dilations of 1, padding of 0.
  void finish(std::size_t place, const OperationKind& kind, const std::vector<Value>& operands,
              std::vector<Attribute>& attributes, const std::vector<bool>& found,
              const std::vector<Type>& result_types) {
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      const AttributeSpec& spec = kind.attributes[i];
      const std::size_t rank = operands.empty() ? 0 : operands[0].shape().size();
      const std::size_t spatial =
          kind.name == "convolution" ? std::max<std::size_t>(rank, 2) - 2 : rank;
      if (found[i]) continue;
      if (spec.form == Form::kType && !result_types.empty()) {
        attributes[i] = result_types.back();
      } else if (spec.form == Form::kPairs) {
        attributes[i] = Integers(2 * spatial, 0);
      } else if (spec.name.ends_with("dilation") || spec.name.ends_with("dilations") ||
                 spec.name == "window_strides") {
        attributes[i] = Integers(spatial, 1);
      } else {
        in_.fail_at(place, fmt::format("{} lacks {}", kind.name, spec.name));
      }
    }
  }

  // ---- Attributes ----

  void read_property(const OperationKind& kind, std::vector<Attribute>& attributes,
                     std::vector<bool>& found) {
    const std::size_t place = in_.place();
    const std::string_view name = in_.name();
    in_.expect("=");
    if (std::ranges::find(kIgnored, name) != std::end(kIgnored)) {
      in_.any_value();
      return;
    }
    if (name == "window_reversal") {
      if (in_.any_value().find("true") != std::string_view::npos) {
        in_.fail_at(place, "window_reversal is not supported: use reverse");
      }
      return;
    }
    const auto spec = std::ranges::find(kind.attributes, name, &AttributeSpec::name);
    if (spec == kind.attributes.end() || spec->form == Form::kType || spec->form == Form::kRegion) {
      in_.fail_at(place, fmt::format("{} has no attribute {}", kind.name, name));
    }
    const auto i = static_cast<std::size_t>(spec - kind.attributes.begin());
    if (found[i]) in_.fail_at(place, fmt::format("{} occurs twice", name));
    attributes[i] = read_attribute(in_, *spec);
    found[i] = true;
  }

  // ---- Values by name ----

  Value use() {
    const std::size_t place = in_.place();
    const std::string id(in_.value_id());
    const auto found = values_.find(id);
    if (found == values_.end()) in_.fail_at(place, fmt::format("{} is not defined here", id));
    return found->second;
  }

  void define(std::size_t place, const std::string& id, Value value) {
    if (!values_.emplace(id, value).second)
      in_.fail_at(place, fmt::format("{} is defined twice", id));
  }

  Scanner in_;
  std::unique_ptr<Graph> graph_;
  std::map<std::string, Value> values_;
};

}  // namespace

std::unique_ptr<Graph> read(std::string_view text) {
  const std::size_t mark = text.rfind(kChecksumMark);
  if (mark != std::string_view::npos && (mark == 0 || text[mark - 1] == '\n')) {
    std::string_view digits = text.substr(mark + kChecksumMark.size());
    digits = digits.substr(0, digits.find('\n'));
    if (digits != fmt::format("{:016x}", text_checksum(text.substr(0, mark)))) {
      const auto line = std::ranges::count(text.substr(0, mark), '\n') + 1;
      throw GraphError(
          fmt::format("{}:1: the checksum does not match the text: the file is damaged; after an "
                      "edit, delete this "
                      "line",
                      line));
    }
  }
  return Reader(text).read();
}

}  // namespace systole::graph
