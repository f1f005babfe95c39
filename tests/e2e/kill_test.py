#!/usr/bin/env python3
"""Kills trainings at random moments, resumes them, and compares with one that was left alone.

  kill_test.py SYSTOLE [ROUNDS] [SEED]

Facts: SIGKILL at any moment, then --resume, gives the same losses and weights, to the last bit; the
checkpoint is whole after every kill, and what a kill left beside the files is gone after the next
run. Ctrl-C, SIGTERM and SIGHUP save and exit with 128 + signal, and what they save resumes to the
same; under nohup a SIGHUP does nothing. A disk that is full leaves the checkpoint of before.
"""

import json
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EPOCHS, IMAGES, BATCH = 4, 1000, 32
LEFT_ALONE = "whole.safetensors"


def write_set(folder, numbers):
    """MNIST's four files, of noise in which the label shows."""
    folder.mkdir()
    for part, count in (("train", IMAGES), ("t10k", 50)):
        labels = bytes(numbers.randrange(10) for _ in range(count))
        images = bytearray(numbers.randbytes(784 * count))
        for i, label in enumerate(labels):
            images[784 * i + 56 * label:784 * i + 56 * label + 28] = b"\xff" * 28
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, count) + labels)
        (folder / f"{part}-images-idx3-ubyte").write_bytes(
            struct.pack(">IIII", 0x803, count, 28, 28) + bytes(images))


class Trainer:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.checkpoint = folder / "run.safetensors"

    def start(self, record, *more, **how):
        words = [self.program, "train", "mnist-mlp", "--dataset", "mnist", "--data-dir",
                 self.folder / "data", "--device", "cpu", "--threads", "1", "--batch-size", str(BATCH),
                 "--epochs", str(EPOCHS), "--json", self.folder / record, *more]
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, **how)

    def resumable(self, record, *more, **how):
        resume = ["--resume", self.checkpoint] if self.checkpoint.exists() else []
        return self.start(record, "--checkpoint", self.checkpoint, "--checkpoint-every", "2", *resume,
                          *more, **how)

    def outcome(self, record):
        run = json.loads((self.folder / record).read_text())
        return run["losses"], run["result_checksum"]


def need(fact, words):
    if not fact:
        sys.exit(f"kill_test: {words}")


def finish(process, words):
    errors = process.communicate()[1]
    need(process.returncode == 0, f"{words} ended with {process.returncode}: {errors[-300:]}")


def steps_saved(path):
    """Losses in a checkpoint: also a reader of the format that shares no code with the writer."""
    data = path.read_bytes()
    header = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
    begin, end = header["history/losses"]["data_offsets"]
    return (end - begin) // 8


def main():
    program, rounds, seed = sys.argv[1], int((sys.argv[2:] or ["8"])[0]), int((sys.argv[3:] or ["1"])[0])
    numbers = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        trainer = Trainer(program, Path(name))
        write_set(trainer.folder / "data", numbers)
        leftovers = [trainer.folder / f".{name}.partial-999999999" for name in ("whole.json", LEFT_ALONE)]
        for path in leftovers:
            path.write_text("half")
        began = time.monotonic()
        finish(trainer.start("whole.json", "--checkpoint", trainer.folder / LEFT_ALONE),
               "the run that is left alone")
        seconds = time.monotonic() - began
        need(not any(path.exists() for path in leftovers), "what a killed run left is still there")
        (trainer.folder / LEFT_ALONE).unlink()
        whole = trainer.outcome("whole.json")
        steps = len(whole[0])

        kills = landed = 0
        for number in range(rounds):
            trainer.checkpoint.unlink(missing_ok=True)
            while True:
                process = trainer.resumable("part.json")
                time.sleep(numbers.uniform(0, 0.7 * seconds))
                process.kill()
                errors = process.communicate()[1]
                need(process.returncode in (0, -signal.SIGKILL),
                     f"a resumed run ended with {process.returncode}: {errors[-300:]}")
                if process.returncode == 0:
                    break
                kills += 1
                landed += trainer.checkpoint.exists() and steps_saved(trainer.checkpoint) < steps
                # Nothing is left to do where it died between its last save and its end.
                if trainer.checkpoint.exists() and steps_saved(trainer.checkpoint) == steps:
                    break
            if process.returncode == 0:
                need(trainer.outcome("part.json") == whole, f"round {number} gave other losses")
            need(not list(trainer.folder.glob(".run.safetensors.partial-*")) or kills,
                 "a finished run left a temporary file")
        need(landed > 0, "no kill fell between a checkpoint and the end: nothing was shown")

        def interrupted(ending, **how):
            trainer.checkpoint.unlink(missing_ok=True)
            process = trainer.resumable("part.json", **how)
            while not trainer.checkpoint.exists():
                time.sleep(0.005)
            process.send_signal(ending)
            return process

        ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
        finish(interrupted(signal.SIGHUP, preexec_fn=ignore), "the run under nohup")
        for ending in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            process = interrupted(ending)
            errors = process.communicate()[1]
            need(process.returncode == 128 + ending and "continue with --resume" in errors,
                 f"{ending.name} ended with {process.returncode}: {errors[-300:]}")
            need(0 < steps_saved(trainer.checkpoint) < steps,
                 f"{ending.name} came too late to show anything")
        before = trainer.checkpoint.read_bytes()

        small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2,) * 2)
        full = trainer.resumable("part.json", preexec_fn=small)
        errors = full.communicate()[1]
        need(full.returncode == 1 and "cannot write" in errors,
             f"a full disk ended with {full.returncode}: {errors[-300:]}")
        need(trainer.checkpoint.read_bytes() == before, "a full disk spoilt the checkpoint")
        finish(trainer.resumable("part.json"), "the run after Ctrl-C and a full disk")
        need(trainer.outcome("part.json") == whole, "the run after Ctrl-C gave other losses")
        left = sorted(path.name for path in trainer.folder.iterdir())
        need(left == ["data", "part.json", "run.safetensors", "whole.json"], f"files left: {left}")
        print(f"kill_test: {rounds} trainings of {steps} steps, killed {kills} times, {landed} of them "
              "with steps to come: the same losses and weights each time")


if __name__ == "__main__":
    os.environ.pop("SYSTOLE_DATA_DIR", None)
    main()
