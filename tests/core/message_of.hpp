#pragma once

#include <gtest/gtest.h>

#include <string>

namespace quartet {

/// What the Exception says that `action` must throw.
template <typename Exception, typename Action>
std::string message_of(const Action& action) {
    try {
        action();
    } catch (const Exception& error) {
        return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

}  // namespace quartet
