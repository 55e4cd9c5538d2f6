"""Converts matrices for SciPy, CuPy and torch, in the same memory if they can read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._csr import Csr


def to_scipy(a: Csr, copy: bool) -> Any:
    """Returns a csr_array.

    SciPy requires one dtype for both index arrays. If the offsets must be int64, the columns become int64, too.
    """
    from scipy.sparse import csr_array

    data, indices, indptr = a._arrays()
    if copy:
        data, indices, indptr = data.copy(), indices.copy(), indptr.copy()
    if indptr.dtype == np.int64 and a.nnz > np.iinfo(np.int32).max:
        indices = indices.astype(np.int64)
    made = csr_array((data, indices, indptr), shape=a.shape, copy=False)
    made.has_canonical_format = True
    return made


def to_cupy(a: Csr) -> Any:
    """Returns a csr_matrix on CuPy's current device."""
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    take = cupy.asarray if a.device == "cpu" else cupy.from_dlpack
    return csr_matrix(tuple(take(array) for array in a._arrays(writable=True)), shape=a.shape)


def to_torch(a: Csr) -> Any:
    """Returns a sparse CSR tensor on the matrix's device. torch requires one dtype for both index arrays."""
    import torch

    take = torch.from_numpy if a.device == "cpu" else torch.from_dlpack
    data, indices, indptr = (take(array) for array in a._arrays(writable=True))
    if indices.dtype != indptr.dtype:
        indices = indices.to(indptr.dtype)
    return torch.sparse_csr_tensor(indptr, indices, data, size=a.shape)
