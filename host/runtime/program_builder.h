#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/driver/device_map.h"
#include "host/driver/product.h"
#include "host/runtime/block_plan.h"

namespace systole {

/// The commands that compute products one after the other: a pure function of products, addresses
/// and sizes.
///
/// C is cut into groups of column tiles that fill one accumulator bank; while one bank's sums are
/// added up, the other's are stored. Operands are loaded in blocks, each buffer a ring of them, and
/// used again while they lie there. Load, compute and store overlap, across products too; tokens
/// order whatever touches the same place, in the buffers and in memory. How a product is cut is
/// chosen by trying: see candidate_plans and EngineTimes::clocks.
///
/// Limits   products as Product says; addresses below 2^40, rows of memory below 4 GiB
/// Timing   some microseconds of the host's time for each command; a cut is tried as long as it may
///          still be the best
/// Errors   std::invalid_argument for a product outside the limits
std::vector<device::CommandWord> build_program(std::span<const Product> products,
                                               const DeviceSizes& sizes = {});

/// The same with a given cut for every product: for tests and for trying.
std::vector<device::CommandWord> build_program(std::span<const Product> products,
                                               const DeviceSizes& sizes,
                                               std::span<const BlockPlan> plans);

/// The cuts that build_program takes: for each product the one with which it ends first behind the
/// product before it.
std::vector<BlockPlan> choose_plans(std::span<const Product> products, const DeviceSizes& sizes);

/// Throws std::invalid_argument for what no program can compute.
void check_product(const Product& product);

}  // namespace systole
