#pragma once

#include <string>

#include "tests/campaign/expressions.h"

namespace systole::tests {

/// Up to two constant tables of values, rows of values or structs, defined in `definitions` and
/// visible in `scope`, to be indexed by any value; names start with `name`.
void random_tables(Random& random, const std::string& name, std::string& definitions, Scope& scope);

}  // namespace systole::tests
