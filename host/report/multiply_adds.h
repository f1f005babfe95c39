#pragma once

#include <string>
#include <vector>

namespace systole {

/// One multiply-add of an element of the array, of two sources at the same process.
///
/// Units    picojoules; of gates and registers for a row that enters, of clock pins for each clock
/// Source   docs/trust/silicon.json: what energy estimates take, and toggles that scripts/silicon
///          counted in an open library
struct MultiplyAdd {
  std::string process, library;
  double published = 0;  ///< a bf16 multiplication and an fp32 addition
  double gates = 0, registers = 0, clock_pins = 0;
};

std::vector<MultiplyAdd> multiply_adds();

}  // namespace systole
