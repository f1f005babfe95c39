#pragma once

#include <span>
#include <vector>

#include "host/compiler/schedule/block_plan.h"
#include "host/device/disk_cache.h"

namespace systole {

/// The plans of choose_plans, remembered in `disk`: the search takes some five to twenty times as
/// long as building the program.
///
/// Limits   as choose_plans
std::vector<BlockPlan> known_plans(std::span<const Product> products, const DeviceSizes& sizes,
                                   const DiskCache& disk, Bus bus = Bus::kProducts);

}  // namespace systole
