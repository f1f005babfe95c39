#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "sim/device/core_line.h"
#include "sim/verify/line_case.h"
#include "sim/verify/verification.h"

namespace systole::verify {

/// Runs a case on the devices of a line, which `make_device` makes, and jointly in interpreters,
/// and returns the first difference, if any; its words begin with the core. Of a round that ends as
/// it should it compares what check() of one core does, and that no beat is left on a link. Of
/// another it checks that the faults are those of the culprit and of those that wait for it, with
/// the command where the interpreter knows it, and that after the resets of a line (docs/vector.md)
/// the next round runs as it should.
std::optional<Difference> check(const LineCase& which, const DeviceMaker& make_device);

}  // namespace systole::verify
