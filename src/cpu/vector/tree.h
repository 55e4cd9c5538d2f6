/* The fixed binary tree over the leaves of a reduction (docs/numerics.md).
 *
 * Leaf i of a level pairs with leaf i + 1 for even i. A leaf without a partner moves up unchanged.
 * A stack of complete subtrees is built from left to right. Leaf number i completes one subtree for
 * each trailing one bit of i. */
#ifndef FURROW_CPU_TREE_H
#define FURROW_CPU_TREE_H

#include <stdint.h>

/* A partial result. The imaginary part is 0 if results are real. */
typedef struct pair {
    double re;
    double im;
} pair;

typedef pair (*pair_combine)(pair left, pair right);

typedef struct tree {
    pair_combine combine;
    int64_t leaves;
    int depth;
    pair subtree[64];
} tree;

/* Does not clear the subtrees: clearing takes longer than adding up a short leaf. */
static inline void tree_begin(tree *t, pair_combine combine)
{
    t->combine = combine;
    t->leaves = 0;
    t->depth = 0;
}

static inline void tree_push(tree *t, pair leaf)
{
    for (int64_t bits = t->leaves; bits & 1; bits >>= 1)
        leaf = t->combine(t->subtree[--t->depth], leaf);
    t->subtree[t->depth++] = leaf;
    t->leaves++;
}

/* The root; 0 for an empty tree. */
static inline pair tree_root(tree *t)
{
    if (t->depth == 0)
        return (pair){0, 0};
    pair sum = t->subtree[--t->depth];
    while (t->depth > 0)
        sum = t->combine(t->subtree[--t->depth], sum);
    return sum;
}

#endif
