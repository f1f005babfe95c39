#!/usr/bin/env python3
"""What a page names in code must be in the tree: identifiers, options, commands, files, decisions.

A page is a Markdown file, a picture (SVG) or a help text; of a source, it is the pages that it names:

  words       each word of inline code and of C++ and Python blocks occurs in a source, or in a block
              of the same page where it is defined
  members     `Type::name` occurs, as `name`, in a source that defines Type, or a namespace
  pictures    each capitalised word occurs in a source
  options     `--name` is in the help of the command that it follows, else of any program or script
  tests       the regex of `ctest -R` matches a test
  files       a path exists (links_test.py follows links)
  decisions   a number has its page
  folders     one of more than 20 sources has a README, but for rtl/generated, which rtl's describes

What is not looked up: words in capitals, which are placeholders; commands of other programs; code
that is a link's text to another site, as a name of another project is written; and pages that a
script writes, which say so. A name of generated hardware (`symbols_valid_i`, `StDone`) is made of
words of its source: each of them is looked up. A file without a folder may be the reader's own, if a
command of the page names it.
"""
import collections
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
SOURCE_FILE = re.compile(r"\.(h|cpp|py|sv|sh|cmake|md|svg|lpf|ipynb|ld)$")
OWNER = re.compile(r"\b(?:(?:class|struct|enum|enum class|union) ([\w:]+)(?=[^;(){}]*\{)"
                   r"|(?:namespace|using) ([\w:]+))")
HARDWARE = re.compile(r"_[iqod]_?\d*$|^St[A-Z]|^(?:systole|s_axil)_|_$")
GENERATED = re.compile(r"<!-- (?:Generated|Written) by")
SUBCOMMANDS = {"train", "gemm", "compare", "verify", "inspect", "report", "translate", "generate",
               "devices"}


