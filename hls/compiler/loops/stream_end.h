#pragma once

#include <vector>

namespace systole::compiler {

/// The side of a cell or engine that a kernel's machine pops from or pushes to: its ports by
/// number.
struct StreamEnd {
  struct Field {
    int input = -1;  ///< of the instance
    unsigned low = 0;
    unsigned width = 0;  ///< bits of the value
  };
  int instance = -1;
  int there = -1;     ///< output: an element or a place is there
  int transfer = -1;  ///< input: it is popped or pushed; -1 for none
  int data = -1;      ///< output: the element; -1 for none
  std::vector<Field> fields = {};
};

}  // namespace systole::compiler
