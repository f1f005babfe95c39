"""A program: StableHLO text, compiled for a device."""

import ctypes
import dataclasses
import itertools
import math
import threading
import weakref

import ml_dtypes
import numpy

from systole import library
from systole.device import Device, Step, record
from systole.fallback_counts import count
from systole.library import InvalidArgument, check, lib

_DTYPES = [
    numpy.dtype(t)
    for t in (numpy.float32, ml_dtypes.bfloat16, numpy.int32, numpy.uint32, numpy.int8, numpy.bool_)
]

_ALIGNMENT = 64  # bytes


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


def empty(port):
    """An array for an output, where JAX takes it without a copy."""
    size = math.prod(port.shape) * port.dtype.itemsize
    memory = numpy.empty(size + _ALIGNMENT, numpy.uint8)
    first = -memory.ctypes.data % _ALIGNMENT
    return memory[first : first + size].view(port.dtype).reshape(port.shape)


class Kept:
    """An array that stays where it is, and its description for the C library."""

    def __init__(self, port):
        self.array = empty(port)
        self.buffer = _buffer(self.array)


def _buffer(array):
    if array is None:
        return library.Buffer()
    if isinstance(array, Kept):
        return array.buffer
    return library.Buffer(None, array.__array_interface__["data"][0], array.nbytes)


def _buffers(arrays):
    return (library.Buffer * len(arrays))(*map(_buffer, arrays))


class Program:
    """StableHLO text on a device: program(x, w) takes arrays in the text's order, returns a list.

    text       jax.jit(f).lower(...).as_text()
    device     a Device, or the name of one
    fallbacks  its products and convolutions that this processor computes, not the device
    """

    def __init__(self, text, device="model"):
        self.device = device if isinstance(device, Device) else Device(device)
        handle = ctypes.c_void_p()
        self._compile(text.encode(), handle)
        weakref.finalize(self, lib.systole_release, handle)
        self._handle = handle
        self.inputs = _ports(handle, lib.systole_input_count, lib.systole_input)
        self.outputs = _ports(handle, lib.systole_output_count, lib.systole_output)
        self.fallbacks = _fallbacks_of(handle)

    def _compile(self, text, handle):
        check(lib.systole_compile(self.device.handle, text, len(text), ctypes.byref(handle)))

    def __call__(self, *arrays):
        if len(arrays) != len(self.inputs):
            raise InvalidArgument(f"{len(arrays)} arrays are given; the program has {len(self.inputs)}")
        inputs = [self._checked(array, port) for array, port in zip(arrays, self.inputs)]
        outputs = [empty(port) for port in self.outputs]
        self._run(inputs, outputs)
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

    def _run(self, inputs, outputs):
        check(
            lib.systole_run(
                self._handle, _buffers(inputs), len(inputs), _buffers(outputs), len(outputs)
            )
        )
        record(self.last_step())

    def last_step(self):
        step = library.Step()
        check(lib.systole_last_run(self._handle, ctypes.byref(step)))
        return Step.of(self.device.name, step)


class Resident:
    """An array that a step has updated and keeps, on its device if it is whole.

    The next step of the same program takes it from there and leaves its own. NumPy and jax.numpy read
    it: jax.numpy.asarray(array). A later step consumes it, as JAX's donation does, unless it was read.
    """

    def __init__(self, program, output):
        self._program, self._output, self._run = program, output, program.runs
        self._value = None
        port = program.outputs[output]
        self.shape, self.dtype, self.ndim = port.shape, port.dtype, len(port.shape)

    def is_kept(self, program, output):
        """Whether the program's device has it, as the value of this output."""
        return program is self._program and output == self._output and program.runs == self._run

    def __array__(self, dtype=None, copy=None):
        if self._value is None:
            if self._program.runs != self._run:
                raise InvalidArgument(
                    f"{self._program.outputs[self._output].name} was donated to a later step: use what "
                    "that step returned, or read it before"
                )
            self._value = self._program.read(self._output)
        return self._value if dtype is None else self._value.astype(dtype, copy=False)

    def __jax_array__(self):
        import jax.numpy

        return jax.numpy.asarray(numpy.asarray(self))

    def __repr__(self):
        return f"<systole.Resident {self.dtype}{list(self.shape)} on {self._program.device.name}>"


class StepProgram(Program):
    """A step that keeps what it updates: `whole` as one program of `model` or `rtl`, on the device;
    otherwise in this process.

    updated_by  for each input the output with its next value, or -1
    Errors      InvalidArgument, with line and column, for what the device cannot do
    """

    def __init__(self, text, device, updated_by, whole):
        self._updated_by, self._whole = updated_by, whole
        self._stay = set(updated_by)  # outputs, and -1
        self._kept = {}, {}  # by output: what odd and even runs leave in this process
        self._lock = threading.Lock()  # so that two threads do not both take one state
        self.runs = 0
        super().__init__(text, device)

    def _compile(self, text, handle):
        if not self._whole:
            return super()._compile(text, handle)
        count = len(self._updated_by)
        updates = (ctypes.c_int32 * count)(*self._updated_by)
        check(
            lib.systole_compile_step(
                self.device.handle, text, len(text), updates, count, ctypes.byref(handle)
            )
        )

    def __call__(self, *arrays):
        """Updates are returned as Resident; an input may be one."""
        with self._lock:
            inputs = [
                self._kept[self.runs % 2].get(updated_by)  # None: on the device
                if isinstance(array, Resident) and array.is_kept(self, updated_by)
                else self._checked(array, port)
                for array, port, updated_by in zip(arrays, self.inputs, self._updated_by, strict=True)
            ]
            stay, places = self._stay, self._places()
            outputs = [places.get(i) if i in stay else empty(port) for i, port in enumerate(self.outputs)]
            self.runs += 1  # also where the run fails: it may have written half of an update
            self._run(inputs, outputs)
            return [Resident(self, i) if i in stay else array for i, array in enumerate(outputs)]

    def _places(self):
        """Where the next run's updates go: over those of the last where the text allows it, or beside."""
        if not self._whole and self.runs == 0:
            for port, i in zip(self.inputs, self._updated_by):
                if i >= 0:
                    self._kept[0][i] = Kept(port)
                    self._kept[1][i] = self._kept[0][i] if port.updated_by == i else Kept(port)
        return self._kept[(self.runs + 1) % 2]

    def read(self, output):
        if not self._whole:
            return self._kept[self.runs % 2][output].array.copy()
        array = numpy.empty(self.outputs[output].shape, self.outputs[output].dtype)
        check(lib.systole_read(self._handle, output, ctypes.byref(_buffer(array))))
        return array
