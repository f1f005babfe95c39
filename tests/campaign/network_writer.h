#pragma once

#include <string>

#include "tests/campaign/expressions.h"

namespace systole::tests {

/// A random dataflow() function `void NAME(...)` and the functions that it calls: local arrays,
/// streams and single values between them, once or in a loop. Writers leave elements of arrays out
/// and set values on some ways only, readers leave elements in streams, and lengths may depend on
/// data.
///
/// Limits   no function pops more than its writer pushes; streams are no cycles and do not meet
///          again, so that no depth of theirs can stop the network
std::string random_network(Random& random, const std::string& name);

}  // namespace systole::tests
