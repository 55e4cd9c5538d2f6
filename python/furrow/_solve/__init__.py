"""Solvers, preconditioners and eigenvalues."""
