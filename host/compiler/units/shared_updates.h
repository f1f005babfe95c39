#pragma once

#include "host/compiler/units/kept_values.h"

namespace systole::lowering {

/// Shares updates among the cores of a line, where each would update all of a parameter with the
/// same sum of gradients.
///
///     before  the sum goes up the line, and down to all; each core updates all columns
///     after   for each block of columns: its sum goes up, and down to one core, which updates it
///             and sends the parameter's new values to the others, upwards and downwards
///
/// Blocks go round the cores. The optimizer's memory of a block stays on its core. As many blocks
/// as there are cores go through a stage before the next stage, so that cores update at the same
/// time and the rest of the backward pass goes on meanwhile. What is shared, and its order, follows
/// from the parameter's shape and the number of cores, so that cores agree whatever rows they have;
/// one without rows, which reads no parameter, shares what the others do by `among`.
///
/// Limits   before order_units; of updates with one program over matrices of at least a word of
///          columns a core, whose sum nobody else reads, and whose new values nobody else does
///          before the next step. `slots`: inputs that stay on their core, which the update alone
///          reads. `among`: inputs whose updates may be shared; null: all
void share_updates(KeptValues& kept, const std::set<std::string>& slots,
                   const std::set<std::string>* among);

}  // namespace systole::lowering
