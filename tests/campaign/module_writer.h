#pragma once

#include <string>
#include <vector>

#include "tests/campaign/expressions.h"

namespace systole::tests {

/// A random clocked module and how another one instantiates it.
struct RandomModule {
  std::string name;
  std::string text;            ///< with everything it uses
  std::vector<Whole> inputs;   ///< of a submodule
  std::vector<Whole> outputs;  ///< of a submodule
  bool has_reset = false;
  bool needs_reset = false;  ///< some register never forgets what it held at first
};

RandomModule random_module(Random& random, const std::string& name);

}  // namespace systole::tests
