#!/usr/bin/env python3
"""Every link of a page leads to a file and, with a #, to a heading; so does each docs/ path in a source.

    links_test.py [ROOT]
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]).resolve()
# Patterns of names, not names.
PATTERNS = {"docs/training/RUN-DEVICE-TYPE.json", "docs/trust/FILE.json"}


def without_code(text):
    """A page with its blocks of code as empty lines."""
    return re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), text, flags=re.S | re.M)


def anchors(page):
    """The headings as links name them: a repeated one gets -1, -2, ..."""
    seen = {}
    for title in re.findall(r"^#+ (.*)$", without_code(page.read_text()), re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower().strip()
        name = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        seen[name] = seen.get(name, -1) + 1
        yield name if not seen[name] else f"{name}-{seen[name]}"


def broken(target, anchor):
    if not target.exists():
        return "there is no such file"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return "the page has no such heading"
    return None


def main():
    names = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True).stdout
    failures = []
    for name in names.splitlines():
        file = ROOT / name
        try:
            text = file.read_text()
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        links = []
        if file.suffix == ".md":
            text = without_code(text)
            links = [(m, (file.parent / m[1].partition("#")[0]) if m[1][0] != "#" else file)
                     for m in re.finditer(r"\]\((?!\w+:)([^)\s]+)\)", text)]
        elif name.startswith(("host/", "hls/", "sim/", "rtl/", "cmake/", "scripts/", "tests/")):
            links = [(m, ROOT / m[1].partition("#")[0])
                     for m in re.finditer(r"(?<![\w/])(docs/[\w./-]+\.(?:md|json|svg|txt)(?:#[\w-]+)?)", text)
                     if m[1] not in PATTERNS]
        for match, target in links:
            if why := broken(target, match[1].partition("#")[2]):
                failures.append(f"{name}:{text[:match.start()].count(chr(10)) + 1}: {match[1]}: {why}")
    print("\n".join(failures) or "every link leads somewhere")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
