#pragma once

#include "hls/include/systole/cosim/random.h"

namespace systole::tests {

using cosim::Random;

}  // namespace systole::tests
