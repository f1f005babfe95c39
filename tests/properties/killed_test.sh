#!/bin/sh
# A prover ends with the scripts/prove_properties that started it, whether that is asked to end or
# killed. The prover is one that would run for a minute.
script=$1
tools=$(mktemp -d)
trap 'rm -r "$tools"' EXIT
printf '#!/bin/sh\nexec sleep 60\n' >"$tools/yosys"
chmod +x "$tools/yosys"
for signal in TERM KILL; do
  PATH="$tools:$PATH" "$script" --quick tokens >/dev/null 2>&1 &
  parent=$!
  prover=
  while [ -z "$prover" ] && kill -0 $parent 2>/dev/null; do
    prover=$(ps -o pid=,comm= --ppid $parent | sed -n 's/ sleep$//p')
  done
  if [ -z "$prover" ]; then echo "no prover was started"; exit 1; fi
  kill -$signal $parent
  wait $parent
  waited=0
  while kill -0 $prover 2>/dev/null; do
    waited=$((waited + 1))
    if [ $waited -gt 100 ]; then echo "SIG$signal leaves its prover running"; exit 1; fi
    sleep 0.1
  done
done
