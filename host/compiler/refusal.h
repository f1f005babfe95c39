#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "host/graph/operation.h"

namespace systole::lowering {

/// Why the device cannot compute a part of a graph.
struct Refusal {
  std::string why;                         ///< with layer, operation and types
  bool is_a_limit = false;                 ///< of a kernel's size: smaller parts may fit
  std::string operation = {}, scope = {};  ///< of the operation that the device lacks, if it is one

  static Refusal of(const graph::Call& call, std::string_view why) {
    return {.why = call.error(why),
            .operation = std::string(call.kind.name),
            .scope = std::string(call.scope)};
  }
};

/// A graph with something that the device cannot do.
class Unsupported : public graph::GraphError {
 public:
  explicit Unsupported(Refusal refusal)
      : GraphError(refusal.why),
        operation_(std::move(refusal.operation)),
        scope_(std::move(refusal.scope)) {}

  /// Of the operation that the device lacks; empty if it is none.
  const std::string& operation() const { return operation_; }
  const std::string& scope() const { return scope_; }

 private:
  std::string operation_, scope_;
};

template <typename T>
using OrRefusal = std::variant<T, Refusal>;

}  // namespace systole::lowering
