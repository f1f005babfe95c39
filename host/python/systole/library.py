"""libsystole.so through ctypes: host/capi/systole.h, statement by statement."""

import ctypes
import ctypes.util
import os
import pathlib
from ctypes import POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint64, c_void_p


class SystoleError(RuntimeError):
    """Anything that Systole refuses or fails at."""


class InvalidArgument(SystoleError, ValueError):
    """Unknown names, programs that cannot be read, arrays that do not fit."""


class DeviceError(SystoleError):
    """A fault of the device."""


class ForkedError(SystoleError):
    """A device that the process had before it forked."""


class OutOfMemory(SystoleError, MemoryError):
    """The device's memory is full, or the host's."""


_ERRORS = {1: InvalidArgument, 2: DeviceError, 3: OutOfMemory, 4: ForkedError}


class Options(Structure):
    _fields_ = [
        ("configuration", c_char_p),
        ("array_size", c_int32),
        ("threads", c_int32),
        ("precision", c_char_p),
        ("cores", c_int32),
    ]


class Info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("precision", c_char_p),
        ("array_size", c_int32),
        ("cycle_exact", c_int32),
        ("clock_mhz", c_double),
        ("threads", c_int32),
        ("memory", c_char_p),
        ("clock_source", c_char_p),
        ("cores", c_int32),
    ]


class Port(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("element", c_int32),
        ("rank", c_int32),
        ("dimensions", POINTER(c_int64)),
        ("size_bytes", c_int64),
        ("updated_by", c_int32),
    ]


class Buffer(Structure):
    _fields_ = [("name", c_char_p), ("data", c_void_p), ("size_bytes", c_int64)]


class Step(Structure):
    _fields_ = [
        ("clocks", c_uint64),
        ("products", c_uint64),
        ("macs", c_uint64),
        ("stall_load", c_uint64),
        ("stall_store", c_uint64),
        ("stall_weights", c_uint64),
        ("stall_sums", c_uint64),
        ("stall_idle", c_uint64),
        ("utilization", c_double),
        ("seconds", c_double),
    ]


class Counters(Structure):
    """systole_core_counters of host/python/core/counters.h."""

    _fields_ = [
        ("core", Info),
        ("done", Step),
        ("calls", c_uint64),
        ("to_core", c_uint64),
        ("from_core", c_uint64),
    ]


_FUNCTIONS = {
    "systole_version": (c_char_p, []),
    "systole_error": (c_char_p, []),
    "systole_device_count": (c_int32, []),
    "systole_device_name": (c_char_p, [c_int32]),
    "systole_device_description": (c_char_p, [c_int32]),
    "systole_configuration_count": (c_int32, []),
    "systole_configuration_name": (c_char_p, [c_int32]),
    "systole_configuration_description": (c_char_p, [c_int32]),
    "systole_open": (c_int32, [c_char_p, POINTER(Options), POINTER(c_void_p)]),
    "systole_info": (c_int32, [c_void_p, POINTER(Info)]),
    "systole_close": (None, [c_void_p]),
    "systole_compile": (c_int32, [c_void_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "systole_release": (None, [c_void_p]),
    "systole_input_count": (c_int32, [c_void_p]),
    "systole_output_count": (c_int32, [c_void_p]),
    "systole_input": (c_int32, [c_void_p, c_int32, POINTER(Port)]),
    "systole_output": (c_int32, [c_void_p, c_int32, POINTER(Port)]),
    "systole_fallback": (c_char_p, [c_void_p, c_int32]),
    "systole_run": (c_int32, [c_void_p, POINTER(Buffer), c_int32, POINTER(Buffer), c_int32]),
    "systole_last_run": (c_int32, [c_void_p, POINTER(Step)]),
}


def _load():
    packaged = next(pathlib.Path(__file__).parent.glob("libsystole.so.*"), None)
    path = os.environ.get("SYSTOLE_LIBRARY") or packaged or ctypes.util.find_library("systole")
    if path is None:
        raise ImportError(
            "libsystole.so is not installed: build it (cmake --build --preset dev --target "
            "systole_capi) and set SYSTOLE_LIBRARY to build/lib/libsystole.so"
        )
    library = ctypes.CDLL(str(path))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


lib = _load()


def plugin(framework, folder=None):
    """Where the plugin of a framework lies: beside libsystole.so, or where a wheel put it.

    Errors   ImportError if it is not there
    """
    name = f"libsystole_{framework}.so"
    built = pathlib.Path(lib._name).with_name(name)
    installed = folder / name if folder else built
    path = installed if installed.exists() else built
    if not path.exists():
        raise ImportError(
            f"{path} does not exist: run scripts/setup, which installs JAX and TensorFlow, and build "
            f"the target systole_{framework}"
        )
    return path


def check(status):
    """Raises what a status other than 0 stands for, with the library's text."""
    if status != 0:
        raise _ERRORS.get(status, SystoleError)(lib.systole_error().decode())


def version():
    return lib.systole_version().decode()
