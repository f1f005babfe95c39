#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/campaign/expressions.h"

namespace systole::tests {

/// What a random thread reaches through ends: memories and pipelines of its parent, and another
/// thread that answers its calls.
class ThreadEndsWriter {
 public:
  /// A random type whose name starts with the second argument.
  using TypeOf = std::function<Compound(const std::string&)>;

  ThreadEndsWriter(Random& random, Expressions& expressions, std::string name)
      : random_(random), expressions_(expressions), name_(std::move(name)) {}

  /// One to three of them; what they need is defined in `definitions`.
  void draw(std::string& definitions, const TypeOf& type_of);
  /// A statement of the thread that waits: for one of them, or for a division.
  std::string use(Scope& scope, int indent);

  const std::vector<std::string>& parameters() const { return parameters_; }
  bool empty() const { return parameters_.empty(); }
  // Parts of the parent.
  const std::string& members() const { return members_; }
  const std::string& connects() const { return connects_; }
  const std::string& updates() const { return updates_; }
  const std::string& resets() const { return resets_; }

 private:
  struct Memory {
    std::string name;
    ValueType word;
    int address_bits = 0;
  };

  void memory();
  void pipeline(std::string& definitions);
  void server(std::string& definitions, const TypeOf& type_of);
  std::string access(const Memory& memory, Scope& scope);
  std::string call(const Callable& called, const std::string& first, Scope& scope);
  std::string division(Scope& scope);

  Random& random_;
  Expressions& expressions_;
  std::string name_;
  std::vector<std::string> parameters_;
  std::vector<Memory> memories_;
  std::vector<Callable> pipelines_;  ///< named by the thread's parameter
  std::vector<Callable> servers_;    ///< none or one
  std::string members_;
  std::string connects_;
  std::string updates_;
  std::string resets_;
  int names_ = 0;
};

}  // namespace systole::tests
