#!/usr/bin/env bash
# exports.sh LIBRARY HEADER: the library exports what the header declares and nothing else, needs no
# relocation of its code, and can be opened by a running program.
set -euo pipefail
exported=$(nm -D --defined-only "$1" | awk '{ print $3 }' | sort)
declared=$(grep -o 'systole_[a-z_]*(' "$2" | tr -d '(' | sort -u)
if [[ $exported != "$declared" ]]; then
  diff <(echo "$declared") <(echo "$exported") || echo "declared in $2 (<), exported by $1 (>)"
  exit 1
fi
if readelf -d "$1" | grep -E 'TEXTREL|STATIC_TLS'; then
  echo "$1: compile the sources with thread-local variables with -fPIC (host/capi/CMakeLists.txt)"
  exit 1
fi
