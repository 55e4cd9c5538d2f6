"""Tensors of torch and vectors of the package share memory in both directions. A double replaces torch if it is
missing."""

import sys
import types

import furrow
import numpy as np
import pytest
from conftest import DTYPES, address, random_matrix


class Tensor:
    """A double of torch's tensor on the host. It wraps a NumPy array."""

    is_cuda = False

    def __init__(self, array):
        self.array = array
        self.dtype = f"torch.{array.dtype}"
        self.shape = array.shape

    def detach(self):
        return self

    def numpy(self):
        return self.array

    def max(self):
        return self.array.max()

    def __len__(self):
        return len(self.array)


class SparseTensor:
    def __init__(self, indptr, indices, data, size):
        self.parts = indptr, indices, data
        self.shape = size

    def detach(self):
        return self

    def crow_indices(self):
        return self.parts[0]

    def col_indices(self):
        return self.parts[1]

    def values(self):
        return self.parts[2]


Tensor.__module__ = SparseTensor.__module__ = "torch"


@pytest.fixture
def torch(monkeypatch):
    module = types.ModuleType("torch")
    module.from_numpy = Tensor
    module.sparse_csr_tensor = lambda indptr, indices, data, size: SparseTensor(indptr, indices, data, size)
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


@pytest.mark.parametrize("dtype", DTYPES)
def test_tensors_are_shared(rng, torch, dtype):
    a = random_matrix(rng, 8, 6, 0.4, dtype)
    f = furrow.csr(a)
    t = f.to_torch()
    for part, array in zip(t.parts, (a.indptr, a.indices, a.data), strict=True):
        assert address(part.numpy()) == address(array)
    g = furrow.csr(t, copy=False)
    assert g == f and address(g.data) == address(a.data)
    wide = SparseTensor(Tensor(a.indptr.astype(np.int64)), Tensor(a.indices.astype(np.int64)), t.parts[2], a.shape)
    assert furrow.csr(wide) == f
    with pytest.raises(ValueError, match="indices cannot be shared"):
        furrow.csr(wide, copy=False)


def test_results_are_tensors(rng, torch):
    a = random_matrix(rng, 8, 8) + 4 * np.eye(8)
    f = furrow.csr(a)
    x = rng.standard_normal(8)
    for y in (f @ Tensor(x), f.plan()(Tensor(x))):
        assert type(y) is Tensor
        np.testing.assert_array_equal(y.numpy(), f @ x)
    out = Tensor(np.empty(8))
    assert f.plan()(Tensor(x), out=out) is out
    np.testing.assert_array_equal(out.numpy(), f @ x)
    solution, info = furrow.gmres(f, Tensor(x), rtol=1e-10)
    assert info == 0 and type(solution) is Tensor
