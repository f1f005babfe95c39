"""docs/results.md, section by section: its tables come from several scripts."""

from pathlib import Path

FILE = Path(__file__).resolve().parent.parent.parent / "docs" / "results.md"
# The page's order; a section that it does not name comes last. Scripts write sections by title.
ORDER = ["Machine", "Proof of the arithmetic", "The whole accelerator",
         "Training on CPU and array", "Compiled steps", "A transformer", "Trained networks", "Energy of a step", "The device in open libraries", "Beside a GPU", "Beside TensorFlow and JAX",
         "JAX's own tests", "StableHLO's own programs", "Versions of JAX", "Speed of the model backend",
         "Trust in the compiler", "Synthesis of the kernels", "Area of the generated RTL", "Functions over arrays",
         "Area beside hand-written Verilog"]


def place(title):
    return ORDER.index(title) if title in ORDER else len(ORDER)


def put(title, text, file=FILE):
    """Replaces the text under a title, or adds both in their place; the file is never half written."""
    head, *sections = file.read_text().rstrip().split("\n## ")
    texts = {name: body.strip() for name, _, body in (one.partition("\n") for one in sections)}
    if title not in texts:
        after = [name for name in texts if place(name) > place(title)]
        later = {name: texts.pop(name) for name in after}
        texts |= {title: ""} | later
    texts[title] = text.strip()
    part = file.with_suffix(".part")
    part.write_text("\n\n".join([head.rstrip(), *(f"## {name}\n\n{body}" for name, body in texts.items())]) + "\n")
    part.replace(file)
