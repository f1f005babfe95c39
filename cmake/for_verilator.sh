#!/bin/sh
# Copies SystemVerilog to FOLDER for Verilator, which sees two things otherwise than synthesis does:
#
#   - In modules with loops over lanes, the variables at the top of the clocked process are set to
#     zero there. Verilator keeps in a machine register only what it sees assigned before any loop,
#     and without that no loop over lanes becomes vector code.
#   - Loops labelled each_* are written out. Verilator keeps loops, and picks from a wide vector
#     slowly by a variable.
#
# Lines keep their numbers.
#
#   for_verilator.sh FOLDER FILE...
set -eu
folder=$1
shift
mkdir -p "$folder"
for file in "$@"; do
  awk '
    function with_number(text, number, made, word) {
      made = ""
      while (match(text, /[A-Za-z0-9_$]+/)) {
        word = substr(text, RSTART, RLENGTH)
        made = made substr(text, 1, RSTART - 1) (word == "i" ? number : word)
        text = substr(text, RSTART + RLENGTH)
      }
      return made text
    }
    NR == FNR { loops = loops || (/for \(int unsigned/ && !/begin : each_/); next }
    FNR == 1 { printf "`line 1 \"%s\" 0\n", FILENAME }
    at_top && /^ *logic (\[[0-9]+:0\] )?[A-Za-z0-9_, ]+;$/ {
      if (held != "") print held
      held = $0
      for (i = $2 ~ /^\[/ ? 3 : 2; i <= NF; i++) {
        zeros = zeros " " substr($i, 1, length($i) - 1) " = \0470;"
      }
      next
    }
    at_top {
      if (held != "") print held zeros
      at_top = 0
    }
    ends != "" && $0 == ends {
      line = ""
      for (turn = first; turn < last; turn++) line = line with_number(body, turn)
      print line
      for (; lines > 0; lines--) print ""
      ends = ""
      next
    }
    ends != "" {
      sub(/\/\/.*/, "")
      body = body " " $0
      lines++
      next
    }
    /^ *for \(int unsigned i = [0-9]+; i < [0-9]+; i\+\+\) begin : each_/ {
      ends = substr($0, 1, index($0, "for") - 1) "end"
      first = $6 + 0
      last = $9 + 0
      body = ""
      lines = 1
      next
    }
    { print }
    loops && /begin : edge_of_clk$/ { at_top = 1; held = ""; zeros = "" }
  ' "$file" "$file" > "$folder/$(basename "$file")"
done
