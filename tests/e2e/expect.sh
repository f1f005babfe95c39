# For tests that state facts about commands, one a line, each with the expected exit code. Source it
# and end with: exit $((failures > 0))
failures=0

# expect CODE PATTERN FACT COMMAND...: the command ends with CODE and prints PATTERN. A space in it
# matches any white space, since CMake wraps its messages.
expect() {
  local code=$1 pattern=$2 fact=$3 output actual words
  shift 3
  output=$("$@" 2>&1 </dev/null)
  actual=$?
  read -rd '' -a words <<<"$output"
  if [[ $actual -eq $code && "${words[*]}" =~ $pattern ]]; then
    echo "ok: $fact"
  else
    echo "FAILED: $fact (exit code $actual, wanted $code and '$pattern'):"
    echo "$output"
    failures=$((failures + 1))
  fi
}
