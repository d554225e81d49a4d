#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "fakes/fake_gpu_memory.hpp"

namespace quartet::emulator {

/// Stands for a member of any type.
struct AnyMember {
    template <typename T>
    operator T() const;
};

/// How many members an aggregate has: as many as it can be made from.
template <typename T, typename... Members>
constexpr std::size_t member_count() {
    if constexpr (requires { T{Members{}..., AnyMember{}}; })
        return member_count<T, Members..., AnyMember>();
    else
        return sizeof...(Members);
}

template <typename T>
void make_reachable(T& value);

/// Of a structure. C++20 can name members only by their number.
template <typename T>
void make_members_reachable(T& value) {
    const auto each = [](auto&... members) { (make_reachable(members), ...); };
    constexpr std::size_t count = member_count<T>();
    static_assert(count <= 10, "a kernel's argument with more members: add a line");
    if constexpr (count == 1) {
        auto& [a] = value;
        each(a);
    } else if constexpr (count == 2) {
        auto& [a, b] = value;
        each(a, b);
    } else if constexpr (count == 3) {
        auto& [a, b, c] = value;
        each(a, b, c);
    } else if constexpr (count == 4) {
        auto& [a, b, c, d] = value;
        each(a, b, c, d);
    } else if constexpr (count == 5) {
        auto& [a, b, c, d, e] = value;
        each(a, b, c, d, e);
    } else if constexpr (count == 6) {
        auto& [a, b, c, d, e, f] = value;
        each(a, b, c, d, e, f);
    } else if constexpr (count == 7) {
        auto& [a, b, c, d, e, f, g] = value;
        each(a, b, c, d, e, f, g);
    } else if constexpr (count == 8) {
        auto& [a, b, c, d, e, f, g, h] = value;
        each(a, b, c, d, e, f, g, h);
    } else if constexpr (count == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = value;
        each(a, b, c, d, e, f, g, h, i);
    } else if constexpr (count == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = value;
        each(a, b, c, d, e, f, g, h, i, j);
    }
}

/// Each pointer, also in structures, as the emulated GPU finds what it points to.
template <typename T>
void make_reachable(T& value) {
    if constexpr (std::is_pointer_v<T>) {
        value = device::on_cpu(value);
    } else if constexpr (!std::is_arithmetic_v<T> && !std::is_enum_v<T>) {
        static_assert(std::is_aggregate_v<T> && !std::is_array_v<T>,
                      "a kernel's argument is a number, a pointer, or a structure of such");
        make_members_reachable(value);
    }
}

template <typename T>
T reachable(T argument) {
    static_assert(std::is_trivially_copyable_v<T>);
    make_reachable(argument);
    return argument;
}

}  // namespace quartet::emulator
