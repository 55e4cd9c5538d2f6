"""Linear systems for scripts that compare furrow with SciPy, read and made without furrow."""

import io
import subprocess

import numpy
import scipy.io
import scipy.sparse as sparse


def numbers(count):
    """Returns u(1), u(2), ... of docs/numerics.md, rounded to f64."""
    k = numpy.arange(1, count + 1, dtype=numpy.uint64)
    hashed = (k * numpy.uint64(2654435761)) & numpy.uint64(0xFFFFFFFF)
    return (hashed.astype(float) - 2.0**31) / (3 * 2.0**31)


def laplacian(points, n):
    """Returns the matrix for 7-point:N or 27-point:N of furrow bench."""
    one = sparse.identity(n)
    ends = sparse.diags([1.0, 1.0], [-1, 1], shape=(n, n))
    if points == 27:
        box = one + ends
        return (27 * sparse.identity(n**3) - sparse.kron(sparse.kron(box, box), box)).tocsr()
    line = 2 * one - ends
    flat = sparse.kron(one, line) + sparse.kron(line, one)
    return (sparse.kron(one, flat) + sparse.kron(line, sparse.identity(n * n))).tocsr()


def read(path):
    """Reads the matrix or dense array of a Matrix Market file. SciPy decompresses .gz itself."""
    if str(path).endswith(".zst"):
        text = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout
        return scipy.io.mmread(io.BytesIO(text))
    return scipy.io.mmread(path)


def matrix(case):
    """Returns the matrix of a case in double precision, stored by rows."""
    points, _, n = str(case).partition("-point:")
    if n:
        return laplacian(int(points), int(n))
    found = sparse.csr_matrix(read(case))
    found = found.astype(complex if numpy.iscomplexobj(found) else float)
    found.sum_duplicates()
    return found
