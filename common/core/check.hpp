#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace quartet {

/// The exit status of a program; scripts rely on the numbers.
enum class ExitCode : int {
    verified = 0,
    wrong_result = 1,
    bad_usage = 2,
    failed = 3,
    stopped = 75,
    unavailable = 77,
};

/// An error that knows the exit code it leads to. The message is one line that
/// says the problem, why it is one, and what to do: "problem (why): suggestion".
class Error : public std::runtime_error {
  public:
    Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
    [[nodiscard]] ExitCode exit_code() const { return code_; }

  private:
    ExitCode code_;
};

/// The command line or the input cannot be served. Thrown on all ranks alike.
class UsageError : public Error {
  public:
    explicit UsageError(const std::string& message) : Error(ExitCode::bad_usage, message) {}
};

/// Something went wrong while running; possibly on this rank only.
class Failure : public Error {
  public:
    explicit Failure(const std::string& message) : Error(ExitCode::failed, message) {}
};

/// A device, transport or feature that this build or machine does not have, and why.
/// Thrown on all ranks alike.
class Unavailable : public Error {
  public:
    explicit Unavailable(const std::string& message) : Error(ExitCode::unavailable, message) {}
};

/// "file.cpp:12": without the folder.
std::string describe(const std::source_location& where);

/// Throws the Failure of a check that did not hold at `where`.
[[noreturn]] void fail(std::string_view problem,
                       std::source_location where = std::source_location::current());

/// Throws Failure, naming the source location, unless `condition` holds.
inline void check(bool condition, std::string_view problem,
                  std::source_location where = std::source_location::current()) {
    if (!condition) [[unlikely]] {
        fail(problem, where);
    }
}

/// Quotes foreign text for a one-line message: in single quotes, with control characters as \xNN,
/// and without the end of a very long text.
std::string quotation(std::string_view text);

}  // namespace quartet
