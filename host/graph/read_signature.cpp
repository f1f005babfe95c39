#include "host/graph/read_signature.h"

#include "host/graph/read_statement.h"

namespace systole::graph {
namespace {

Signature::Argument read_argument(Scanner& in) {
  Signature::Argument argument{.place = in.place(), .name = std::string(in.value_id()), .type = {}};
  in.expect(":");
  argument.type = in.type();
  if (in.accept("{")) {
    in.list("}", [&] {
      const bool becomes = in.name() == "tf.aliasing_output";
      if (!in.accept("=")) return;
      if (!becomes) {
        in.any_value();
        return;
      }
      const std::size_t place = in.place();
      argument.becomes = in.integer();
      if (argument.becomes < 0) in.fail_at(place, "expected the number of an output");
      in.expect(":", "i32");
    });
  }
  pass_location(in);
  return argument;
}

Signature::Result read_result(Scanner& in, std::size_t number) {
  Signature::Result result{fmt::format("result{}", number), in.type()};
  if (!in.accept("{")) return result;
  in.list("}", [&] {
    const bool names = in.name() == "jax.result_info";
    if (!in.accept("=")) return;
    if (!names) {
      in.any_value();
      return;
    }
    const std::string name(in.string());
    // JAX also writes result[0].
    if (name.find_first_of("[]'. ") == std::string::npos || name.find('[') == std::string::npos) {
      if (!name.empty()) result.name = name;
    }
  });
  return result;
}

}  // namespace

Signature read_signature(Scanner& in) {
  Signature signature;
  in.expect("(");
  in.list(")", [&] { signature.arguments.push_back(read_argument(in)); });
  if (in.accept("->")) {
    if (in.accept("(")) {
      in.list(")", [&] { signature.results.push_back(read_result(in, signature.results.size())); });
    } else {
      signature.results.push_back({"result0", in.type()});
    }
  }
  if (in.accept("attributes")) in.group();
  return signature;
}

}  // namespace systole::graph
