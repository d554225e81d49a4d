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

/// A library that is loaded at run time, so that programs start where it is missing. It is never
/// unloaded: libraries with threads and state of their own do not all survive that.
class SharedLibrary {
  public:
    /// Throws Unavailable, "what is not there (the loader's reason): advice", if no name can be
    /// loaded.
    explicit SharedLibrary(const LibrarySearch& search);

    /// The function of that name. Throws Unavailable if the library has none.
    template <typename Function>
    [[nodiscard]] Function* function(const char* name) const {
        return reinterpret_cast<Function*>(address(name));
    }
    /// The same, or null if the library has none.
    template <typename Function>
    [[nodiscard]] Function* function_if_there(const char* name) const {
        return reinterpret_cast<Function*>(address_if_there(name));
    }

  private:
    struct Close {
        void operator()(void* handle) const;
    };

    [[nodiscard]] void* address(const char* name) const;
    [[nodiscard]] void* address_if_there(const char* name) const;

    std::unique_ptr<void, Close> handle_;
    std::string name_;
};

/// Which member of a table of functions holds the library's function of a name.
template <typename Table, typename Function>
struct LibraryFunction {
    Function* Table::*member;
    const char* name;
};

/// A library with a table of its functions; whoever holds the table keeps it.
template <typename Table>
struct LoadedLibrary {
    SharedLibrary library;
    Table table{};
};

/// A table of a library's functions. The library stays open as long as the table lives. Throws
/// Unavailable where the library or one of the functions is missing.
template <typename Table, typename... Functions>
std::shared_ptr<const Table> load_library(const LibrarySearch& search,
                                          const LibraryFunction<Table, Functions>&... functions) {
    const auto loaded =
        std::make_shared<LoadedLibrary<Table>>(LoadedLibrary<Table>{SharedLibrary(search)});
    ((loaded->table.*functions.member =
          loaded->library.template function<Functions>(functions.name)),
     ...);
    return {loaded, &loaded->table};
}

/// The same of a library that may lack some of the functions: they are null.
template <typename Table, typename... Functions>
std::shared_ptr<const Table> load_what_is_there(
    const LibrarySearch& search, const LibraryFunction<Table, Functions>&... functions) {
    const auto loaded =
        std::make_shared<LoadedLibrary<Table>>(LoadedLibrary<Table>{SharedLibrary(search)});
    ((loaded->table.*functions.member =
          loaded->library.template function_if_there<Functions>(functions.name)),
     ...);
    return {loaded, &loaded->table};
}

}  // namespace quartet
