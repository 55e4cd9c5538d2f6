// Words of 16 bytes that one device writes into the memory of another. A word holds twelve bytes
// and the turn in which they were sent. Words are stored and loaded whole (PTX: relaxed b128
// accesses of system scope). If the turn of a word has arrived, its bytes have arrived as well, so
// that no fence is needed.
#ifndef FURROW_CUDA_MAIL_CUH
#define FURROW_CUDA_MAIL_CUH

#include <cuda_runtime.h>

struct alignas(16) fur_mail {
    unsigned bits[3];
    unsigned turn;
};

// Toolkits before 12.3 do not know b128. For an access to two halves they generate the same 16-byte
// instruction (LDG.E.128.STRONG.SYS, STG; sm_80, sm_90), although PTX does not guarantee a single
// access.
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1203
#    define FUR_MAIL_LOAD                                                                          \
        "{\n\t"                                                                                    \
        ".reg .b128 word;\n\t"                                                                     \
        "ld.relaxed.sys.global.b128 word, [%2];\n\t"                                               \
        "mov.b128 {%0, %1}, word;\n\t"                                                             \
        "}"
#    define FUR_MAIL_STORE                                                                         \
        "{\n\t"                                                                                    \
        ".reg .b128 word;\n\t"                                                                     \
        "mov.b128 word, {%1, %2};\n\t"                                                             \
        "st.relaxed.sys.global.b128 [%0], word;\n\t"                                               \
        "}"
#else
#    define FUR_MAIL_LOAD "ld.volatile.global.v2.u64 {%0, %1}, [%2];"
#    define FUR_MAIL_STORE "st.volatile.global.v2.u64 [%0], {%1, %2};"
#endif

// Failed reads of a word before the box is checked for having been given up.
#define FUR_MAIL_PATIENCE 256

__device__ inline fur_mail fur_mail_read(const fur_mail *at)
{
    unsigned long long low;
    unsigned long long high;
    asm volatile(FUR_MAIL_LOAD : "=l"(low), "=l"(high) : "l"(at) : "memory");
    return {
        {static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), static_cast<unsigned>(high)},
        static_cast<unsigned>(high >> 32)};
}

__device__ inline void fur_mail_post_word(fur_mail *at, const fur_mail &word)
{
    unsigned long long low = static_cast<unsigned long long>(word.bits[1]) << 32 | word.bits[0];
    unsigned long long high = static_cast<unsigned long long>(word.turn) << 32 | word.bits[2];
    asm volatile(FUR_MAIL_STORE : : "l"(at), "l"(low), "l"(high) : "memory");
}

// Waits for the word that was sent in turn `turn`. If the box was given up, which its first word
// says, returns bytes of NaN.
__device__ inline fur_mail fur_mail_await_word(const fur_mail *at, const fur_mail *box,
                                               unsigned turn)
{
    fur_mail word = fur_mail_read(at);
    for (unsigned polls = 1; word.turn != turn; polls++) {
        fur_mail state = polls % FUR_MAIL_PATIENCE == 0 ? fur_mail_read(box) : fur_mail{};
        if ((state.bits[0] | state.bits[1]) != 0)
            return {{~0u, ~0u, ~0u}, turn};
        word = fur_mail_read(at);
    }
    return word;
}

__device__ inline void fur_mail_post(fur_mail *at, double value, unsigned turn)
{
    auto bits = static_cast<unsigned long long>(__double_as_longlong(value));
    fur_mail_post_word(at,
                       {{static_cast<unsigned>(bits), static_cast<unsigned>(bits >> 32), 0}, turn});
}

__device__ inline double fur_mail_await(const fur_mail *box, long long index, unsigned turn)
{
    fur_mail word = fur_mail_await_word(box + index, box, turn);
    return __longlong_as_double(
        static_cast<long long>(static_cast<unsigned long long>(word.bits[1]) << 32 | word.bits[0]));
}

#endif
