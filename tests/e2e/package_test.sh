#!/usr/bin/env bash
# Facts about the installed package, seen from outside: hls/examples are copied away, and built and
# tested with nothing but what `cmake --install` put into a fresh prefix.
#
#   package_test.sh BUILD_DIR SCRATCH_DIR CXX
set -u
build=$1 scratch=$2 cxx=$3
source=$(cd "$(dirname "$0")/../.." && pwd)
failures=0

# expect CODE PATTERN FACT COMMAND...: the command ends with CODE and prints PATTERN.
expect() {
  local code=$1 pattern=$2 fact=$3 output actual words
  shift 3
  output=$("$@" 2>&1 </dev/null)
  actual=$?
  read -rd '' -a words <<<"$output"  # CMake folds its messages
  if [[ $actual -eq $code && "${words[*]}" =~ $pattern ]]; then
    echo "ok: $fact"
  else
    echo "FAILED: $fact (exit code $actual, wanted $code and '$pattern'):"
    echo "$output"
    failures=$((failures + 1))
  fi
}
configure() {
  cmake -S "$scratch/$1" -B "$scratch/build_$1" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${@:2}"
}

rm -rf "$scratch"
mkdir -p "$scratch"
expect 0 "SystoleConfig.cmake" "the component hlsc is installed alone" \
  cmake --install "$build" --component hlsc --prefix "$scratch/prefix"
expect 1 "" "no installed file names the tree that it was built in" \
  grep -rIl -e "$source" -e "$build" "$scratch/prefix"

for example in fir run_length; do
  cp -r "$source/hls/examples/$example" "$scratch/$example"
  expect 0 "Generating done" "$example is configured against the package" \
    configure $example -DCMAKE_CXX_COMPILER="$cxx"
  expect 0 "" "$example and its RTL are built" cmake --build "$scratch/build_$example" -j 2
  expect 0 "100% tests passed" "$example passes its tests" \
    ctest --test-dir "$scratch/build_$example" --output-on-failure --no-tests=error
  expect 1 "" "nothing of $example's build is from the tree" \
    grep -q -e "$source/hls" -e "$source/rtl" -e "$source/cmake" \
    "$scratch/build_$example/compile_commands.json" "$scratch/build_$example/build.ninja"
done

sed -i '1i // edited' "$scratch/prefix/include/systole/hls/stream.h"
expect 0 "hlsc fir::Fir<3>" "an edit of a header that a kernel includes generates again" \
  cmake --build "$scratch/build_fir" --target rtl_fir

rm -rf "$scratch/build_fir"
expect 1 "configure with -DCMAKE_CXX_COMPILER=clang..-19" "the package refuses another compiler" \
  configure fir -DCMAKE_CXX_COMPILER=g++

# A PATH with what configuring needs, but no Verilator.
mkdir "$scratch/tools"
for tool in cmake ninja clang++-19 ld; do ln -s "$(command -v $tool)" "$scratch/tools/"; done
rm -rf "$scratch/build_fir"
PATH="$scratch/tools" expect 1 "verilator, .* is not in PATH; install it" \
  "the package says that Verilator is missing" \
  configure fir -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF
exit $((failures > 0))
