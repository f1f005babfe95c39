"""Programs of the tests, each in a process of its own, which has imported JAX already.

`run` sends a program to a server, a process that has imported JAX and no more: it has no device. The server forks
for each program. The child takes the program's environment, runs its file as `__main__`, and ends as Python ends.
So an import, the larger part of a small program, is paid once. `preload` names more to import, before the first
program. `fresh` starts a Python for the one program instead.
"""

import atexit
import gc
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import types

SECONDS = 500  # for a program
loaded = ["jax.numpy"]
settings = {}
servers = []


def preload(*modules, **environment):
    loaded.extend(modules)
    settings.update(environment)


def run(program, environment, fresh=False):
    """What a program prints; raises AssertionError with its errors if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        file, out, errors = (pathlib.Path(folder, name) for name in ("program.py", "out", "errors"))
        file.write_text(textwrap.dedent(program).lstrip())
        with out.open("w") as to, errors.open("w") as to_errors:
            if fresh:
                command = [sys.executable, file]
                code = subprocess.run(command, env=environment, stdout=to, stderr=to_errors, timeout=SECONDS).returncode
            else:
                code = serve(str(file), str(out), str(errors), environment)
        if code != 0:
            raise AssertionError(errors.read_text() or f"the program ended with code {code}")
        return out.read_text()


def serve(*request):
    if not servers:
        command = [sys.executable, __file__, *loaded]
        first = {**os.environ, **settings}
        servers.append(
            subprocess.Popen(command, env=first, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        )
        atexit.register(servers[0].communicate)  # the end of its input is its end
    server = servers[0]
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    return int(server.stdout.readline())


def next_program():
    """In a child of the server: its program's file. The server itself stays within, and ends with its input."""
    for line in sys.stdin:
        file, out, errors, environment = json.loads(line)
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            for number, path, how in ((0, os.devnull, os.O_RDONLY), (1, out, os.O_WRONLY), (2, errors, os.O_WRONLY)):
                os.dup2(os.open(path, how), number)
            given = {name: value for name, value in environment.items() if value != os.environ.get(name)}
            os.environ.clear()
            os.environ.update(environment)
            for name, value in given.items():
                if name.startswith("JAX_"):  # read when JAX is imported
                    jax.config.update(name.lower(), value)
            return file
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    sys.exit()


if __name__ == "__main__":
    import importlib

    import jax

    for name in sys.argv[1:]:
        importlib.import_module(name)
    assert not jax._src.xla_bridge.backends_are_initialized(), "a device is open before the first program"
    gc.collect()
    gc.freeze()
    sys.argv = [next_program()]
    sys.path[0] = os.path.dirname(sys.argv[0])
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__file__ = sys.argv[0]
    exec(compile(pathlib.Path(sys.argv[0]).read_text(), sys.argv[0], "exec"), main.__dict__)
