"""Products and convolutions that the device does not run: one count for all clients."""

import collections

_counted = collections.Counter()


def fallbacks():
    """Products and convolutions of this process that run on its processor: {"Conv3D of float32": 2}.

    Of a Program or systole.jit they are counted as it is compiled, of plain JAX as JAX compiles them, of
    TensorFlow as a program calls, traces or loads them.
    """
    return dict(_counted)


def count(name):
    """Counts one more; returns whether it is the first of its name."""
    _counted[name] += 1
    return _counted[name] == 1
