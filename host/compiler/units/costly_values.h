#pragma once

#include "host/compiler/units/kept_values.h"

namespace systole::lowering {

/// Puts into memory what a later kernel would compute again with many instructions: the erf of a
/// GELU, a softmax, the rows of a normalisation, which forward pass and gradient need. A kernel is
/// later if it needs another's result, so the two are never one. Of a chain of such values, the
/// last that both need is kept. Returns whether there are any.
///
/// Numbers  memory keeps all bits; a product and a sum that no longer share a kernel are rounded
///          apart, as wherever kernels are cut
bool keep_costly(KeptValues& kept, const DeviceSizes& sizes);

}  // namespace systole::lowering
