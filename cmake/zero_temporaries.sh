#!/bin/sh
# Copies SystemVerilog to FOLDER for Verilator: in modules with loops, the variables at the top of
# the clocked process are set to zero there. Verilator keeps in a machine register only what it sees
# assigned before any loop, and without that no loop over lanes becomes vector code. Lines keep
# their numbers.
#
#   zero_temporaries.sh FOLDER FILE...
set -eu
folder=$1
shift
mkdir -p "$folder"
for file in "$@"; do
  awk '
    NR == FNR { loops = loops || /for \(int unsigned/; next }
    FNR == 1 { printf "`line 1 \"%s\" 0\n", FILENAME }
    at_top && /^ *logic (\[[0-9]+:0\] )?[A-Za-z0-9_]+;$/ {
      if (held != "") print held
      held = $0
      zeros = zeros " " substr($NF, 1, length($NF) - 1) " = \0470;"
      next
    }
    at_top {
      if (held != "") print held zeros
      at_top = 0
    }
    { print }
    loops && /begin : edge_of_clk$/ { at_top = 1; held = ""; zeros = "" }
  ' "$file" "$file" > "$folder/$(basename "$file")"
done
