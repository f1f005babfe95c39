#pragma once

#include <cstdint>
#include <span>

#include "host/compiler/kernels/extents.h"
#include "host/compiler/kernels/kernel_code.h"
#include "host/compiler/refusal.h"

namespace systole::lowering {

struct ChosenWalk {
  Walk walk = Walk::kFlat;
  std::int64_t block_words = 1;  ///< of Walk::kBlocks
};

/// How a kernel goes through its largest tensor: by blocks where rows or columns are added up, or
/// where many rows share their columns; row by row where elements depend on their row or place;
/// else flat.
///
/// Errors   a refusal for rows that are too long for it, which is a limit if a part of them may fit
OrRefusal<ChosenWalk> choose_walk(const Surroundings& around, const Extents& extents,
                                  std::span<const Root> roots);

}  // namespace systole::lowering
