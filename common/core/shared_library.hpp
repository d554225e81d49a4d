#pragma once

#include <memory>
#include <span>
#include <string>

namespace quartet {

/// A library that is loaded while the program runs, so that the program runs where it is not. It is
/// never unloaded: libraries with threads and state of their own do not all survive that.
class SharedLibrary {
  public:
    /// Loads the first of `names` (sonames or paths) that can be had. Throws Failure with the
    /// loader's words about the last otherwise.
    explicit SharedLibrary(std::span<const std::string> names);

    /// The function of that name. Throws Failure where the library has none.
    template <typename Function>
    [[nodiscard]] Function* function(const char* name) const {
        return reinterpret_cast<Function*>(address(name));
    }

  private:
    struct Close {
        void operator()(void* handle) const;
    };

    [[nodiscard]] void* address(const char* name) const;

    std::unique_ptr<void, Close> handle_;
    std::string name_;
};

}  // namespace quartet
