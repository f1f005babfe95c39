"""Products and convolutions that the device does not run: one count for all clients."""

import collections

_counted = collections.Counter()
_news = []  # of count_from


def fallbacks():
    """Products and convolutions of this process that run on its processor: {"Conv3D of float32": 2}.

    Of JAX's platform `systole` and of a Program they are counted as it is compiled, of TensorFlow as a
    program calls, traces or loads them.
    """
    for new in _news:
        _counted.update(new())
    return dict(_counted)


def count(name):
    """Counts one more; returns whether it is the first of its name."""
    _counted[name] += 1
    return _counted[name] == 1


def count_from(new):
    """Adds a function that gives the names that are new since it was last called."""
    _news.append(new)
