#!/bin/sh
# Joins Verilator's C++ files into FOLDER/all.cpp, so that the compiler sees the model at once: those
# that its makefile of classes names, since the folder may hold others of an earlier run. What a model
# computes stays as it is; what follows only helps the compiler.
#
#   join_verilated.sh FOLDER PREFIX [REGISTER...]
#
# A loop whose variable is called `lane` is one that hlsc wrote over the lanes of a pipeline: each
# turn reads and writes its own lane only (hlsc refuses anything else). The compiler cannot see that
# through the many arrays of one struct, so it is told; this is what makes the simulation vector code.
# Where 64 lanes or more go through AVX-512, 32 of them go at a time: the single bits of as many
# lanes then fill a register, too.
#
# REGISTER is the end of a name, without _q, of one-bit registers over lanes that mostly hold the same
# in all of them, like the type of number that an array works on. A loop over 128 lanes or more that
# reads one of them in its own lane gets a version for all zeros and one for all ones, in which the bit
# is a constant; the loop as it was runs in the clocks in which the lanes differ.
#
# The counter of a loop under a condition is a member of the model, where the compiler has to store it
# in each turn: it becomes a variable of its function, unless the model writes its signals.
set -eu
cd "$1"
prefix=$2
shift 2
{
  cat <<'HEAD'
#ifdef __AVX512BW__
#define SYSTOLE_MANY_LANES vectorize(assume_safety) vectorize_width(32)
#else
#define SYSTOLE_MANY_LANES vectorize(assume_safety)
#endif
HEAD
  for file in $(sed -n "s|^\t\($prefix[^ ]*\) .*|\1.cpp|p" "${prefix}_classes.mk" | LC_ALL=C sort); do
    cat "$file"
  done | awk -v uniform="$*" -v traced="$(grep -c "__Trace" "${prefix}_classes.mk")" '
    function pragma(is_lane, lanes) {
      if (!is_lane) return ""
      return "#pragma clang loop " (lanes >= 64 ? "SYSTOLE_MANY_LANES" : "vectorize(assume_safety)") "\n"
    }

    function number(text,    digits, value, i) {
      if (text !~ /^0x/) return text + 0
      digits = tolower(substr(text, 3))
      value = 0
      for (i = 1; i <= length(digits); ++i) {
        value = 16 * value + index("0123456789abcdef", substr(digits, i, 1)) - 1
      }
      return value
    }

    # The first register that the loop reads in the lane of its own turn alone and does not write.
    function register_read(body, read,    left, behind, found, order, n, i, uses, rest) {
      n = 0
      for (left = body; match(left, read); left = behind) {
        found = substr(left, RSTART, RLENGTH)
        behind = substr(left, RSTART + RLENGTH)
        sub(/[ \n]*\[.*/, "", found)
        if (!(found in reads)) order[++n] = found
        ++reads[found]
        if (behind ~ /^[ \n]*=[^=]/) written[found] = 1
      }
      found = ""
      for (i = n; i >= 1; --i) {
        rest = body
        uses = gsub(order[i] "[^A-Za-z0-9_]", "", rest)
        if (!(order[i] in written) && uses == reads[order[i]]) found = order[i]
        delete reads[order[i]]
        delete written[order[i]]
      }
      return found
    }

    # Prints a loop, in versions where it reads a uniform register.
    function print_loop(head, body,    lanes, counter, i, own, name, rest, ahead) {
      lanes = head
      sub(/^ *while \(\(/, "", lanes)
      sub(/U > .*/, "", lanes)
      lanes = number(lanes)
      counter = head
      sub(/^.*U > /, "", counter)
      sub(/\)\) \{$/, "", counter)
      ahead = pragma(counter ~ /__DOT__lane$/, lanes)
      own = "_q[ \n]*\\[\\(0x[0-9a-f]+U & " counter "\\)\\]"
      for (i = 1; lanes >= 128 && i <= names; ++i) {
        name = register_read(body, "vlSelf->[A-Za-z0-9_]*" name_of[i] own)
        if (name == "") continue
        printf "    {\n        CData some = 0U;\n        CData all = 1U;\n"
        printf "        for (IData i = 0U; i < %dU; ++i) {\n", lanes
        printf "            some |= %s[i];\n            all &= %s[i];\n        }\n", name, name
        sub(/_q$/, "", name)
        rest = body
        gsub(name own, "0U", rest)
        printf "        if (!some) {\n%s%s\n%s\n", ahead, head, rest
        rest = body
        gsub(name own, "1U", rest)
        printf "        } else if (all) {\n%s%s\n%s\n", ahead, head, rest
        printf "        } else {\n%s%s\n%s\n        }\n    }\n", ahead, head, body
        return
      }
      printf "%s%s\n%s\n", ahead, head, body
    }

    # Prints a function with the counters of its loops as its own variables.
    function print_function(    line, i, declared, text, name, known, at) {
      declared = ""
      for (i = 2; i <= lines && !traced; ++i) {
        text = line_of[i]
        while (match(text, member)) {
          name = substr(text, RSTART + 8, RLENGTH - 8)
          if (!(name in known)) declared = declared "    IData " name " = 0U;\n"
          known[name] = 1
          text = substr(text, RSTART + RLENGTH)
        }
        gsub(member, "\001&", line_of[i])
        gsub(/\001vlSelf->/, "", line_of[i])
      }
      printf "%s\n%s", line_of[1], declared
      for (at = 2; at <= lines; ++at) {
        line = line_of[at]
        if (line !~ /^ *while \(\((0x)?[0-9a-f]+U > [A-Za-z0-9_]*\)\) \{$/) {
          print line
          continue
        }
        end = line
        sub(/while.*/, "}", end)
        text = ""
        for (++at; line_of[at] != end; ++at) text = text line_of[at] "\n"
        print_loop(line, text end)
      }
    }

    BEGIN {
      names = split(uniform, name_of, " ")
      member = "vlSelf->[A-Za-z0-9_]*__DOT__unnamedblk[0-9]+__DOT__[a-z]+"  # a counter
    }
    /^[A-Za-z].*_sequent__.*\{$/ { lines = 0; inside = 1 }
    inside { line_of[++lines] = $0; if ($0 == "}") { print_function(); inside = 0 }; next }
    { print }'
} > all.cpp.part
mv all.cpp.part all.cpp
