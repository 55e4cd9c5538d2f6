/* Every source of this folder is compiled once per instruction set, with FUR_ISA set to its name.
 * ISA(symbol) gives each copy its own symbols: ISA(spmv_rows) is fur_spmv_rows_avx2 in the AVX2
 * copy. */
#ifndef FURROW_CPU_ISA_H
#define FURROW_CPU_ISA_H

#define FUR_ISA_JOIN2(symbol, isa) symbol##_##isa
#define FUR_ISA_JOIN(symbol, isa) FUR_ISA_JOIN2(symbol, isa)
#define ISA(symbol) FUR_ISA_JOIN(fur_##symbol, FUR_ISA)

#define FUR_ISA_TEXT2(isa) #isa
#define FUR_ISA_TEXT(isa) FUR_ISA_TEXT2(isa)
#define FUR_ISA_NAME FUR_ISA_TEXT(FUR_ISA)

#endif
