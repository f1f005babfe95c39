#!/usr/bin/env python3
"""Walks through a tutorial's page as a reader does: writes its files, runs its commands, and compares.

    tutorial.py PAGE EXAMPLES BUILD SCRATCH            says where the page is not true; exit code 1
    tutorial.py PAGE EXAMPLES BUILD SCRATCH --update   writes what the commands print into the page

A block below `<!-- file: fir/fir.h -->` is that file, in SCRATCH, and equals the one in EXAMPLES;
`<!-- take: fir/fir_test.cpp -->` takes one from there, which the page links to instead of showing it,
and below `<!-- parts: fir/fir.h -->` stand lines of one, `// ...` for those that are left out. A
`console` block holds commands behind `$ ` and what they print; `...` stands for anything. They run in
one shell whose home is SCRATCH, with BUILD for the folder `build` of the first command; each ends with
0, in a block `console fails` with something else.
"""
import os
import pathlib
import re
import subprocess
import sys

kFence = re.compile(r"^<!-- take: (?P<take>\S+) -->$|"
                    r"^(?:<!-- (?:file: (?P<file>\S+)|parts: (?P<parts>\S+)) -->\n)?```(?P<kind>[^\n]*)\n(?P<text>.*?)^```$",
                    re.MULTILINE | re.DOTALL)


class Shell:
    """A bash that keeps its folder and variables between commands."""

    def __init__(self, home):
        self.bash = subprocess.Popen(["bash", "--norc"], cwd=home, text=True,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     env={**os.environ, "HOME": str(home)})

    def run(self, command):
        """What a command prints, and its exit code."""
        self.bash.stdin.write(f"{{ {command}\n}} 2>&1 </dev/null; printf '\\n@@%d\\n' $?\n")
        self.bash.stdin.flush()
        lines = []
        for line in self.bash.stdout:
            if line.startswith("@@"):
                break
            lines.append(line)
        text = "".join(lines)[:-1]  # the line end that is printed before the exit code
        return text if not text or text.endswith("\n") else text + "\n", int(line[2:])


def matches(expected, printed):
    """Whether a text is another one in which `...` stands for anything."""
    parts = [re.escape(part) for part in expected.split("...")]
    return re.fullmatch(".*".join(parts), printed, re.DOTALL) is not None


def steps_of(block):
    """The commands of a console block, each with what it prints."""
    steps = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            steps.append([line[2:].rstrip("\n"), ""])
        elif steps and steps[-1][0].endswith("\\") and not steps[-1][1]:
            steps[-1][0] += "\n" + line.rstrip("\n")
        else:
            steps[-1][1] += line
    return steps


def has_parts(example, shown):
    """Whether a file has the lines of a block, in order."""
    parts = [re.escape(part) for part in re.split(r"^ *// \.\.\.\n", shown, flags=re.MULTILINE)]
    return re.search("(?:^|\n)" + "(?:.*\n)?".join(parts), example, re.DOTALL) is not None


def main():
    page, examples, build, scratch = (pathlib.Path(word).resolve() for word in sys.argv[1:5])
    update = sys.argv[5:] == ["--update"]
    shell = Shell(scratch)
    text = page.read_text()
    failures = []

    def walk(fence):
        if name := fence["take"] or fence["file"] or fence["parts"]:
            path = scratch / name
            path.parent.mkdir(parents=True, exist_ok=True)
        if fence["take"] or fence["parts"]:
            path.write_text((examples / name).read_text())
            if fence["parts"] and not has_parts(path.read_text(), fence["text"]):
                failures.append(f"{name} has other lines than the page")
            if f"]({os.path.relpath(examples / name, page.parent)})" not in text:
                failures.append(f"{name} is taken, and no link leads to it")
            return fence[0]
        if fence["file"]:
            example = (examples / fence["file"]).read_text()
            path.write_text(example if update else fence["text"])
            if example != fence["text"]:
                failures.append(f"{fence['file']} is not what hls/examples holds")
            return fence[0].replace(fence["text"], example) if update else fence[0]
        if not fence["kind"].startswith("console"):
            return fence[0]
        shown = ""
        for command, expected in steps_of(fence["text"]):
            printed, code = shell.run(command.replace("--install build", f"--install {build}"))
            if (code != 0) != fence["kind"].endswith("fails"):
                failures.append(f"$ {command}\nends with {code}:\n{printed}")
            elif not matches(expected, printed):
                failures.append(f"$ {command}\nprints\n{printed}instead of\n{expected}")
                expected = printed
            shown += f"$ {command}\n{expected}"
        return f"```{fence['kind']}\n{shown}```"

    text = kFence.sub(walk, text)
    if update:
        page.write_text(text)
        print(f"{page.name}: {len(failures)} places changed or failed")
    for failure in failures:
        print(f"{page.name}: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
