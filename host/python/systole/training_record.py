"""The record of a training in Keras, as docs/records.md says and `systole report` reads."""

import hashlib
import json
import os
import pathlib

import keras
import numpy
import tensorflow as tf
from keras.src.utils import rng_utils

from systole.device import STALLS

_SCHEMA = 2


def of(run):
    """The record of a Recorder whose training has ended."""
    clocked = run.core is not None and run.core.array_size > 0
    seconds = [step.seconds for step in run.steps]
    checksum = _checksum(run.model.get_weights())
    return {
        "command": "train",
        "schema": _SCHEMA,
        "model": run.network,
        "dataset": run.dataset,
        "config": _config(run, clocked),
        "machine": {"processor": _processor(), "threads": os.cpu_count()},
        "samples": run.samples,
        "parameter_count": run.model.count_params(),
        **_counters(run, clocked),
        "wall_seconds": sum(seconds),
        "host_seconds": sum(run.host_seconds),
        "first_step_seconds": seconds[0],
        "later_step_seconds": sum(seconds[1:]) / max(1, len(seconds) - 1),
        "fastest_tenth_step_seconds": _fastest_tenth(seconds),
        "fastest_tenth_host_seconds": _fastest_tenth(run.host_seconds),
        "epochs": run.epochs,
        "losses": run.losses,
        "test_loss": None,
        "accuracy": None,
        "result_checksum": checksum,
        "mark_step": len(run.steps),
        "mark_checksum": checksum,
    }


def write(path, record):
    """Whole or not at all."""
    path = pathlib.Path(path)
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(record, indent=2, allow_nan=False) + "\n")
    part.replace(path)


def _config(run, clocked):
    core, optimizer = run.core, run.model.optimizer
    config = {
        "framework": f"tensorflow {tf.__version__}, keras {keras.__version__}",
        "device": core.name.decode() if core else "tensorflow",
        "type": core.precision.decode() if core else _type(run.model),
        "threads": core.threads if core else _threads(),
        "array": core.array_size if clocked else None,
        "memory": core.memory.decode() if clocked else None,
        "clock_mhz": core.clock_mhz if clocked else None,
        "clock_source": core.clock_source.decode() if clocked else None,
        "batch_size": run.batch_size,
        "epochs": len(run.epochs),
        "steps_per_epoch": len(run.steps) // len(run.epochs),
        "optimizer": optimizer.name,
        "learning_rate": float(numpy.asarray(optimizer.learning_rate)),
        "seed": rng_utils.get_random_seed() or 0,
        "resumed": False,
    }
    name = os.environ.get("SYSTOLE_CONFIGURATION")
    changed = os.environ.get("SYSTOLE_ARRAY_SIZE", "0") not in ("", "0")
    return config | ({"configuration": name} if core and name and not changed else {})


def _counters(run, clocked):
    macs = sum(step.macs for step in run.steps)
    cores = {"count": max(1, len(run.core_clocks)) if run.core else 1, "ranks": 1}
    if not clocked:
        unknown = dict.fromkeys(("cycles", "utilization", "stalls", "device_seconds"))
        return unknown | {"macs": macs, "cores": cores}
    clocks = sum(step.clocks for step in run.steps)
    return {
        "cycles": clocks,
        "macs": macs,
        "utilization": macs / (clocks * run.core.array_size**2) if clocks else 0.0,
        "stalls": {cause: sum(step.stalls[cause] for step in run.steps) for cause in STALLS},
        "device_seconds": run.slowest_clocks / (run.core.clock_mhz * 1e6),
        "cores": cores
        | {"cycles": list(run.core_clocks.values()), "slowest_cycles": run.slowest_clocks},
    }


def _fastest_tenth(seconds):
    return sorted(seconds)[len(seconds) // 10]


def _checksum(weights):
    """Of the weights' bits, in Keras's order."""
    checksum = hashlib.blake2b(digest_size=8)
    for values in weights:
        checksum.update(numpy.ascontiguousarray(values).tobytes())
    return checksum.hexdigest()


def _type(model):
    return {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}[model.compute_dtype]


def _threads():
    return tf.config.threading.get_intra_op_parallelism_threads() or os.cpu_count()


def _processor():
    with open("/proc/cpuinfo") as lines:
        names = [line.split(": ", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown"
