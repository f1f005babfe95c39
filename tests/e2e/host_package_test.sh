#!/usr/bin/env bash
# Facts about the installed component host, seen from outside: host/examples/package is built in an
# empty folder, with only the files that `cmake --install` put into a fresh prefix, and trains a
# network.
#
#   host_package_test.sh BUILD_DIR SCRATCH_DIR CXX
set -u
build=$1 scratch=$2 cxx=$3
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/e2e/expect.sh"

rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$source/host/examples/package" "$scratch/quadrants"
project=$scratch/quadrants prefix=$scratch/systole
configure() {
  cmake -S "$project" -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${@:2}"
}

expect 0 "" "the component installs" cmake --install "$build" --component host --prefix "$prefix"
expect 1 "" "no installed file names the source tree" \
  grep -rIl -e "$source" -e "$build" "$prefix"
expect 0 "" "another project configures with the package" \
  configure "$project/build" -DCMAKE_CXX_COMPILER="$cxx"
expect 0 "" "and builds" cmake --build "$project/build"
expect 1 "" "its build uses nothing from the source tree" \
  grep -q -e "$source/host" -e "$source/hls" -e "$source/sim" \
  "$project/build/compile_commands.json" "$project/build/build.ninja"

expect 0 "accuracy 0\.9[5-9].*, 0 device clocks" "a network learns on cpu" \
  "$project/build/quadrants" cpu
expect 0 "accuracy 0\.9[5-9].*, [1-9][0-9]* device clocks" "a network learns on model" \
  "$project/build/quadrants" model
first=$("$project/build/quadrants" model)
expect 0 "$first" "loss and clocks on model are the same in every run" \
  "$project/build/quadrants" model
expect 1 "unknown device 'rtl': this build has cpu, model" "the package has no RTL, and says so" \
  "$project/build/quadrants" rtl

expect 1 "configure with -DCMAKE_CXX_COMPILER=clang..-19" "the package refuses another compiler" \
  configure "$scratch/refused" -DCMAKE_CXX_COMPILER=g++
sed -i 's/COMPONENTS host/COMPONENTS host hlsc/' "$project/CMakeLists.txt"
expect 1 "component hlsc is not installed here; install it" "the package names a missing component" \
  configure "$scratch/refused2" -DCMAKE_CXX_COMPILER="$cxx"
sed -i 's/COMPONENTS host hlsc/COMPONENTS board/' "$project/CMakeLists.txt"
expect 1 "unknown component board; the package has hlsc, host and capi" "the package refuses unknown components" \
  configure "$scratch/refused3" -DCMAKE_CXX_COMPILER="$cxx"
exit $((failures > 0))
