#include <algorithm>

#include "host/graph/read_attribute.h"
#include "host/graph/read_statement.h"

// StableHLO's pretty spelling, MLIR's default: each operation has its own form of operands and
// keys, and equal types are printed once.
namespace systole::graph {
namespace {

// The attribute that a key of the pretty spelling stands for: the first that the operation has.
struct Key {
  std::string_view word;
  std::vector<std::string_view> attributes;
};

const Key* find_key(std::string_view word) {
  static const std::vector<Key> kKeys = {
      {"dims", {"broadcast_dimensions", "permutation", "dimensions"}},
      {"dim", {"iota_dimension", "dimension"}},
      {"sizes", {"slice_sizes"}},
      {"low", {"edge_padding_low"}},
      {"high", {"edge_padding_high"}},
      {"interior", {"interior_padding"}},
      {"stride", {"window_strides"}},
      {"lhs_dilate", {"lhs_dilation"}},
      {"rhs_dilate", {"rhs_dilation"}}};
  const auto found = std::ranges::find(kKeys, word, &Key::word);
  return found == kKeys.end() ? nullptr : &*found;
}

}  // namespace

Statement StatementReader::pretty(std::size_t place) {
  const std::size_t name_place = in_.place();
  Statement statement = begin(place, name_place, in_.name());
  const std::string_view name = statement.kind->name;
  if (name == "constant") {
    statement.attributes[0] = read_attribute(in_, statement.kind->attributes[0]);
    statement.found[0] = true;
    statement.result_types = {std::get<Literal>(statement.attributes[0]).type};
    return statement;
  }
  if (name == "convolution") {
    read_convolution(statement);
  } else if (name == "reduce") {
    read_reduce(statement);
  } else {
    if (name == "compare") {
      set(statement, "comparison_direction", std::string(in_.name()));
      in_.expect(",");
    }
    read_operand_list(statement);
  }
  read_properties(statement);
  in_.expect(":");
  read_pretty_types(statement);
  return statement;
}

// Operands and keys in any order.
void StatementReader::read_operand_list(Statement& statement) {
  if (in_.sees(":") || in_.sees("{")) return;
  do {
    if (!in_.sees("%")) {
      read_key(statement);
      continue;
    }
    statement.operands.push_back(names_.use(in_));
    if (statement.kind->name == "slice") read_slice(statement);
  } while (in_.accept(","));
}

void StatementReader::read_key(Statement& statement) {
  const std::size_t place = in_.place();
  const std::string_view word = in_.name();
  if (statement.kind->name == "compare") {  // FLOAT, SIGNED: the elements tell
    return take_request(statement, "compare_type", word, place);
  }
  in_.expect("=");
  if (word == "precision" || word == "algorithm") {
    if (in_.sees("[") || in_.sees("<")) return take_request(statement, word, in_.group(), place);
    return take_request(statement, word, in_.name(), place);
  }
  const bool batches = word == "batching_dims", contracts = word == "contracting_dims";
  if (statement.kind->name == "dot_general" && (batches || contracts)) {
    const Integers left = read_integers();
    in_.expect("x");
    const std::string_view kind = batches ? "batching" : "contracting";
    if (!statement.found[0]) statement.attributes[0] = Dimensions{};
    auto& lists = std::get<Dimensions>(statement.attributes[0]).lists;
    lists.emplace_back(fmt::format("lhs_{}_dimensions", kind), left);
    lists.emplace_back(fmt::format("rhs_{}_dimensions", kind), read_integers());
    statement.found[0] = true;
    return;
  }
  if (const Key* key = find_key(word)) {
    for (const std::string_view name : key->attributes) {
      const auto spec = std::ranges::find(statement.kind->attributes, name, &AttributeSpec::name);
      if (spec == statement.kind->attributes.end()) continue;
      return spec->form == Form::kInteger ? set(statement, name, in_.integer())
                                          : set(statement, name, read_integers());
    }
  }
  in_.fail_at(place, fmt::format("{}: '{}' is not supported", statement.kind->name, word));
}

// [0:4, 1:8:2]
void StatementReader::read_slice(Statement& statement) {
  Integers start, limit, strides;
  in_.expect("[");
  in_.list("]", [&] {
    start.push_back(in_.integer());
    in_.expect(":");
    limit.push_back(in_.integer());
    strides.push_back(in_.accept(":") ? in_.integer() : 1);
  });
  set(statement, "start_indices", start);
  set(statement, "limit_indices", limit);
  set(statement, "strides", strides);
}

// (%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[0, 0]]}
void StatementReader::read_convolution(Statement& statement) {
  in_.expect("(");
  in_.list(")", [&] { statement.operands.push_back(names_.use(in_)); });
  in_.expect("dim_numbers", "=");
  set(statement, "dimension_numbers", read_convolution_dimensions(in_));
  in_.expect(",", "window", "=", "{");
  in_.list("}", [&] {
    const std::size_t place = in_.place();
    if (in_.accept("pad")) {
      Integers pairs;
      in_.expect("=", "[");
      in_.list("]", [&] { std::ranges::copy(read_integers(), std::back_inserter(pairs)); });
      set(statement, "padding", pairs);
    } else if (in_.accept("reverse")) {
      in_.expect("=");
      if (in_.group().find("true") != std::string_view::npos) {
        in_.fail_at(place, "convolution: window_reversal is not supported: use reverse");
      }
    } else {
      read_key(statement);
    }
  });
}

// (%x init: %zero) applies stablehlo.add across dimensions = [1]
void StatementReader::read_reduce(Statement& statement) {
  in_.expect("(");
  statement.operands.push_back(names_.use(in_));
  in_.expect("init", ":");
  statement.operands.push_back(names_.use(in_));
  in_.expect(")");
  if (!in_.sees("applies")) {
    in_.fail_at(statement.place, "reduce: only a body of one operation is supported");
  }
  in_.expect("applies");
  const std::size_t place = in_.place();
  set(statement, "body", std::string(begin(place, place, in_.name()).kind->name));
  in_.expect("across", "dimensions", "=");
  set(statement, "dimensions", read_integers());
}

// Functional types; or one type for all operands and the result, after a predicate's if there is
// one.
void StatementReader::read_pretty_types(Statement& statement) {
  if (in_.sees("(")) return read_function_type(statement);
  Type type = in_.type(statement.kind->name);
  statement.operand_types.assign(statement.operands.size(), type);
  if (in_.accept(",")) {
    type = in_.type(statement.kind->name);
    for (std::size_t i = 1; i < statement.operand_types.size(); ++i) {
      statement.operand_types[i] = type;
    }
  }
  statement.result_types = {type};
}

// The name of the operation in a region's body goes to `body`; returns its operands.
std::vector<std::string> StatementReader::pretty_body(std::string& body) {
  const std::size_t place = in_.place();
  Statement operation = begin(place, place, in_.name());
  body = operation.kind->name;
  if (body == "compare") {
    body += fmt::format(" {}", in_.name());
    in_.expect(",");
  }
  std::vector<std::string> operands;
  do {
    if (in_.sees("%")) {
      operands.emplace_back(in_.value_id());
    } else {
      in_.name();  // FLOAT
    }
  } while (in_.accept(","));
  in_.expect(":");
  read_pretty_types(operation);
  return operands;
}

Integers StatementReader::read_integers() {
  in_.expect("[");
  return in_.integers();
}

void StatementReader::set(Statement& statement, std::string_view name, Attribute value) {
  const auto& specs = statement.kind->attributes;
  const auto i = static_cast<std::size_t>(std::ranges::find(specs, name, &AttributeSpec::name) -
                                          specs.begin());
  if (i == specs.size() || statement.found[i]) {
    in_.fail(fmt::format("{}: {} cannot be here", statement.kind->name, name));
  }
  statement.attributes[i] = std::move(value);
  statement.found[i] = true;
}

}  // namespace systole::graph
