#!/usr/bin/env bash
# scripts/python, of which $1 is the path, runs a command from its caller's folder where Python finds
# Systole and the program is on the path; it refuses unknown options.
set -euo pipefail
script=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >check.py <<'END'
import os, shutil, sys
import systole
assert "model" in systole.devices(), systole.devices()
assert shutil.which("systole"), os.environ["PATH"]
assert sys.argv[1:] == ["two words"], sys.argv
END
"$script" --built python check.py "two words"

status=0
"$script" --unknown 2>errors || status=$?
[[ $status -eq 2 ]] && grep -q "unknown option '--unknown'" errors
