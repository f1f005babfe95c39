"""Devices: what a build has, opening one, and what its last step did."""

import ctypes
import dataclasses
import weakref

from systole.library import Info, InvalidArgument, Options, check, lib


def devices():
    """The devices of this build and what they are: {"cpu": "...", "model": "...", "rtl": "..."}."""
    return {
        lib.systole_device_name(i).decode(): lib.systole_device_description(i).decode()
        for i in range(lib.systole_device_count())
    }


def configurations():
    """The named configurations: {"default": "..."}."""
    return {
        lib.systole_configuration_name(i).decode(): lib.systole_configuration_description(i).decode()
        for i in range(lib.systole_configuration_count())
    }


class Device:
    """An open device. Programs on it take turns; it closes when nothing refers to it any more.

    name           "cpu", "model" or "rtl"
    configuration  one of configurations()
    array_size     N of the N x N array, instead of the configuration's
    threads        CPU threads of cpu and model
    precision      of products: "fp32" on cpu, "bf16" or "int8" on the others
    """

    def __init__(self, name="model", *, configuration=None, array_size=0, threads=0, precision=None):
        def text(word):
            return None if word is None else word.encode()

        self.handle = ctypes.c_void_p()
        options = Options(text(configuration), array_size, threads, text(precision))
        check(lib.systole_open(text(name), ctypes.byref(options), ctypes.byref(self.handle)))
        weakref.finalize(self, lib.systole_close, self.handle)
        info = Info()
        check(lib.systole_info(self.handle, ctypes.byref(info)))
        self.name = name
        self.precision = info.precision.decode()
        self.array_size = info.array_size
        self.clock_mhz = info.clock_mhz

    def __repr__(self):
        array = f", {self.array_size} x {self.array_size}" if self.array_size else ""
        return f"<systole.Device {self.name}{array}, {self.precision}>"


def cores_environment(device, cores, *, configuration=None, array_size=0, threads=0, precision=None):
    """The variables that tell a plugin which device this process's cores are.

    Errors  InvalidArgument
    """
    if not 1 <= cores <= 8:
        raise InvalidArgument(f"{cores} cores: a process has 1 to 8")
    Device(
        device,
        configuration=configuration,
        array_size=array_size,
        threads=threads,
        precision=precision,
    )
    chosen = {
        "SYSTOLE_DEVICE": f"{device}:{cores}",
        "SYSTOLE_CONFIGURATION": configuration,
        "SYSTOLE_ARRAY_SIZE": array_size,
        "SYSTOLE_THREADS": threads,
        "SYSTOLE_PRECISION": precision,
    }
    return {variable: str(value or "") for variable, value in chosen.items()}


STALLS = ("load", "store", "weights", "sums", "idle")


@dataclasses.dataclass(frozen=True)
class Step:
    """What one run did. Clocks are exact on model and rtl, and 0 on cpu.

    stalls: clocks in which no row entered the array, by cause; utilization: macs / (clocks * N * N);
    on_host: why a program of JAX's platform `systole` does not run whole on its device, or "".
    """

    device: str
    clocks: int
    products: int
    macs: int
    utilization: float
    stalls: dict
    seconds: float
    on_host: str = ""

    @classmethod
    def of(cls, device, step, on_host=""):
        """From the C library's systole_step."""
        return cls(
            device=device,
            clocks=step.clocks,
            products=step.products,
            macs=step.macs,
            utilization=step.utilization,
            stalls={cause: getattr(step, "stall_" + cause) for cause in STALLS},
            seconds=step.seconds,
            on_host=on_host,
        )


_last_step = None
_news = []  # of record_from


def last_step():
    """The last run of this process, or None.

    On JAX's platform `systole` it is that of a program with products or donated arguments that it
    updates; before the first of these, of any program.
    """
    global _last_step
    for new in _news:
        _last_step = new() or _last_step
    return _last_step


def record(step):
    global _last_step
    for new in _news:
        new()  # is older
    _last_step = step


def record_from(new):
    """Adds a function that returns a Step of a run since it was last called, or None."""
    _news.append(new)
