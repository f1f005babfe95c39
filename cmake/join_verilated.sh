#!/bin/sh
# Joins Verilator's C++ files into FOLDER/all.cpp, so that the compiler sees the model at once.
#
#   join_verilated.sh FOLDER PREFIX
#
# A loop whose variable is called `lane` is one that hlsc wrote over the lanes of a pipeline: each
# turn reads and writes its own lane only (hlsc refuses anything else). The compiler cannot see that
# through the many arrays of one struct, so it is told; this is what makes the simulation vector code.
set -eu
cd "$1"
for file in "$2"*.cpp; do
  sed 's|^ *while (.*__DOT__lane)) {$|#pragma clang loop vectorize(assume_safety)\n&|' "$file"
done > all.cpp.part
mv all.cpp.part all.cpp
