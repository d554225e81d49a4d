#include "core/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/check.hpp"

namespace quartet {

namespace {

std::string loader_error() {
    const char* text = ::dlerror();
    return text == nullptr ? "no reason given" : text;
}

}  // namespace

SharedLibrary::SharedLibrary(const LibrarySearch& search) {
    std::string reason = "no name given";
    for (const std::string& name : search.names) {
        handle_.reset(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
        if (handle_) {
            name_ = name;
            return;
        }
        reason = loader_error();
    }
    throw Unavailable(fmt::format("{} is not there ({}): {}", search.what, reason, search.advice));
}

void* SharedLibrary::address(const char* name, Presence presence) const {
    void* found = ::dlsym(handle_.get(), name);
    if (found == nullptr && presence == Presence::required) {
        throw Unavailable(fmt::format("{} has no function {} ({}): use another version of it",
                                      name_, name, loader_error()));
    }
    return found;
}

void SharedLibrary::Close::operator()(void* handle) const {
    ::dlclose(handle);
}

}  // namespace quartet
