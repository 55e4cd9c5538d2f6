"""Operations beyond a single product: submatrices, blocks, orders, stencils, triangles."""
