#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace quartet {

/// The only reader of environment variables. It remembers what it has read, so that results can
/// record it. Only the main thread uses it.
class Environment {
  public:
    /// A variable's value, or nothing if it is unset.
    std::optional<std::string> get(std::string_view name);

    /// Reads all variables whose names begin with `prefix`, only to record them.
    void record_matching(std::string_view prefix);

    /// Every variable read so far that was set, with its value.
    [[nodiscard]] const std::map<std::string, std::string>& seen() const { return seen_; }

  private:
    std::map<std::string, std::string> seen_;
};

/// This host's name, as the system has it.
std::string host_name();

}  // namespace quartet
