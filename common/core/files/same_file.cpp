#include "core/files/same_file.hpp"

#include <algorithm>
#include <system_error>

namespace quartet {

namespace {

namespace fs = std::filesystem;

// Without links, dots and a slash at the end, as far as the path can be followed.
fs::path resolved(const fs::path& path) {
    std::error_code error;
    fs::path whole = fs::weakly_canonical(path, error);
    if (error || whole.is_relative()) {
        const fs::path base = fs::current_path(error);
        whole = (base / path).lexically_normal();
    }
    return whole.has_filename() ? whole : whole.parent_path();
}

}  // namespace

bool is_same_file(const fs::path& a, const fs::path& b) {
    std::error_code error;
    return fs::equivalent(a, b, error) || resolved(a) == resolved(b);
}

bool lies_in(const fs::path& file, const fs::path& folder) {
    const fs::path inner = resolved(file);
    const fs::path outer = resolved(folder);
    const auto [rest_of_outer, rest_of_inner] = std::ranges::mismatch(outer, inner);
    return rest_of_outer == outer.end() && rest_of_inner != inner.end();
}

}  // namespace quartet