class Tree:
    """The repository: its files, the words of its sources, and what its programs' helps say."""

    def __init__(self, root, build=None):
        self.root = pathlib.Path(root)
        self.build = pathlib.Path(build) if build else None
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others",
                                 "--exclude-standard"], capture_output=True, check=True).stdout
        names = [name for name in listed.decode().split("\0") if name]
        self.files = {name for name in names if (self.root / name).is_file()}
        self.folders = {str(parent) for name in self.files for parent in pathlib.Path(name).parents}
        self.pages = sorted(name for name in self.files if name.endswith(".md"))
        self.pictures = sorted(name for name in self.files
                               if name.startswith("docs/") and name.endswith(".svg"))
        self.sources = sorted(name for name in self.files if not self.is_text(name))
        self.words, self.options, self.decisions = set(), set(), {}
        for name in self.sources:
            text = self.read(name)
            self.words.update(WORD.findall(text))
            self.options.update(OPTION.findall(text))
            self.words.update(WORD.findall(name))
        if self.build:
            self.words.update(self.tests())
        self.words.update(f"python_{name}" for name in re.findall(
            r"systole_python_test\((\w+)", self.read("tests/python/CMakeLists.txt")))
        self.numbers = {pathlib.Path(name).name[:4] for name in self.files
                        if re.match(r"docs/decisions/\d{4}-", name)}
        self.helps = {}

    @staticmethod
    def is_text(name):
        return name.startswith("docs/") or name.endswith((".md", "/pages_test.py"))

    def read(self, name):
        return (self.root / name).read_bytes().decode("utf-8", "replace")

    def help_of(self, words):
        """The help of a program of the build; None if there is none."""
        if words not in self.helps:
            program = self.build / "bin" / words[0] if self.build else None
            self.helps[words] = None
            if program and program.exists():
                run = subprocess.run([str(program), *words[1:], "--help"], capture_output=True,
                                     timeout=20)
                self.helps[words] = run.stdout.decode() if run.returncode == 0 else None
        return self.helps[words]

    def owners(self):
        """The words of the sources that define a type or a namespace, by its name."""
        if not hasattr(self, "_owners"):
            self._owners = collections.defaultdict(set)
            for name in self.sources:
                if not name.endswith((".h", ".cpp")):
                    continue
                text = self.read(name)
                words = set(WORD.findall(text))
                for names in OWNER.findall(text):
                    for part in WORD.findall(" ".join(names)):
                        self._owners[part] |= words
        return self._owners

    def lower_words(self):
        if not hasattr(self, "_lower"):
            self._lower = {part.lower() for word in self.words
                           for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", word)}
        return self._lower

    def tests(self):
        if not hasattr(self, "_tests"):
            run = subprocess.run(["ctest", "--test-dir", str(self.build), "-N"],
                                 capture_output=True, check=True)
            self._tests = re.findall(r"Test +#\d+: (\S+)", run.stdout.decode())
        return self._tests

    def has_file(self, path):
        """A path from the root, or the end of one."""
        path = path.rstrip("/")
        if any(sign in path for sign in "*{"):
            patterns = expand(path)
            return all(any(fnmatch.fnmatch(name, p) or fnmatch.fnmatch(name, "*/" + p)
                           for name in self.files | self.folders) for p in patterns)
        return any(name == path or name.endswith("/" + path)
                   for names in (self.files, self.folders) for name in names)


def expand(path):
    """a/{b,c} as a/b and a/c."""
    braces = re.search(r"\{([^{}]*)\}", path)
    if not braces:
        return [path]
    return [one for part in braces[1].split(",")
            for one in expand(path[:braces.start()] + part + path[braces.end():])]


def split_page(text):
    """(line, kind, code) for each piece of code: kind is `inline`, a block's language, or `shell`
    for an indented or unnamed block."""
    pieces, prose = [], []
    language, block, start = None, [], 0
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r" *```+(\w*)", line)
        if fence and language is None:
            language, block, start = fence[1] or "shell", [], number + 1
        elif fence:
            pieces.append((start, language, "\n".join(block)))
            language = None
        elif language is not None:
            block.append(line)
        elif line.startswith("    ") and not re.match(r" *([-*]|\d+\.) ", line):
            pieces.append((number, "shell", line))
            prose.append((number, ""))
        else:
            prose.append((number, line))
    joined = "\n".join(line for _, line in prose)
    numbers = [number for number, _ in prose]
    joined = re.sub(r"\[[^\[\]]*\]\(https?:[^)]*\)", lambda link: "\n" * link[0].count("\n"), joined)
    for span in re.finditer(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", joined, re.S):
        pieces.append((numbers[joined.count("\n", 0, span.start())], "inline",
                       " ".join(span[2].replace("\\|", "|").split())))
    return pieces, prose


class Checker:
    def __init__(self, tree):
        self.tree = tree
        self.faults = []

    def fault(self, page, line, what):
        self.faults.append(f"{page}:{line}: {what}")

    def check_page(self, page, text):
        pieces, prose = split_page(text)
        if GENERATED.search(text):
            pieces = []
        defined = {word for _, kind, code in pieces for word in defined_in(kind, code)}
        defined.update(re.findall(r"--top \S*?(\w+)(?!\S)", text))
        for line, kind, code in pieces:
            if kind == "inline":
                self.check_inline(page, line, code, defined)
            elif kind in ("cpp", "python"):
                self.check_words(page, line, code, defined)
            else:
                self.check_commands(page, line, code)
        for number, line in prose:
            self.check_decisions(page, number, line)

    def check_picture(self, picture, text):
        for number, line in enumerate(text.splitlines(), 1):
            for words in re.findall(r"<text[^>]*>([^<]*)</text>", line):
                for word in re.findall(r"\b[A-Z][A-Za-z0-9_]*", words):
                    if word not in self.tree.words:
                        self.fault(picture, number, f"{word} is in no source")

    def check_inline(self, page, line, code, defined):
        if is_command(code):
            return self.check_command(page, line, code)
        if OPTION.search(code) and re.match(r"[a-z][\w-]* ", code):
            if code.split()[0] not in SUBCOMMANDS:
                return None  # another program's
        for option in OPTION.findall(code):
            if option not in self.tree.options:
                self.fault(page, line, f"no program or script has the option {option}")
        if "/" in code or SOURCE_FILE.search(code):
            path = re.split(r"[#: ]", code)[0]
            if "/" not in path and self.is_readers_own(path, defined):
                return None
            if SOURCE_FILE.search(path) or path.split("/")[0] in TOP_FOLDERS:
                return self.check_file(page, line, path)
        self.check_words(page, line, re.sub(r"(?<!\S)-+\S+", "", code), defined)

    @staticmethod
    def is_readers_own(path, defined):
        """Whether a file is one that a command of the page names, or that hlsc writes for a function
        of the page: spread gives systole_spread_device.sv and spread_driver.h."""
        words = set(WORD.findall(path))
        return words <= defined or bool(set("_".join(words).split("_")) & defined)

    def check_file(self, page, line, path):
        if path.startswith("build/"):
            return self.check_built(page, line, path)
        if re.search(r"\b[A-Z_]{3,}\b", re.sub(r"(README|CONTRIBUTING|CHANGELOG)", "", path)):
            return None  # a placeholder
        if not self.tree.has_file(path):
            self.fault(page, line, f"no file {path}")

    def check_built(self, page, line, path):
        parts = path.split("/")
        if len(parts) == 3 and parts[1] in ("bin", "tests") and parts[2].islower():
            if parts[2] not in self.tree.words:
                self.fault(page, line, f"the build makes no {path}")

    def check_words(self, page, line, code, defined):
        code = re.sub(r"\"[^\"]*\"|//.*|#.*", "", code) if "\n" in code else code
        code = re.sub(r"\w*\*\w*|\w*\.\.\.\w*", " ", code)  # patterns
        for word in WORD.findall(re.sub(r"\b0x[0-9a-fA-F_]+|\b\d[\w.]*", " ", code)):
            if PLACEHOLDER.search(word) or len(word) < 3 or word in OTHERS:
                continue  # of three letters on: shorter ones are of formulas
            if word not in self.tree.words and word not in defined and not self.is_hardware(word):
                self.fault(page, line, f"{word} is in no source")

        for owner, member in re.findall(r"\b(\w+)::(\w+)", code):
            words = self.tree.owners().get(owner) if owner != "std" else None
            if words and member not in words and member not in defined:
                self.fault(page, line, f"{owner}::{member} is in no source")

    def check_source(self, name, text):
        """The pages that a source names, in a comment or a message."""
        for number, line in enumerate(text.splitlines(), 1):
            for path in re.findall(r"\bdocs/[\w/.-]*\w\.md\b", line):
                self.check_file(name, number, path)

    def is_hardware(self, word):
        """Whether a word is made by hlsc of words of a source."""
        if not HARDWARE.search(word):
            return False
        parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", word)
        lower = self.tree.lower_words()
        return all(part.lower() in lower for part in parts if len(part) > 1)

    def check_commands(self, page, line, block):
        joined = re.sub(r"\\\n", " ", block)
        for offset, one in enumerate(joined.splitlines()):
            one = re.sub(r"^\s*\$ ", "", one).strip()
            if is_command(one):
                self.check_command(page, line + offset, one)

    def check_command(self, page, line, text):
        for part in split_commands(re.split(r"  +#|\s{4,}", text)[0]):
            words = part.split()
            while words and re.match(r"[A-Z_]+=", words[0]):
                words = words[1:]
            if not words:
                continue
            program = words[0]
            if program.startswith("build/"):
                self.check_built(page, line, program)
            if program.startswith("scripts/") and program not in self.tree.files:
                self.fault(page, line, f"no file {program}")
            if program == "ctest":
                self.check_tests(page, line, part)
            name = program.rsplit("/", 1)[-1]
            if program.startswith("scripts/"):
                script = self.tree.read(program) if program in self.tree.files else ""
                library = "".join(self.tree.read(f) for f in self.tree.files
                                  if f.startswith("scripts/lib/"))
                known = set(OPTION.findall(script + library)) | self.script_options(script)
            elif name in ("systole", "hlsc") or program.startswith("build/bin/"):
                known = self.program_options(name, words)
            else:
                continue  # another project's
            for option in OPTION.findall(part):
                if known is not None and option not in known and option != "--help":
                    self.fault(page, line, f"{program} has no option {option}")

    def script_options(self, script):
        """Options that a script hands on to our programs, or defines with argparse."""
        return self.tree.options if re.search(r"\"\$@\"|argparse|parse_known", script) else set()

    def program_options(self, name, words):
        known = self.tree.help_of((name,))
        if known is None:
            return self.tree.options
        if name == "systole" and len(words) > 1 and words[1].islower() and words[1].isalpha():
            known = self.tree.help_of((name, words[1]))
            if known is None:
                return set()
        return set(OPTION.findall(known))

    def check_tests(self, page, line, command):
        chosen = re.search(r"-R +('[^']*'|\"[^\"]*\"|\S+)", command)
        if not chosen or not self.tree.build:
            return
        for regex in chosen[1].strip("'\"").split("|"):
            if regex.isupper():
                continue
            if not any(re.search(regex, test) for test in self.tree.tests()):
                self.fault(page, line, f"no test matches {regex}")

    def check_decisions(self, page, number, line):
        for found in re.findall(r"decisions?[ /]\[?(\d{4})\b", line):
            if found not in self.tree.numbers:
                self.fault(page, number, f"no decision {found}")

    def check_help(self, words, text):
        """What a help text says of other options, pages and scripts."""
        name = " ".join(words) + " --help"
        known = set(OPTION.findall("\n".join(line for line in text.splitlines()
                                             if line.startswith("  "))))
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("  systole "):
                self.check_command(name, number, line.strip())
                continue
            for option in OPTION.findall(line):
                if option not in known and option not in self.tree.options:
                    self.fault(name, number, f"no option {option}")
            for path in re.findall(r"\b(?:docs|scripts)/[\w.]+\w", line):
                if path not in self.tree.files:
                    self.fault(name, number, f"no file {path}")


# NAME, rtl_NAME, NAME_ready
PLACEHOLDER = re.compile(r"(?:^|_)[A-Z]{2,}[0-9]*(?:_|$)")
# What other projects name, and examples of a form.
OTHERS = {"openFPGALoader", "fujprog", "fori_loop", "jax_default_matmul_precision", "JaxRuntimeError",
          "V3Gate", "PascalCase", "in_stream", "out_stream"}
TOP_FOLDERS = {"docs", "hls", "host", "rtl", "scripts", "sim", "tests", "cmake", "build"}


def split_commands(line):
    """The commands of a line of the shell, at signs outside of quotes."""
    part, quote = "", ""
    for sign in line:
        if sign in "'\"" and quote in ("", sign):
            quote = "" if quote else sign
        if sign in "&|;" and not quote:
            yield part
            part = ""
        else:
            part += sign
    yield part


def is_command(code):
    words = code.split()
    while words and re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    if len(words) > 1 and words[0] in ("systole", "hlsc", "ctest"):
        return True
    return bool(words) and re.match(r"(build/bin|scripts)/\w", words[0]) is not None


def defined_in(kind, code):
    """Names that a block of a page defines: in C++ and Python what is declared, elsewhere all words,
    such as files of a command, a program's output, or generated SystemVerilog."""
    if kind == "inline":
        return set()
    if kind not in ("cpp", "python"):
        return set(WORD.findall(code))
    return set(re.findall(r"(?<![.\w:>])([A-Za-z_]\w*)(?=\s*[=;,){(\[:])", code))


def help_texts(tree):
    """(words, text) of our programs' helps and of the commands that they list."""
    for program in ("systole", "hlsc"):
        text = tree.help_of((program,))
        if text is None:
            continue
        yield (program,), text
        for command in re.findall(r"(?m)^  ([a-z]+)\s{2,}", text.partition("Subcommands:")[2]):
            yield (program, command), tree.help_of((program, command)) or ""


# A page, and the faults that must be found in it: a check that finds nothing checks nothing.
PLANTED = """
`no_such_name` and `--no-such-flag` are in `host/no_such_file.h`, decision 9999 says. `Graph::verify`,
`--seed` and `host/graph/graph.h` are there; `Graph::beat_bytes` is none, though both are words. `systole train mnist-mlp --no-such-option` trains.

    scripts/no_such_script
    build/bin/no_such_program
    ctest --preset dev -R 'no_such_test|links_test'

```cpp
model.no_such_call(epochs);
```
"""
NO_PAGE = "no_such_page.md"
PLANTED_FAULTS = {"no_such_name", "--no-such-flag", "host/no_such_file.h", "9999",
                  "--no-such-option", "scripts/no_such_script", "build/bin/no_such_program",
                  "no_such_test", "no_such_call", "Graph::beat_bytes", f"docs/{NO_PAGE}"}


def missed(tree):
    """What the check says of the planted page, beside what it must say."""
    checker = Checker(tree)
    checker.check_page("planted", PLANTED)
    checker.check_source("planted", f"// docs/{NO_PAGE} and docs/graph.md say more.")
    found = {fault.removesuffix(" is in no source").split()[-1] for fault in checker.faults}
    return found ^ PLANTED_FAULTS


def unexplained_folders(files):
    """Folders of more than 20 sources without a README."""
    sources = collections.Counter(str(pathlib.Path(name).parent) for name in files
                                  if name.endswith((".h", ".cpp", ".py", ".sv")))
    return sorted(folder for folder, count in sources.items()
                  if count > 20 and f"{folder}/README.md" not in files
                  and folder != "rtl/generated")


def main(root, build):
    tree = Tree(root, build)
    planted = {f"a/{number}.h" for number in range(21)} | {f"b/{number}.h" for number in range(20)}
    if unexplained_folders(planted) != ["a"] or unexplained_folders(planted | {"a/README.md"}):
        print("the check is wrong about folders")
        return 1
    if wrong := missed(tree):
        print("the check is wrong about", *sorted(wrong))
        return 1
    checker = Checker(tree)
    for page in tree.pages:
        checker.check_page(page, tree.read(page))
    for source in tree.sources:
        checker.check_source(source, tree.read(source))
    for picture in tree.pictures:
        checker.check_picture(picture, tree.read(picture))
    for words, text in help_texts(tree):
        checker.check_help(words, text)
    for folder in unexplained_folders(tree.files):
        checker.faults.append(f"{folder}: more than 20 sources and no README.md")
    print("\n".join(checker.faults) or "all that pages and helps name is there")
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
