#!/usr/bin/env bash
# Facts about the commands in scripts/, one a line, each with the exit code it promises.
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/expect.sh

for script in setup demo test format; do
  expect 0 "scripts/$script" "$script explains itself" bash "scripts/$script" --help
done
expect 0 "setup test: " "setup says what it would do without doing it" bash scripts/setup --dry-run
expect 0 "setup demo python: " "setup takes several purposes" bash scripts/setup demo python --dry-run
expect 2 "unknown option '--all'" "setup refuses an unknown option" bash scripts/setup --all
expect 2 "unknown purpose 'all': choose from demo python fpga test" \
  "setup refuses an unknown purpose" bash scripts/setup all
expect 2 "unknown option 'all'" "format refuses an unknown option" bash scripts/format all

expect 0 "scripts/campaign" "campaign explains itself" scripts/campaign --help
expect 0 "left" "campaign says what is left" scripts/campaign verify --left
expect 2 "GROUP one of 4, 8, 16, 32" "campaign refuses an array it knows no slices of" \
  scripts/campaign verify --goal 5=3
expect 2 "GROUP one of 4, 8, 16" "campaign refuses a goal that is no number" \
  scripts/campaign cocotb --goal many
expect 2 "GROUP one of all, loops" "campaign refuses a form of kernels it does not know" \
  scripts/campaign kernels --goal threads=3
expect 2 "--only takes the beginnings of: Machine, Proof" "report_results names its sections" \
  scripts/report_results --only Nothing

expect 2 "name the device's PJRT plugin" "record_gpu needs a plugin" scripts/record_gpu
expect 1 "no file /nowhere.so" "record_gpu names a plugin that is missing" \
  scripts/record_gpu /nowhere.so

# What a purpose needs is a part of what the tests need.
missing() { sed -n 's/.* all \([0-9]*\) packages.*/\1/p; s/.* of \([0-9]*\) packages.*/\1/p'; }
count() { bash scripts/setup "$1" --dry-run | missing; }
expect 0 "" "each purpose needs less than the tests" \
  test "$(count demo)" -lt "$(count python)" -a "$(count python)" -lt "$(count test)"

# A PATH with what the scripts need, but no apt-get.
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
for tool in bash dirname sed grep; do ln -s "$(command -v "$tool")" "$tools/"; done
expect 1 "needs Debian 12" "setup refuses a system without apt-get" \
  env PATH="$tools" bash scripts/setup

exit $((failures > 0))
