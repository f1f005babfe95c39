"""The platform `systole` of JAX: a plugin of PJRT (docs/pjrt.md)."""

import ctypes
import itertools

from jax._src import xla_bridge
from jax._src.interpreters import mlir

from systole import library, partition
from systole.device import Step, record_from
from systole.fallback_counts import count_from

_PLATFORM = "systole"
_seen = 0  # the last run that last_step knows
_counted = 0  # fallbacks
_partitioner = None


def register():
    """Makes the platform known to JAX. Its cores are opened when they are first used."""
    path = library.plugin("pjrt")
    xla_bridge.register_plugin(_PLATFORM, library_path=str(path), priority=500)
    # JAX drops donation for platforms that are not in a list of its own.
    platforms = getattr(mlir, "_platforms_with_donation", [])
    if _PLATFORM not in platforms:
        platforms.append(_PLATFORM)
    global _partitioner
    _partitioner = partition.register(ctypes.CDLL(str(path)))
    record_from(lambda: _last_run(ctypes.CDLL(str(path))))
    count_from(lambda: _new_fallbacks(ctypes.CDLL(str(path))))


def _last_run(plugin):
    """The systole.Step of the last step since the last call, or None."""
    global _seen
    step, device, on_host = library.Step(), ctypes.c_char_p(), ctypes.c_char_p()
    last_run = plugin.systole_pjrt_last_run
    last_run.restype = ctypes.c_int64
    number = last_run(ctypes.byref(step), ctypes.byref(device), ctypes.byref(on_host))
    if number == _seen:
        return None
    _seen = number
    return Step.of(device.value.decode(), step, on_host.value.decode())


def _new_fallbacks(plugin):
    """The names of products that this processor runs, of programs compiled since the last call."""
    global _counted
    fallback = plugin.systole_pjrt_fallback
    fallback.restype, fallback.argtypes = ctypes.c_char_p, [ctypes.c_int64]
    names = [name.decode() for name in itertools.takewhile(bool, map(fallback, itertools.count(_counted)))]
    _counted += len(names)
    return names
