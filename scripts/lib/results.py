"""docs/results.md, section by section: its tables come from several scripts."""

from pathlib import Path

FILE = Path(__file__).resolve().parent.parent.parent / "docs" / "results.md"


def put(title, text, file=FILE):
    """Replaces the text under a title, or adds both at the end; the file is never half written."""
    mark = f"\n## {title}\n"
    head, _, tail = file.read_text().partition(mark)
    _, next_mark, rest = tail.partition("\n## ")
    part = file.with_suffix(".part")
    part.write_text(f"{head.rstrip()}\n{mark}\n{text.strip()}\n{next_mark}{rest}")
    part.replace(file)
