#pragma once

#include <string>

#include "tests/campaign/expressions.h"

namespace systole::tests {

/// A clocked module that is a pipeline of rounds of a random cipher: bytes are substituted, by a
/// table or by a power in GF(2^8), moved, and mixed in columns of four. Up to 18,000 operations,
/// every one of which reaches many others.
std::string random_cipher(Random& random, const std::string& name);

}  // namespace systole::tests
