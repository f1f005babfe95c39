"""A program: StableHLO text, compiled for a device."""

import ctypes
import dataclasses
import itertools
import weakref

import ml_dtypes
import numpy

from systole import library
from systole.device import Device, Step, record
from systole.fallback_counts import count
from systole.library import InvalidArgument, check, lib

_DTYPES = [
    numpy.dtype(t)
    for t in (numpy.float32, ml_dtypes.bfloat16, numpy.int32, numpy.uint32, numpy.int8, numpy.bool_, numpy.uint8)
]


@dataclasses.dataclass(frozen=True)
class Port:
    """updated_by: of an input, the number of the output with its next value, or -1."""

    name: str
    shape: tuple
    dtype: numpy.dtype
    updated_by: int = -1


def _ports(program, count, describe):
    ports = []
    for index in range(count(program)):
        port = library.Port()
        check(describe(program, index, ctypes.byref(port)))
        shape = tuple(port.dimensions[: port.rank])
        ports.append(Port(port.name.decode(), shape, _DTYPES[port.element], port.updated_by))
    return ports


def _fallbacks_of(program):
    """Its products on this processor, counted for fallbacks() as well."""
    texts = itertools.takewhile(bool, (lib.systole_fallback(program, i) for i in itertools.count()))
    names = [text.decode() for text in texts]
    for name in names:
        count(name)
    return names


def _buffers(arrays):
    describe = lambda array: library.Buffer(None, array.__array_interface__["data"][0], array.nbytes)
    return (library.Buffer * len(arrays))(*map(describe, arrays))


class Program:
    """StableHLO text on a device: program(x, w) takes arrays in the text's order, returns a list.

    text       jax.jit(f).lower(...).as_text()
    device     a Device, or the name of one
    fallbacks  its products and convolutions that this processor computes, not the device
    """

    def __init__(self, text, device="model"):
        self.device = device if isinstance(device, Device) else Device(device)
        handle = ctypes.c_void_p()
        code = text.encode()
        check(lib.systole_compile(self.device.handle, code, len(code), ctypes.byref(handle)))
        weakref.finalize(self, lib.systole_release, handle)
        self._handle = handle
        self.inputs = _ports(handle, lib.systole_input_count, lib.systole_input)
        self.outputs = _ports(handle, lib.systole_output_count, lib.systole_output)
        self.fallbacks = _fallbacks_of(handle)

    def __call__(self, *arrays):
        if len(arrays) != len(self.inputs):
            raise InvalidArgument(f"{len(arrays)} arrays are given; the program has {len(self.inputs)}")
        inputs = [self._checked(array, port) for array, port in zip(arrays, self.inputs)]
        outputs = [numpy.empty(port.shape, port.dtype) for port in self.outputs]
        check(
            lib.systole_run(
                self._handle, _buffers(inputs), len(inputs), _buffers(outputs), len(outputs)
            )
        )
        record(self.last_step())
        return outputs

    @staticmethod
    def _checked(array, port):
        array = numpy.asarray(array)
        if array.shape != port.shape or array.dtype != port.dtype:
            raise InvalidArgument(
                f"input {port.name} is {port.dtype}{list(port.shape)}, not "
                f"{array.dtype}{list(array.shape)}: compile a program for each shape"
            )
        return numpy.require(array, requirements="C")

    def last_step(self):
        step = library.Step()
        check(lib.systole_last_run(self._handle, ctypes.byref(step)))
        return Step.of(self.device.name, step)
