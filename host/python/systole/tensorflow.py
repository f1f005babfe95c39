"""TensorFlow and Keras on Systole (docs/python.md).

    import systole.tensorflow as tf     # instead of: import tensorflow as tf

loads the plugin, gives Cloud TPU programs their words, and is tensorflow in all else.
"""

import tensorflow as _tensorflow

from systole import adam as _adam
from systole import counted as _counted
from systole import plugin as _plugin
from systole import tpu as _tpu
from systole.fallback_counts import fallbacks
from systole.plugin import configure, counters
from systole.recorder import Recorder

_plugin.install()
_tpu.install()
_adam.install()
_counted.install()


def __getattr__(name):
    return getattr(_tensorflow, name)
