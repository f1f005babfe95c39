#!/bin/sh
# Joins Verilator's C++ files into FOLDER/all.cpp, so that the compiler sees the model at once: those
# that its makefile of classes names, since the folder may hold others of an earlier run. What runs once
# (reset, settling, the names in a trace) Verilator puts into files by themselves, its own makefiles
# compile those without optimisation, and so does clang here: a quarter to two fifths of the model's text.
#
#   join_verilated.sh FOLDER PREFIX
set -eu
cd "$1"
for file in $(sed -n "s|^[[:space:]]\{1,\}\($2[^ ]*\) .*|\1.cpp|p" "$2_classes.mk" | LC_ALL=C sort); do
  case "$file" in
    *__Slow.cpp)
      echo "#pragma clang optimize off"
      cat "$file"
      echo "#pragma clang optimize on"
      ;;
    *) cat "$file" ;;
  esac
done > all.cpp.part
mv all.cpp.part all.cpp
