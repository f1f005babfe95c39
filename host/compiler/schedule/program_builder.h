#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/compiler/schedule/block_plan.h"
#include "host/device/device_map.h"
#include "host/device/product.h"

namespace systole {

/// Builds the commands that compute products in order: a pure function of products, addresses and
/// sizes.
///
/// C is split into groups of column tiles that fill one accumulator bank; while sums accumulate in
/// one bank, the other is stored. Operands are loaded in blocks, each buffer a ring of them, and
/// reused while they stay there. Load, compute and store overlap, also across products; tokens
/// order all accesses of one place, in the buffers and in memory. Tilings are chosen by trial: see
/// candidate_plans and EngineTimes::clocks.
///
/// Limits   those of Product; addresses below 2^40, rows of memory below 4 GiB
/// Timing   some microseconds of host time for each command; a trial ends as soon as its tiling
///          cannot be the best
/// Errors   std::invalid_argument for a product outside the limits
std::vector<device::CommandWord> build_program(std::span<const Product> products,
                                               const DeviceSizes& sizes = {});

/// The same with given tilings, one for each product.
std::vector<device::CommandWord> build_program(std::span<const Product> products,
                                               const DeviceSizes& sizes,
                                               std::span<const BlockPlan> plans);

/// The tilings that build_program takes: for each product the one with which it ends first after
/// the previous product.
std::vector<BlockPlan> choose_plans(std::span<const Product> products, const DeviceSizes& sizes,
                                    Bus bus = Bus::kProducts);

/// Throws std::invalid_argument for a product that no program can compute.
void check_product(const Product& product);

}  // namespace systole
