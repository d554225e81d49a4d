#include "core/environment.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace quartet {

std::optional<std::string> Environment::get(std::string_view name) {
    const std::string key(name);
    const char* value = std::getenv(key.c_str());
    if (value == nullptr) {
        return std::nullopt;
    }
    seen_.insert_or_assign(key, value);
    return value;
}

void Environment::record_matching(std::string_view prefix) {
    // POSIX allows a null `environ` for an empty environment.
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view assignment = *entry;
        const std::size_t equals = assignment.find('=');
        if (equals != std::string_view::npos && assignment.starts_with(prefix) &&
            equals >= prefix.size()) {
            seen_.insert_or_assign(std::string(assignment.substr(0, equals)),
                                   std::string(assignment.substr(equals + 1)));
        }
    }
}

std::string host_name() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

}  // namespace quartet
