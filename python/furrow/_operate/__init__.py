"""Operations beyond one product: parts, blocks, orders, stencils, triangles."""
