"""Campaigns recorded slice by slice: which seeds of a file have run, and which come next."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def current_commit(paths=()):
    """The commit of this tree; of these paths, the last that changed one of them."""
    return subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%h", "HEAD", "--", *paths],
                          capture_output=True, text=True, check=True).stdout.strip()


def group(one):
    """What seeds of a slice belong to: a number of cores, an array, or a form of kernels."""
    return next(one[key] for key in ("cores", "array", "form") if key in one)


def read(file):
    return json.loads(file.read_text()) if file.exists() else []


def last_seed(one):
    return one["seed"] + one["cases"] - 1


def replaced(slices, one, commit):
    """The slices with a new one in place of those of its group that share a seed with it."""
    kept = [old for old in slices if group(old) != group(one)
            or old["seed"] > last_seed(one) or last_seed(old) < one["seed"]]
    return sorted([*kept, one | {"commit": commit}], key=lambda old: (group(old), old["seed"]))


def record(file, one, commit):
    """Adds a slice in place of what it overlaps of its group; the file is never half written."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps(replaced(read(file), one, commit), indent=2) + "\n")
    os.replace(part, file)


def held(file, of, first, running):
    """The slices of a group from seed `first` on, recorded or running."""
    return sorted((one for one in [*read(file), *running]
                   if group(one) == of and last_seed(one) >= first), key=lambda one: one["seed"])


def left(file, of, cases, first=1, running=()):
    """How many of `cases` no slice of this group from seed `first` on holds, nor one that runs."""
    return max(0, cases - sum(last_seed(one) - max(one["seed"], first) + 1
                              for one in held(file, of, first, running)))


def missing(file, of, cases, first=1, running=()):
    """The first seeds from `first` on that nothing holds, (seed, count); None if none is left."""
    count = left(file, of, cases, first, running)
    if not count:
        return None
    seed = first
    for one in held(file, of, first, running):
        if one["seed"] > seed:
            return seed, min(count, one["seed"] - seed)
        seed = last_seed(one) + 1
    return seed, count
