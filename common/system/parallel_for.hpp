#pragma once

#include <cstdint>
#include <exception>
#include <vector>

namespace quartet::system {

/// Calls body(i) for every i in [0, count); each thread has one contiguous share. Calls for
/// different i must be independent. One thread does not enter the OpenMP runtime: that saves time,
/// and ThreadSanitizer, which does not know the runtime, stays quiet.
template <typename Body>
void parallel_for(int threads, std::int64_t count, Body body) {
    if (threads == 1) {
        for (std::int64_t i = 0; i < count; ++i)
            body(i);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t i = 0; i < count; ++i)
        body(i);
}

/// Calls body(part) for every part in [0, parts): large pieces of work, one for each thread.
template <typename Body>
void parallel_parts(int parts, Body body) {
    if (parts == 1) {
        body(0);
        return;
    }
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int part = 0; part < parts; ++part)
        body(part);
}

/// parallel_parts() for work that may throw. When all parts have ended, rethrows the exception of
/// the first part that has one. Allocates.
template <typename Body>
void parallel_parts_that_throw(int parts, Body body) {
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(parts));
    parallel_parts(parts, [&](int part) {
        try {
            body(part);
        } catch (...) {
            errors[static_cast<std::size_t>(part)] = std::current_exception();
        }
    });
    for (const std::exception_ptr& error : errors) {
        if (error)
            std::rethrow_exception(error);
    }
}

}  // namespace quartet::system
