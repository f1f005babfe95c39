#!/usr/bin/env bash
# Facts about the installed package, seen from outside: docs/tutorial.md and docs/tutorial_loops.md are
# followed word by word in an empty folder, with only the files that `cmake --install` put into a fresh
# prefix.
#
#   package_test.sh BUILD_DIR SCRATCH_DIR CXX
set -u
build=$1 scratch=$2 cxx=$3
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/e2e/expect.sh"
configure() {
  rm -rf "$scratch/refused"
  cmake -S "$scratch/fir" -B "$scratch/refused" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/systole" "$@"
}

rm -rf "$scratch"
mkdir -p "$scratch"
export CMAKE_EXPORT_COMPILE_COMMANDS=ON
for page in tutorial tutorial_loops; do
  expect 0 "" "every file, command and output of docs/$page.md is true" \
    python3 "$source/tests/e2e/tutorial.py" "$source/docs/$page.md" "$source/hls/examples" \
    "$build" "$scratch"
done
expect 1 "" "no installed file names the tree that it was built in" \
  grep -rIl -e "$source" -e "$build" "$scratch/systole"
for example in fir run_length levels; do
  expect 0 "" "a tutorial wrote all of hls/examples/$example" \
    diff -r -x build -x rtl -x '*.sv' -x '*.log' -x forgotten.h -x backwards.h "$source/hls/examples/$example" "$scratch/$example"
  expect 1 "" "nothing of $example's build is from the tree" \
    grep -q -e "$source/hls" -e "$source/rtl" -e "$source/cmake" \
    "$scratch/$example/build/compile_commands.json" "$scratch/$example/build/build.ninja"
done

sed -i '1i // edited' "$scratch/systole/include/systole/hls/stream.h"
expect 0 "hlsc fir::Fir<3>" "editing a header that a kernel includes regenerates its RTL" \
  cmake --build "$scratch/fir/build" --target rtl_fir

expect 1 "configure with -DCMAKE_CXX_COMPILER=clang..-19" "the package refuses another compiler" \
  configure -DCMAKE_CXX_COMPILER=g++

# A PATH with what configuring needs, but no Verilator.
mkdir "$scratch/tools"
for tool in cmake ninja clang++-19 ld rm; do ln -s "$(command -v $tool)" "$scratch/tools/"; done
PATH="$scratch/tools" expect 1 "verilator, .* is not in PATH; install it" \
  "the package says that Verilator is missing" \
  configure -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF
exit $((failures > 0))
