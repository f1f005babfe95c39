#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "host/device/backend.h"
#include "host/device/program_sample.h"

namespace systole {

/// A program that runs on a device and, from the same memory at the same addresses, on a reference.
/// Every byte that it may write and every counter must be equal.
///
/// Limits   in this order: made before the device runs the program, note after it, place before
///          the reference runs, difference after it. Nothing else runs on the reference meanwhile
class ProgramCheck {
 public:
  ProgramCheck(Backend& checked, Backend& reference, const PlacedProgram& program);

  void note();
  /// Errors   DeviceError where the reference's memory begins elsewhere
  PlacedProgram place();
  /// The first difference, in words; empty if there is none.
  std::string difference() const;
  Counters used() const;  ///< by the reference

 private:
  Backend& checked_;
  Backend& reference_;
  const PlacedProgram& program_;
  ProgramSample sample_;
  Counters checked_before_, reference_before_, got_;
  std::vector<std::byte> results_;
  std::optional<PlacedSample> placed_;
};

}  // namespace systole
