#!/usr/bin/env python3
"""Times SciPy's or CuPy's cg with Jacobi's preconditioner and prints the figures as JSON.

    peer_cg.py CASE ITERATIONS [--peer scipy|cupy] [--rounds N]

CASE is a Matrix Market file, plain, .gz or .zst, or 7-point:N or 27-point:N of furrow bench. As in
furrow bench, b = A u for the numbers u of docs/numerics.md. The first tenth of the iterations is not
timed, and the residual is taken after 20 iterations.
"""

import argparse
import inspect
import json
import statistics
import time

import numpy
import scipy.sparse
import systems

CHECKED = 20


def on_host():
    import scipy.sparse.linalg as linalg

    return numpy, scipy.sparse, linalg, lambda: None, scipy.__version__


def on_gpu():
    import cupy
    import cupyx.scipy.sparse as sparse
    import cupyx.scipy.sparse.linalg as linalg

    wait = cupy.cuda.get_current_stream().synchronize
    return cupy, sparse, linalg, wait, cupy.__version__


PEERS = {"scipy": on_host, "cupy": on_gpu}


class Race:
    def __init__(self, peer, a):
        self.array, sparse, self.linalg, self.wait, self.version = PEERS[peer]()
        u = systems.numbers(a.shape[0])
        self.b = self.array.asarray(a @ u)
        self.inverse = self.array.asarray(1 / a.diagonal())
        self.a = sparse.csr_matrix(a)

    def precondition(self, r):
        return self.inverse * r.ravel()

    def run(self, iterations):
        """Returns the seconds of an iteration, and x."""
        warm = iterations // 10
        seen = 0
        begin = 0

        def watch(_):
            nonlocal seen, begin
            seen += 1
            if seen == warm:
                self.wait()
                begin = time.perf_counter()

        named = inspect.signature(self.linalg.cg).parameters
        tolerance = "rtol" if "rtol" in named else "tol"
        jacobi = self.linalg.LinearOperator(self.a.shape, self.precondition, dtype=self.b.dtype)
        x, _ = self.linalg.cg(self.a, self.b, M=jacobi, maxiter=iterations, atol=0, callback=watch,
                              **{tolerance: 1e-200})
        self.wait()
        return (time.perf_counter() - begin) / (iterations - warm), x

    def residual(self, x):
        norm = self.array.linalg.norm
        return float(norm(self.b - self.a @ x) / norm(self.b))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case")
    parser.add_argument("iterations", type=int)
    parser.add_argument("--peer", choices=PEERS, default="scipy")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    a = systems.matrix(options.case)
    race = Race(options.peer, a)
    _, x = race.run(CHECKED)
    seconds = [race.run(options.iterations)[0] for _ in range(options.rounds)]
    print(json.dumps({"peer": options.peer, "version": race.version, "case": options.case,
                      "rows": a.shape[0], "entries": a.nnz, "iterations": options.iterations,
                      "residual": race.residual(x), "seconds": statistics.median(seconds)}))


if __name__ == "__main__":
    main()
