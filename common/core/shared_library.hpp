#pragma once

#include <memory>
#include <string>
#include <vector>

namespace quartet {

/// The places to look for a library, and the message if it is in none of them.
struct LibrarySearch {
    std::vector<std::string> names;  ///< sonames or paths; the first that can be loaded is taken
    std::string what;                ///< begins the error's text: "the toolkit's libcublas.so.12"
    std::string advice;              ///< ends it: "add its folder to LD_LIBRARY_PATH"
};

/// Whether a library has to have a function.
enum class Presence { required, optional };

/// A library that is loaded at run time, so that programs start where it is missing. It is never
/// unloaded: libraries with threads and state of their own do not all survive that.
class SharedLibrary {
  public:
    /// Throws Unavailable, "what is not there (the loader's reason): advice", if no name can be
    /// loaded.
    explicit SharedLibrary(const LibrarySearch& search);

    /// The function of that name. Where the library has none: null if it is optional, else throws
    /// Unavailable.
    template <typename Function>
    [[nodiscard]] Function* function(const char* name,
                                     Presence presence = Presence::required) const {
        return reinterpret_cast<Function*>(address(name, presence));
    }

  private:
    struct Close {
        void operator()(void* handle) const;
    };

    [[nodiscard]] void* address(const char* name, Presence presence) const;

    std::unique_ptr<void, Close> handle_;
    std::string name_;
};

/// The member of a table of functions that holds the library's function `name`.
template <typename Table, typename Function>
struct LibraryFunction {
    Function* Table::*member;
    const char* name;
    Presence presence = Presence::required;
};

/// A table of a library's functions. The library stays open as long as the table lives. Throws
/// Unavailable where the library or a required function is missing; an optional one is null then.
template <typename Table, typename... Functions>
std::shared_ptr<const Table> load_library(const LibrarySearch& search,
                                          const LibraryFunction<Table, Functions>&... functions) {
    struct Loaded {
        SharedLibrary library;
        Table table{};
    };
    const auto loaded = std::make_shared<Loaded>(Loaded{SharedLibrary(search)});
    ((loaded->table.*functions.member =
          loaded->library.template function<Functions>(functions.name, functions.presence)),
     ...);
    return {loaded, &loaded->table};
}

}  // namespace quartet
