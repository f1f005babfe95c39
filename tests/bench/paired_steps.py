#!/usr/bin/env python3
"""How long a compiled step on `model` takes, beside the same step on `cpu`.

    cmake --build --preset dev --target bench_steps
    scripts/python python tests/bench/paired_steps.py
    scripts/python python tests/bench/paired_steps.py mnist-mlp --threads 2 --most 1.3

Both train in turns, in processes of their own and with an empty cache. A line shows the wall and processor
seconds of the first step on `model`, the medians of a later step in ms, the median ratio of all pairs with the
least and the greatest, and the machine's load. Processor times count, which other programs disturb least.
Exit codes: 0; 1 a median ratio is above --most.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

STEPS = {"mnist-mlp": 40, "fashion-cnn": 8, "mnist-cnn": 8, "cifar10-cnn": 2}
WARM_UP = 2


def start(device, options, cache):
    words = [options.bench, device, f"--threads={options.threads}", f"--batch-size={options.batch_size}"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(words, env={**os.environ, "SYSTOLE_CACHE_DIR": cache}, text=True, **pipes)


def ask(process, model, steps):
    """The wall and processor seconds of a step."""
    print(model, steps, file=process.stdin, flush=True)
    answer = process.stdout.readline().split()
    if answer[:1] != ["seconds"]:
        sys.exit(f"{' '.join(process.args)} has ended")
    return tuple(map(float, answer[1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="*", default=list(STEPS), metavar="MODEL", help=", ".join(STEPS))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--most", type=float, default=float("inf"), help="the greatest ratio that is well")
    parser.add_argument("--bench", default="build/bin/bench_steps")
    options = parser.parse_args()
    too_slow = False
    with tempfile.TemporaryDirectory() as cache:
        processes = {device: start(device, options, cache) for device in ("cpu", "model")}
        for model in options.models:
            wall, processor = [ask(process, model, 1) for process in processes.values()][-1]
            for process in processes.values():
                ask(process, model, WARM_UP)
            pairs = [
                [ask(process, model, STEPS[model])[1] for process in processes.values()]
                for _ in range(options.pairs)
            ]
            ratios = [on_model / on_cpu for on_cpu, on_model in pairs]
            on_cpu, on_model = (1e3 * statistics.median(times) for times in zip(*pairs))
            ratio = statistics.median(ratios)
            too_slow = too_slow or ratio > options.most
            print(
                f"{model}: first step {wall:.1f} s ({processor:.1f} s of processor); cpu {on_cpu:.2f} ms, "
                f"model {on_model:.2f} ms, ratio {ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f}), "
                f"load {os.getloadavg()[0]:.1f}",
                flush=True,
            )
    return int(too_slow)


if __name__ == "__main__":
    sys.exit(main())
