"""A reader returns what was written. An error about a malformed file names the place. Ctrl-C ends reading."""

import gzip
import io
import os

import furrow
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from conftest import DTYPES, interrupted_after, random_matrix


@pytest.mark.parametrize("suffix", [".mtx", ".mtx.gz", ".mtx.zst", ".fur"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_written_is_read(rng, tmp_path, suffix, dtype):
    a = furrow.csr(random_matrix(rng, 30, 20, dtype=dtype))
    path = tmp_path / ("a" + suffix)
    furrow.write(path, a)
    assert furrow.read(path, dtype=None if suffix == ".fur" else dtype) == a
    if suffix != ".fur":
        assert furrow.read(path).dtype == (np.float64 if a.dtype.kind == "f" else np.complex128)
    header = furrow.read_header(path)
    assert (header.rows, header.cols, header.entries) == (30, 20, a.nnz)
    if suffix == ".fur":
        assert furrow.read(path, map=True) == a


def test_symmetric_files(rng, tmp_path):
    a = random_matrix(rng, 20, 20)
    a = furrow.csr(a + a.T)
    for suffix in (".mtx", ".fur"):
        furrow.write(tmp_path / ("a" + suffix), a, symmetry="symmetric")
        assert furrow.read(tmp_path / ("a" + suffix)) == a
    lower = furrow.read(tmp_path / "a.mtx", keep_triangle=True)
    np.testing.assert_array_equal(lower.toarray(), np.tril(a.toarray()))
    with pytest.raises(furrow.Invalid, match="symmetric"):
        furrow.write(tmp_path / "b.mtx", furrow.csr(np.array([[0.0, 1.0], [2.0, 0.0]])), symmetry="symmetric")
    assert not (tmp_path / "b.mtx").exists()


def test_a_malformed_file_is_said_with_its_place(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 x 1.0\n")
    with pytest.raises(furrow.Malformed) as failure:
        furrow.read(path)
    assert isinstance(failure.value, ValueError) and failure.value.status == "malformed file"
    assert (failure.value.path, failure.value.line, failure.value.column) == (str(path), 4, 3)
    assert "expected" in failure.value.sentence


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file") as failure:
        furrow.read(tmp_path / "nonesuch.mtx")
    assert isinstance(failure.value, furrow.IoError)
    with pytest.raises(OSError) as failure:
        furrow.read(tmp_path)
    assert isinstance(failure.value, furrow.IoError)
    with pytest.raises(OSError):
        furrow.write(tmp_path / "no" / "a.mtx", furrow.csr(np.eye(2)))


def test_suspicious_content_is_a_warning(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text("%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n1 1 2.0\n")
    with pytest.warns(furrow.FileWarning, match="%MatrixMarket"):
        assert furrow.read(path)[0, 0] == 3
    with pytest.warns(furrow.FileWarning):
        assert furrow.read(path, duplicates="last")[0, 0] == 2
    with pytest.raises(furrow.Malformed):
        furrow.read(path, strict=True)
    with pytest.raises(ValueError):
        furrow.read(path, duplicates="error")


def test_limits(tmp_path):
    path = tmp_path / "a.mtx"
    furrow.write(path, furrow.csr(sp.eye_array(100, format="csr")))
    with pytest.raises(furrow.Overflow, match="100"):
        furrow.read(path, limits=furrow.Limits(entries=10))


def long_file(path, rows=400_000):
    """Writes a file that takes about a second to read."""
    line = b"".join(b"%d %d 1.2345678901234567e-3\n" % (i + 1, (7 * i) % rows + 1) for i in range(rows))
    with open(path, "wb") as file:
        file.write(b"%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n" % (rows, rows, 10 * rows))
        for _ in range(10):
            file.write(line)


def test_progress_and_stopping(tmp_path):
    path = tmp_path / "a.mtx"
    long_file(path)
    told = []
    furrow.read(path, progress=lambda done, total: told.append((done, total)))
    assert told and told[-1][1] == os.path.getsize(path)
    with pytest.raises(furrow.Cancelled):
        furrow.read(path, progress=lambda done, total: True)
    with pytest.raises(ZeroDivisionError):
        furrow.read(path, progress=lambda done, total: 1 / 0)


def test_ctrl_c_ends_reading(tmp_path):
    """Ctrl-C ends reading a file. docs/results/python.md has the delays."""
    path = tmp_path / "a.mtx"
    long_file(path)

    with interrupted_after(0.02), pytest.raises(KeyboardInterrupt) as raised:
        for _ in range(100):
            furrow.read(path, threads=1)
    assert "read" in [entry.name for entry in raised.traceback]


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("kind", ["d", "D", "l", "Q"])
def test_mmread_gives_what_scipys_gives(rng, tmp_path, symmetry, kind):
    if kind == "Q" and symmetry == "skew-symmetric":
        pytest.skip("unsigned")
    dense = rng.integers(0, 5, (12, 12)).astype(kind) * (1 + 2j if kind == "D" else 1)
    if symmetry != "general":
        dense = dense + dense.T if symmetry == "symmetric" else dense - dense.T
    for a in (dense, sp.coo_array(dense), sp.csr_matrix(dense)):
        target = io.BytesIO()
        furrow.io.mmwrite(target, a)
        text = target.getvalue()
        theirs, ours = (read(io.BytesIO(text), spmatrix=True) for read in (scipy.io.mmread, furrow.io.mmread))
        assert type(ours) is type(theirs) and ours.dtype == theirs.dtype
        theirs, ours = (m.toarray() if sp.issparse(m) else m for m in (theirs, ours))
        np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(ours, dense)
        assert furrow.io.mminfo(io.BytesIO(text)) == scipy.io.mminfo(io.BytesIO(text))


def test_integers_are_exact(tmp_path):
    path = tmp_path / "a.mtx.gz"
    with gzip.open(path, "wt") as file:
        file.write(f"%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 {2**63 - 1}\n2 1 {-(2**53) - 1}\n")
    assert furrow.io.mmread(path, spmatrix=False).toarray()[:, 0].tolist() == [2**63 - 1, -(2**53) - 1]


def test_what_mmread_gives_may_be_written_to(tmp_path):
    path = tmp_path / "a.mtx"
    furrow.io.mmwrite(path, sp.eye_array(3, format="coo"))
    a = furrow.io.mmread(path, spmatrix=False)
    a.data[0] = 5
    assert a.toarray()[0, 0] == 5
