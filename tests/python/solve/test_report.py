"""The page about a solve that write_report makes by running the command."""

import os

import furrow
import numpy as np
import pytest
from furrow.__main__ import command

pytestmark = pytest.mark.skipif(not os.path.exists(command()), reason="the package was built without the command")


def test_a_page_is_written(tmp_path):
    a = furrow.Stencil(5, (20, 20)).to_csr()
    summary = furrow.write_report(tmp_path / "r.html", a, np.ones(400), name="plate", method="cg", precond="ic0")
    page = (tmp_path / "r.html").read_text()
    assert "plate" in page and "ic0" in page and "<svg" in page
    assert "converged" in summary


def test_b_may_be_left_out_and_failures_have_pages(tmp_path):
    a = furrow.Stencil(5, (20, 20)).to_csr()
    furrow.write_report(tmp_path / "r.html", a, bounds=True)
    with pytest.raises(furrow.Error, match="iteration"):
        furrow.write_report(tmp_path / "f.html", a, method="cg", precond="none", max_iterations=2)
    assert (tmp_path / "f.html").exists()
    with pytest.raises(TypeError, match="nonesuch"):
        furrow.write_report(tmp_path / "n.html", a, nonesuch=1)
