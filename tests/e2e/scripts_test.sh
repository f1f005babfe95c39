#!/usr/bin/env bash
# Facts about the commands in scripts/, one a line, each with the exit code it promises.
cd "$(dirname "$0")/../.." || exit 1
failures=0

# expect CODE PATTERN FACT COMMAND...: the command ends with CODE and prints PATTERN.
expect() {
  local code=$1 pattern=$2 fact=$3 output actual
  shift 3
  output=$("$@" 2>&1 </dev/null)
  actual=$?
  if [[ $actual -eq $code ]] && grep -q -- "$pattern" <<<"$output"; then
    echo "ok: $fact"
  else
    echo "FAILED: $fact (exit code $actual, wanted $code and '$pattern'):"
    echo "$output" | head -5
    failures=$((failures + 1))
  fi
}

for script in setup demo test format; do
  expect 0 "scripts/$script" "$script explains itself" bash "scripts/$script" --help
done
expect 0 "setup: " "setup says what it would do without doing it" bash scripts/setup --dry-run
expect 2 "unknown option '--all'" "setup refuses an unknown option" bash scripts/setup --all
expect 2 "one option at most" "setup refuses a second option" bash scripts/setup --dry-run --dry-run
expect 2 "unknown option 'all'" "format refuses an unknown option" bash scripts/format all

# A PATH with what the scripts need, but no apt-get.
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
for tool in bash dirname sed grep; do ln -s "$(command -v "$tool")" "$tools/"; done
expect 1 "needs Debian 12" "setup refuses a system without apt-get" \
  env PATH="$tools" bash scripts/setup

exit $((failures > 0))
