#include "host/graph/read_statement.h"

#include <algorithm>

#include "host/graph/asked_product.h"
#include "host/graph/read_attribute.h"

namespace systole::graph {
namespace {

// Promises of other writers, which change nothing here.
constexpr std::string_view kIgnored[] = {"indices_are_sorted", "unique_indices", "channel_handle"};
// What other writers ask of the arithmetic: done, or refused.
constexpr std::string_view kRequests[] = {"precision_config", "algorithm", "compare_type",
                                          "result_accuracy"};

constexpr std::string_view kAdvice =
    "compute it outside of the function, or in plain JAX, which runs all of JAX's (docs/python.md)";

}  // namespace

void Names::define(const Scanner& in, std::size_t place, const std::string& name, Value value) {
  if (!values_.emplace(name, value).second) {
    in.fail_at(place, fmt::format("{} is defined twice", name));
  }
}

Value Names::use(Scanner& in) const {
  const std::size_t place = in.place();
  const std::string name(in.value_id());
  const Value* found = find(name);
  if (found == nullptr) in.fail_at(place, fmt::format("{} is not defined here", name));
  return *found;
}

const Value* Names::find(const std::string& name) const {
  const auto found = values_.find(name);
  if (found != values_.end()) return &found->second;
  return around_ == nullptr ? nullptr : around_->find(name);
}

std::string pass_location(Scanner& in) {
  if (!in.accept("loc")) return {};
  in.expect("(");
  const std::string scope(in.sees("\"") ? in.string() : std::string_view());
  if (!in.sees(")")) in.any_value();  // another place, or lines and columns
  in.expect(")");
  return scope;
}

Statement StatementReader::begin(std::size_t place, std::size_t name_place,
                                 std::string_view name) const {
  const OperationKind& kind = kind_of(name_place, name);
  return {.place = place,
          .kind = &kind,
          .attributes = std::vector<Attribute>(kind.attributes.size()),
          .found = std::vector<bool>(kind.attributes.size())};
}

const OperationKind& StatementReader::kind_of(std::size_t place, std::string_view name) const {
  for (const OperationKind* kind : others_) {
    if (name == fmt::format("{}.{}", kind->dialect, kind->name)) return *kind;
  }
  constexpr std::string_view kDialect = "stablehlo.";
  if (!name.starts_with(kDialect)) {
    in_.fail_at(place, fmt::format("'{}' is not a stablehlo operation: {}", name, kAdvice));
  }
  name.remove_prefix(kDialect.size());
  try {
    return find_kind(name);
  } catch (const GraphError& error) {
    in_.fail_at(place, fmt::format("{}: {}", error.what(), kAdvice));
  }
}

Statement StatementReader::generic(std::size_t place) {
  const std::size_t name_place = in_.place();
  Statement statement = begin(place, name_place, in_.string());
  in_.expect("(");
  in_.list(")", [&] { statement.operands.push_back(names_.use(in_)); });
  if (in_.accept("<")) {
    in_.expect("{");
    in_.list("}", [&] { read_property(statement); });
    in_.expect(">");
  }
  if (in_.accept("(")) {
    std::vector<std::string> bodies;
    in_.list(")", [&] { bodies.push_back(read_region()); });
    give_regions(statement, bodies);
  }
  read_properties(statement);
  in_.expect(":");
  read_function_type(statement);
  return statement;
}

void StatementReader::read_function_type(Statement& statement) {
  in_.expect("(");
  in_.list(")", [&] { statement.operand_types.push_back(in_.type(statement.kind->name)); });
  in_.expect("->");
  statement.result_types = in_.types(statement.kind->name);
}

// "add", or "compare GE"; "set" where the second argument is returned.
std::string StatementReader::read_region() {
  in_.expect("{", "^");
  in_.name();
  in_.expect("(");
  std::vector<std::string> arguments;
  in_.list(")", [&] {
    arguments.emplace_back(in_.value_id());
    in_.expect(":");
    in_.type();
    pass_location(in_);
  });
  in_.expect(":");
  const std::size_t place = in_.place();
  std::string body = "set", result = arguments.empty() ? std::string() : arguments.back();
  bool pretty = in_.sees("stablehlo.return");
  if (pretty || in_.sees("\"stablehlo.return\"")) {
    end_region(result, pretty, place);
    return body;
  }
  result = in_.value_id();
  in_.expect("=");
  pretty = !in_.sees("\"");
  if ((pretty ? pretty_body(body) : generic_body(body)) != arguments) {
    in_.fail_at(place, "a region's operation takes the region's two arguments, in order");
  }
  pass_location(in_);
  end_region(result, pretty, place);
  return body;
}

void StatementReader::end_region(std::string_view result, bool pretty, std::size_t place) {
  if ((pretty ? in_.name() : in_.string()) != "stablehlo.return") {
    in_.fail_at(place, "a region has one operation");
  }
  if (!pretty) in_.expect("(");
  if (in_.value_id() != result)
    in_.fail_at(place, "a region returns its operation's result, or its second argument");
  if (!pretty) in_.expect(")");
  in_.expect(":");
  if (pretty) {
    in_.type();
  } else {
    in_.expect("(");
    in_.type();
    in_.expect(")", "->", "(", ")");
  }
  pass_location(in_);
  in_.expect("}");
}

// The operation's name, and its operands.
std::vector<std::string> StatementReader::generic_body(std::string& body) {
  Statement operation = begin(in_.place(), in_.place(), in_.string());
  body = operation.kind->name;
  in_.expect("(");
  std::vector<std::string> operands;
  in_.list(")", [&] { operands.emplace_back(in_.value_id()); });
  if (in_.accept("<")) {
    in_.expect("{");
    in_.list("}", [&] { read_property(operation); });
    in_.expect(">");
    if (operation.found[0]) body += " " + std::get<std::string>(operation.attributes[0]);
  }
  in_.expect(":");
  read_function_type(operation);
  return operands;
}

void StatementReader::give_regions(Statement& statement,
                                   const std::vector<std::string>& bodies) const {
  std::size_t next = 0;
  for (std::size_t i = 0; i < statement.attributes.size(); ++i) {
    if (statement.kind->attributes[i].form != Form::kRegion || next == bodies.size()) continue;
    statement.attributes[i] = bodies[next++];
    statement.found[i] = true;
  }
  if (next != bodies.size()) {
    in_.fail_at(statement.place, fmt::format("{} has too many regions", statement.kind->name));
  }
}

void StatementReader::complete(Statement& statement) const {
  const OperationKind& kind = *statement.kind;
  const std::size_t rank = statement.operands.empty() ? 0 : statement.operands[0].shape().size();
  const std::size_t windows =
      kind.name == "convolution" ? std::max<std::size_t>(rank, 2) - 2 : rank;
  for (std::size_t i = 0; i < statement.attributes.size(); ++i) {
    const AttributeSpec& spec = kind.attributes[i];
    Attribute& attribute = statement.attributes[i];
    if (statement.found[i]) continue;
    if (spec.form == Form::kType && !statement.result_types.empty()) {
      attribute = statement.result_types.back();
    } else if (spec.form == Form::kPairs) {
      attribute = Integers(2 * windows, 0);
    } else if (spec.name.ends_with("dilation") || spec.name.ends_with("dilations") ||
               spec.name == "window_strides") {
      attribute = Integers(windows, 1);
    } else {
      in_.fail_at(statement.place, fmt::format("{} lacks {}", kind.name, spec.name));
    }
  }
}

void StatementReader::take_request(Statement& statement, std::string_view name,
                                   std::string_view value, std::size_t place) const {
  try {
    if (name.starts_with("precision")) {
      statement.asked = std::max(statement.asked, asked_by_precision(value));
    } else if (name == "algorithm") {
      statement.asked = std::max(statement.asked, asked_by_algorithm(value));
    } else if (value.find("TOTALORDER") != value.npos) {
      throw GraphError("compare: TOTALORDER tells zeros and NaNs apart: use FLOAT");
    } else if (value.find("TOLERANCE") != value.npos) {
      throw GraphError(fmt::format("{}: a tolerance is not supported: functions are within 2.5 ulp",
                                   statement.kind->name));
    }
  } catch (const GraphError& error) {
    in_.fail_at(place, error.what());
  }
}

void StatementReader::read_properties(Statement& statement) {
  if (!in_.accept("{")) return;
  in_.list("}", [&] {
    if (in_.accept("detached")) {
      statement.detached = true;
    } else {
      read_property(statement);
    }
  });
}

void StatementReader::read_property(Statement& statement) {
  const OperationKind& kind = *statement.kind;
  const std::size_t place = in_.place();
  const std::string_view name = in_.name();
  if (name == "use_global_device_ids")
    return;  // a group of all cores is the same in both numberings
  in_.expect("=");
  // A name with a period belongs to another dialect, such as mhlo.frontend_attributes.
  if (std::ranges::find(kIgnored, name) != std::end(kIgnored) || name.find('.') != name.npos) {
    in_.any_value();
    return;
  }
  if (std::ranges::find(kRequests, name) != std::end(kRequests)) {
    return take_request(statement, name, in_.any_value(), place);
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
  if (statement.found[i]) in_.fail_at(place, fmt::format("{} occurs twice", name));
  statement.attributes[i] = read_attribute(in_, *spec);
  statement.found[i] = true;
}

}  // namespace systole::graph
