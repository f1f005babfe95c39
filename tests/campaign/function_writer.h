#pragma once

#include <string>

#include "tests/campaign/expressions.h"

namespace systole::tests {

/// A random pure function and how it is called.
struct RandomFunction {
  Callable callable;
  std::vector<std::string> arguments;  ///< their names
  std::string text;
};

/// `statements` bounds its body.
RandomFunction random_function(Random& random, const std::string& name, int statements,
                               bool may_take_arrays = false);

/// A clocked module that is nothing but a pipeline of a random function, or that function between
/// two streams.
std::string random_pipeline(Random& random, const std::string& name);

}  // namespace systole::tests
