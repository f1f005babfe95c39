# Shared by the scripts: sourced, never run. Sets strict mode and moves to the repository's root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# say TEXT...: one line of progress, with the seconds since the script started.
say() { printf '[%4ds] %s\n' "$SECONDS" "$*"; }

# fail TEXT...: one line that says what is wrong and what to do; exit code 1.
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# misuse TEXT...: the caller's mistake; exit code 2.
misuse() {
  printf '%s: %s; see --help\n' "${0##*/}" "$*" >&2
  exit 2
}

# help_from_header: prints the caller's own opening comment, so that it is written once.
help_from_header() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" | sed '/^set \|^source /d'; }

# build_jobs: how many compilers run at once. A clang on LLVM headers or on Verilated code takes up
# to 2 GiB, so memory limits it as well as cores. SYSTOLE_JOBS overrides.
build_jobs() {
  local cores gib
  cores=$(nproc)
  gib=$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  local by_memory=$((gib / 2 > 0 ? gib / 2 : 1))
  echo "${SYSTOLE_JOBS:-$((cores < by_memory ? cores : by_memory))}"
}

# configure PRESET: one of those that build in build/.
configure() {
  say "configure: cmake --preset $1"
  cmake --preset "$1" || fail "configuring failed (above); run scripts/setup, or delete build/ and retry"
}

# build [TARGET...]: what build/ is configured for. Ninja shows the share that is done, steps and seconds.
build() {
  local jobs
  jobs=$(build_jobs)
  say "build with $jobs jobs${1:+: $*}"
  NINJA_STATUS="[%p, %f of %t, %e s] " cmake --build build --parallel "$jobs" ${1:+--target "$@"} &&
    return
  local free
  free=$(df --output=avail -BM build | tail -n 1)
  [[ ${free//[^0-9]/} -ge 200 ]] ||
    fail "the disk is full; a whole build takes 5 GiB: make room, and run this again"
  fail "the build failed (first error above)"
}
