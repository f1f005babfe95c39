#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "systole/cosim/lockstep.h"

namespace systole::tests {

/// The first ports of a model that are not its kernel's, edge by edge; "" if there are none.
template <typename Model, typename Kernel>
std::string difference(std::span<const cosim::Port> inputs, std::span<const cosim::Port> outputs,
                       int fault_edge = -1) {
  constexpr std::uint64_t kLockstepSeed = 0x5eed'0031;
  return cosim::Lockstep<Model, Kernel>::run(inputs, outputs,
                                             {.seed = kLockstepSeed, .fault_edge = fault_edge})
      .message();
}

}  // namespace systole::tests
