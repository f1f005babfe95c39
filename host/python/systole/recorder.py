"""Keras's callback that measures each step of a training and writes the record of `systole report`."""

import time

import numpy
from keras.callbacks import Callback
from keras.metrics import Mean

from systole import library, training_record
from systole.device import STALLS, Step, record
from systole.library import InvalidArgument
from systole.plugin import counters

_COUNTS = [name for name, _ in library.Step._fields_ if name != "utilization"]


class Recorder(Callback):
    """Prints clocks, utilization and stalls beside the progress bar, and writes a record after training.

    In the logs, and so in History: clocks of a step, utilization of the array, and by cause the share
    of clocks in which no row entered it (stall_load, ...). An epoch's are means over its steps. Nothing
    is added where no clocks are counted: on the device cpu, and on TensorFlow's own CPU.

    path     the record for `systole report` (docs/records.md); None for none
    model    names of the network and of the data set: the report compares records that agree in both
    dataset
    steps    systole.Step of each step: sums over the cores, and the step's wall time
    Errors   InvalidArgument for a path without names, a model compiled without accuracy or with
             several steps per execution
    """

    def __init__(self, path=None, *, model=None, dataset=None):
        super().__init__()
        if path is not None and not (model and dataset):
            raise InvalidArgument("a record needs names: Recorder(path, model=..., dataset=...)")
        self.path, self.network, self.dataset = path, model, dataset

    def on_train_begin(self, logs=None):
        if getattr(self.model, "steps_per_execution", 1) != 1:
            raise InvalidArgument("steps cannot be told apart: compile with steps_per_execution=1")
        self.steps, self.losses, self.epochs = [], [], []
        self.host_seconds, self.slowest_clocks = [], 0
        self.core_clocks, self.core = {}, None
        self.batch_size = self.samples = 0

    def on_epoch_begin(self, epoch, logs=None):
        self._first = len(self.steps)
        self._loss_sum = self._loss_count = 0.0

    def on_train_batch_begin(self, batch, logs=None):
        self._before = _counts()
        self._began = time.perf_counter()

    def on_train_batch_end(self, batch, logs=None):
        seconds = time.perf_counter() - self._began
        cores = _since(self._before)
        total = {name: sum(core[name] for core in cores) for name in _COUNTS}
        used = sum(core["calls"] for core in cores) > 0
        if used:
            self.core = counters()[0].core
        self.host_seconds.append(max(0.0, seconds - max(core["seconds"] for core in cores)) if used else 0.0)
        self.slowest_clocks += max((core["clocks"] for core in cores), default=0)
        for i, core in enumerate(cores):
            self.core_clocks[i] = self.core_clocks.get(i, 0) + core["clocks"]
        self.steps.append(self._step(total, seconds))
        record(self.steps[-1])
        self._add_loss()
        if self.path is not None and logs is not None:
            _accuracy(logs)
        _add(logs, self.steps[-1:])

    def on_epoch_end(self, epoch, logs=None):
        steps = self.steps[self._first :]
        _add(logs, steps)
        self.samples = max(self.samples, int(self._loss_count))
        if self.path is not None:
            self.epochs.append(
                {
                    "loss": logs["loss"],
                    "accuracy": _accuracy(logs),
                    "val_loss": logs.get("val_loss"),
                    "val_accuracy": _accuracy(logs, "val_") if "val_loss" in logs else None,
                    "wall_seconds": sum(step.seconds for step in steps),
                }
            )

    def on_train_end(self, logs=None):
        if self.path is not None and self.steps:
            training_record.write(self.path, training_record.of(self))

    def _step(self, total, seconds):
        stalls = {cause: total["stall_" + cause] for cause in STALLS}
        most = total["clocks"] * self.core.array_size**2 if self.core else 0
        return Step(
            device=self.core.name.decode() if self.core else "tensorflow",
            clocks=total["clocks"],
            products=total["products"],
            macs=total["macs"],
            utilization=total["macs"] / most if most else 0.0,
            stalls=stalls,
            seconds=seconds,
        )

    def _add_loss(self):
        """Keras reports the epoch's mean so far; its sum and count give the step's."""
        mean = next(metric for metric in self.model.metrics if isinstance(metric, Mean))
        loss_sum, count = float(numpy.asarray(mean.total)), float(numpy.asarray(mean.count))
        samples = count - self._loss_count
        self.losses.append((loss_sum - self._loss_sum) / samples)
        self.batch_size = max(self.batch_size, int(samples))
        self._loss_sum, self._loss_count = loss_sum, count


def _counts():
    """What each core has done since it was opened."""
    return [
        {"calls": core.calls} | {name: getattr(core.done, name) for name in _COUNTS} for core in counters()
    ]


def _since(before):
    after = _counts()
    before = before + [dict.fromkeys(core, 0) for core in after[len(before) :]]
    return [{name: core[name] - old[name] for name in core} for core, old in zip(after, before)]


def _add(logs, steps):
    """Adds the steps' means to Keras's logs."""
    clocks = sum(step.clocks for step in steps)
    if not clocks or logs is None:
        return
    logs["clocks"] = clocks / len(steps)
    logs["utilization"] = sum(step.utilization * step.clocks for step in steps) / clocks
    for cause in STALLS:
        logs["stall_" + cause] = sum(step.stalls[cause] for step in steps) / clocks


def _accuracy(logs, prefix=""):
    for name, value in logs.items():
        if name.startswith(prefix) and name.removeprefix(prefix).endswith(("accuracy", "acc")):
            if bool(prefix) or not name.startswith("val_"):
                return value
    raise InvalidArgument("a record needs the accuracy: compile with metrics=['accuracy']")
