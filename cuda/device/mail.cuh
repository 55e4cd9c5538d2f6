// Words of 16 bytes that one device leaves in the memory of another. Each half of a word has half
// of a double, and the turn in which it was sent: so the receiver knows from the word itself that
// both are there, and no fence is needed.
#ifndef FURROW_CUDA_MAIL_CUH
#define FURROW_CUDA_MAIL_CUH

#include <cuda_runtime.h>

struct alignas(16) fur_mail {
    unsigned long long low;
    unsigned long long high;
};

// Looks in vain after which one looks whether the box was given up.
#define FUR_MAIL_PATIENCE 256

__device__ inline fur_mail fur_mail_read(const fur_mail *at)
{
    fur_mail word;
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(word.low), "=l"(word.high)
                 : "l"(at)
                 : "memory");
    return word;
}

__device__ inline void fur_mail_post_bits(fur_mail *at, unsigned long long bits, unsigned turn)
{
    unsigned long long stamp = static_cast<unsigned long long>(turn) << 32;
    asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};"
                 :
                 : "l"(at), "l"(stamp | (bits & 0xffffffffu)), "l"(stamp | (bits >> 32))
                 : "memory");
}

// The eight bytes of a word, if it is of that turn.
__device__ inline bool fur_mail_open(const fur_mail &word, unsigned turn, unsigned long long *bits)
{
    *bits = word.high << 32 | (word.low & 0xffffffffu);
    return word.low >> 32 == turn && word.high >> 32 == turn;
}

// The eight bytes that were sent to word `index` of a box in that turn; those of a number that is
// none if the box was given up, which its first word says.
__device__ inline unsigned long long fur_mail_await_bits(const fur_mail *box, long long index,
                                                         unsigned turn)
{
    unsigned long long bits;
    for (unsigned looks = 1; !fur_mail_open(fur_mail_read(box + index), turn, &bits); looks++)
        if (looks % FUR_MAIL_PATIENCE == 0 && fur_mail_read(box).low != 0)
            return ~0ull;
    return bits;
}

__device__ inline void fur_mail_post(fur_mail *at, double value, unsigned turn)
{
    fur_mail_post_bits(at, __double_as_longlong(value), turn);
}

__device__ inline double fur_mail_await(const fur_mail *box, long long index, unsigned turn)
{
    return __longlong_as_double(static_cast<long long>(fur_mail_await_bits(box, index, turn)));
}

#endif
