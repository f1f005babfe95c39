#!/bin/sh
# Joins Verilator's C++ files into FOLDER/all.cpp, so that the compiler sees the model at once: those
# that its makefile of classes names, since the folder may hold others of an earlier run.
#
#   join_verilated.sh FOLDER PREFIX
set -eu
cd "$1"
for file in $(sed -n "s|^[[:space:]]\{1,\}\($2[^ ]*\) .*|\1.cpp|p" "$2_classes.mk" | LC_ALL=C sort); do
  cat "$file"
done > all.cpp.part
mv all.cpp.part all.cpp
