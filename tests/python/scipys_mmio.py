"""A plugin of pytest. With it, SciPy's tests of the Matrix Market functions of scipy.io test furrow.io."""

import furrow.io
import scipy.io._fast_matrix_market as fast
import scipy.io._mmio as slow

for module in (fast, slow):
    module.mminfo = furrow.io.mminfo
    module.mmread = furrow.io.mmread
    module.mmwrite = furrow.io.mmwrite
