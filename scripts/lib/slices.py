"""Campaigns recorded slice by slice: which seeds of a file have run, and which come next."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def current_commit():
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True,
                          text=True, check=True).stdout.strip()


def read(file):
    return json.loads(file.read_text()) if file.exists() else []


def last_seed(one, count="cases"):
    return one["seed"] + one[count] - 1


def replaced(slices, one, commit, count="cases"):
    """The slices with a new one in place of those of its array that share a seed with it."""
    kept = [old for old in slices if old.get("array") != one.get("array")
            or old["seed"] > last_seed(one, count) or last_seed(old, count) < one["seed"]]
    return sorted([*kept, one | {"commit": commit}],
                  key=lambda old: (old.get("array", 0), old["seed"]))


def record(file, one, commit):
    """Adds a slice in place of what it overlaps of its array; the file is never half written."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps(replaced(read(file), one, commit), indent=2) + "\n")
    os.replace(part, file)


def of_array(file, array, first):
    return [one for one in read(file) if one["array"] == array and last_seed(one) >= first]


def left(file, array, cases, first=1, running=()):
    """How many of `cases` no slice of this array from seed `first` on holds, nor one that runs."""
    return max(0, cases - sum(last_seed(one) - max(one["seed"], first) + 1
                              for one in [*of_array(file, array, first), *running]))


def missing(file, array, cases, first=1, running=()):
    """The first seeds from `first` on that nothing holds, (seed, count); None if none is left."""
    count = left(file, array, cases, first, running)
    if not count:
        return None
    seed = first
    for one in sorted([*of_array(file, array, first), *running], key=lambda one: one["seed"]):
        if one["seed"] > seed:
            return seed, min(count, one["seed"] - seed)
        seed = last_seed(one) + 1
    return seed, count


def merged(slices, alike, added, count="cases"):
    """One for those that follow one another, count seeds each, and are alike."""
    rows = []
    for new in slices:
        old = rows[-1] if rows else None
        if not old or old["seed"] + old[count] != new["seed"] or any(
                old[key] != new[key] for key in alike):
            rows.append(dict(new))
            continue
        for key in [count, *added]:
            old[key] += new[key]
    return rows
