#!/bin/sh
# Joins Verilator's C++ files into FOLDER/all.cpp, so that the compiler sees the model at once: those
# that its makefile of classes names, since the folder may hold others of an earlier run.
#
#   join_verilated.sh FOLDER PREFIX
#
# A loop whose variable is called `lane` is one that hlsc wrote over the lanes of a pipeline: each
# turn reads and writes its own lane only (hlsc refuses anything else). The compiler cannot see that
# through the many arrays of one struct, so it is told; this is what makes the simulation vector code.
# Where 64 lanes or more go through AVX-512, 32 of them go at a time: the single bits of as many
# lanes then fill a register, too.
set -eu
cd "$1"
{
  cat <<'HEAD'
#ifdef __AVX512BW__
#define SYSTOLE_MANY_LANES vectorize(assume_safety) vectorize_width(32)
#else
#define SYSTOLE_MANY_LANES vectorize(assume_safety)
#endif
HEAD
  many='0x\([4-9a-f][0-9a-f]\|[0-9a-f]\{3,\}\)U'
  for file in $(sed -n "s|^\t\($2[^ ]*\) .*|\1.cpp|p" "$2_classes.mk" | LC_ALL=C sort); do
    sed -e "s@^ *while ((${many} > .*__DOT__lane)) {\$@#pragma clang loop SYSTOLE_MANY_LANES\n&@;t" \
        -e 's|^ *while (.*__DOT__lane)) {$|#pragma clang loop vectorize(assume_safety)\n&|' "$file"
  done
} > all.cpp.part
mv all.cpp.part all.cpp
