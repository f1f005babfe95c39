#!/usr/bin/env python3
"""A section of docs/results.md is replaced or added in its place, and the others stay as they are."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import results  # noqa: E402

PAGE = "# Results\n\n## One\n\nold\n\n### Below\n\nold, too\n\n## Two\n\nkept\n"


def main():
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "results.md"
        page.write_text(PAGE)
        results.put("One", "new\n", page)
        assert page.read_text() == "# Results\n\n## One\n\nnew\n\n## Two\n\nkept\n", page.read_text()
        results.put("Two", "new", page)
        results.put("Three", "added", page)
        expected = "# Results\n\n## One\n\nnew\n\n## Two\n\nnew\n\n## Three\n\nadded\n"
        assert page.read_text() == expected, page.read_text()
        results.put("Three", "added", page)
        assert page.read_text() == expected, "a second time differs"
        results.put("Machine", "first", page)
        results.put("Compiled steps", "second", page)
        expected = expected.replace("## One", "## Machine\n\nfirst\n\n## Compiled steps\n\nsecond\n\n## One")
        assert page.read_text() == expected, page.read_text()
        assert [file.name for file in Path(folder).iterdir()] == ["results.md"]


if __name__ == "__main__":
    main()
