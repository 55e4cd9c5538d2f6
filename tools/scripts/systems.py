"""Linear systems for the scripts that compare furrow with SciPy, read and made without furrow."""

import io
import subprocess

import numpy
import scipy.io
import scipy.sparse as sparse


def numbers(count):
    """u(1), u(2), ... of docs/numerics.md, rounded to f64."""
    k = numpy.arange(1, count + 1, dtype=numpy.uint64)
    hashed = (k * numpy.uint64(2654435761)) & numpy.uint64(0xFFFFFFFF)
    return (hashed.astype(float) - 2.0**31) / (3 * 2.0**31)


def laplacian(points, n):
    """The matrix of furrow bench's 7-point:N or 27-point:N."""
    one = sparse.identity(n)
    ends = sparse.diags([1.0, 1.0], [-1, 1], shape=(n, n))
    if points == 27:
        box = one + ends
        return (27 * sparse.identity(n**3) - sparse.kron(sparse.kron(box, box), box)).tocsr()
    line = 2 * one - ends
    flat = sparse.kron(one, line) + sparse.kron(line, one)
    return (sparse.kron(one, flat) + sparse.kron(line, sparse.identity(n * n))).tocsr()


def read(path):
    """The matrix or dense array of a Matrix Market file; .gz is left to SciPy."""
    if str(path).endswith(".zst"):
        text = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout
        return scipy.io.mmread(io.BytesIO(text))
    return scipy.io.mmread(path)


def matrix(case):
    """The matrix of a case, in double precision, by rows."""
    points, _, n = str(case).partition("-point:")
    if n:
        return laplacian(int(points), int(n))
    found = sparse.csr_matrix(read(case))
    found = found.astype(complex if numpy.iscomplexobj(found) else float)
    found.sum_duplicates()
    return found
