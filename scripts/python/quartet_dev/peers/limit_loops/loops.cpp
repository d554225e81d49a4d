#include "loop.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace {

/// Makes the compiler believe that somebody looks at it.
template <typename Value>
void use(Value& value) {
    asm volatile("" : "+m"(value) : : "memory");
}

Loop add(std::size_t bytes) {
    auto to = std::make_shared<Array<Floats>>(bytes);
    auto from = std::make_shared<Array<Floats>>(bytes);
    return {[=] {
                for (std::size_t i = 0; i < to->size(); ++i) {
                    (*to)[i] += (*from)[i];
                }
                use((*to)[0]);
            },
            3.0 * static_cast<double>(bytes)};
}

/// Four lines at a time, next to each other or from `streams` places of the memory.
template <std::size_t streams>
Loop read(std::size_t bytes) {
    auto from = std::make_shared<Array<Doubles>>(bytes);
    return {[=] {
                Doubles one{};
                Doubles two{};
                Doubles three{};
                Doubles four{};
                constexpr std::size_t lines = 4 / streams;
                const std::size_t part = from->size() / 4 * lines;
                const auto place = [=](std::size_t line) {
                    return line / lines * part + line % lines;
                };
                for (std::size_t i = 0; i < part; i += lines) {
                    one += (*from)[i + place(0)];
                    two += (*from)[i + place(1)];
                    three += (*from)[i + place(2)];
                    four += (*from)[i + place(3)];
                }
                Doubles sum = one + two + three + four;
                use(sum);
            },
            static_cast<double>(bytes)};
}

template <std::size_t streams = 1>
Loop copy(std::size_t bytes, [[maybe_unused]] bool past_caches) {
    auto to = std::make_shared<Array<Doubles>>(bytes);
    auto from = std::make_shared<Array<Doubles>>(bytes);
    return {[=] {
                const std::size_t part = to->size() / streams;
                for (std::size_t step = 0; step < part * streams; ++step) {
                    const std::size_t i = step % streams * part + step / streams;
#if defined(__SSE2__)
                    const Doubles value = (*from)[i];
                    if (past_caches) {
                        auto* place = reinterpret_cast<double*>(&(*to)[i]);
                        for (int lane = 0; lane < 8; lane += 2) {
                            _mm_stream_pd(place + lane, __m128d{value[lane], value[lane + 1]});
                        }
                        continue;
                    }
#endif
                    (*to)[i] = (*from)[i];
                }
#if defined(__SSE2__)
                _mm_sfence();
#endif
                use((*to)[0]);
            },
            2.0 * static_cast<double>(bytes)};
}

template <typename Vector, int chains>
Loop multiply_add() {
    constexpr int steps = 100000;
    return {[] {
                Vector values[chains] = {};
                Vector factor = Vector{} + 0.75F;
                Vector summand = Vector{} + 0.25F;
                use(factor);
                use(summand);
                for (int step = 0; step < steps; ++step) {
#pragma GCC unroll 32
                    for (Vector& value : values) {
                        value = value * factor + summand;
                    }
                }
                use(values);
            },
            2.0 * steps * chains * (sizeof(Vector) / sizeof(float))};
}

}  // namespace

std::vector<Way> ways_to(std::string_view name, std::size_t size) {
    if (name == "add") {
        return {[=] { return add(size); }};
    }
    if (name == "read") {
        return {[=] { return read<1>(size); }, [=] { return read<2>(size); },
                [=] { return read<4>(size); }};
    }
    if (name == "copy") {
        return {[=] { return copy(size, false); }, [=] { return copy(size, true); },
                [=] { return copy<2>(size, true); }};
    }
    if (name == "multiply_add") {
        using Eight = float __attribute__((vector_size(32)));
        return {multiply_add<Floats, 24>, multiply_add<Floats, 12>, multiply_add<Eight, 12>,
                multiply_add<Eight, 10>};
    }
    return {};
}
