#!/usr/bin/env python3
"""Runs furrow bench solve and a peer of peer_cg.py in turns; prints a Markdown table.

    compare_cg.py FURROW CASE... [--peer scipy|cupy] [--rounds N] [--python PYTHON] [ARGUMENT...]

Other arguments, such as --device cuda or --threads 2, go to furrow. The ratio is the peer's time for
an iteration over furrow's, as the median over the rounds. Both must have the same residual after 20
iterations. The last column is the processor time of other programs. If it is not near 0, the line
is unreliable.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

# Largest difference of both residuals, relative to one of them and to b.
AGREEMENT = 1e-6
ROUNDING = 1e-12


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def others_seconds():
    """Returns the processor seconds that other programs have used, over all cores."""
    with open("/proc/stat", encoding="ascii") as stat:
        ticks = [int(field) for field in stat.readline().split()[1:]]
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    idle = ticks[3] + ticks[4]
    return (sum(ticks[:8]) - idle) / os.sysconf("SC_CLK_TCK") - own.ru_utime - own.ru_stime


def compare(options, passed, case):
    """Returns a line of the table."""
    begin = time.monotonic()
    before = others_seconds()
    bench = [options.furrow, "bench", "solve", case, "--json", "--rounds", "3", *passed]
    script = pathlib.Path(__file__).with_name("peer_cg.py")
    own, peers = [], []
    for _ in range(options.rounds):
        result = run(bench)["results"][0]
        own.append(result["contenders"][0])
        peer = run([options.python, script, case.removesuffix(":stencil"),
                    str(result["iterations"]), "--peer", options.peer])
        peers.append(peer["seconds"])
        if abs(peer["residual"] - result["residual"]) > AGREEMENT * result["residual"] + ROUNDING:
            sys.exit(f"{case}: residual {result['residual']} of furrow after 20 iterations, "
                     f"{peer['residual']} of {options.peer}")
    others = (others_seconds() - before) / (time.monotonic() - begin) / os.cpu_count()
    seconds = [line["seconds"] for line in own]
    plain = [line["ratio"] for line in own]
    ratios = [slow / fast for slow, fast in zip(peers, seconds)]
    per_row = own[0]["bytes"] / result["rows"]
    return [pathlib.Path(case).name, f"{result['rows']:.0f}", result["entries"],
            f"{1e6 * statistics.median(seconds):.1f}", f"{per_row:.0f}",
            f"{100 * statistics.median(line['of_copy'] for line in own):.0f} %",
            f"{statistics.median(plain):.2f}", f"{1e6 * statistics.median(peers):.1f}",
            f"{statistics.median(ratios):.2f}", f"{100 * max(others, 0):.0f} %"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("furrow")
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--peer", choices=("scipy", "cupy"), default="scipy")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", default=sys.executable)
    options, passed = parser.parse_known_args()
    heads = ["case", "rows", "entries", "us", "B/row", "of copy", "over the first peer",
             f"{options.peer} us", f"over {options.peer}", "others"]
    print("|", " | ".join(heads), "|")
    print("|" + "---|" * len(heads))
    for case in options.cases:
        print("|", " | ".join(map(str, compare(options, passed, case))), "|", flush=True)


if __name__ == "__main__":
    main()
