#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/check.hpp"
#include "core/units.hpp"

namespace quartet {

/// How large a text of JSON may be. Deeper nesting would overflow the stack of code that walks
/// through it. Finding a key of an ordered object takes time in proportion to its keys.
struct JsonBounds {
    Bytes size = mebibytes(256);
    int depth = 64;
    std::size_t keys = std::size_t{1} << 22;  ///< of one object
    std::size_t ordered_keys = 1024;          ///< of one object that keeps their order
};

/// A text that is no JSON, or is out of bounds. Its message follows the file's name: "is not JSON".
class JsonError : public Failure {
  public:
    using Failure::Failure;
};

/// Reads JSON that a user may have named or changed. No object may have a key twice: readers differ
/// in which one they take. Throws JsonError.
nlohmann::json parse_json(std::string_view text, const JsonBounds& bounds = {});
/// The same, keys in the order of the text.
nlohmann::ordered_json parse_ordered_json(std::string_view text, const JsonBounds& bounds = {});

}  // namespace quartet
