#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quartet::bench {

/// A published number and ours beside it.
struct Comparison {
    double value = 0;
    std::string unit;
    std::string bound;       ///< "about", "above" or "below"
    std::string conditions;  ///< machine, device, protocol, size
    std::string source;
    std::string caveat;
    double ratio = 0;               ///< ours / published
    std::optional<int> nodes = {};  ///< that it was measured on, where it is known
};

/// Numbers that others have published about the suite's kernels, from `published/*.json`.
class PublishedNumbers {
  public:
    /// No numbers.
    PublishedNumbers() = default;
    /// Reads one kernel's file of a folder; a missing file means no numbers. Throws Failure for a
    /// file that is not what it should be.
    PublishedNumbers(const std::filesystem::path& folder, std::string_view kernel);

    /// The number whose conditions are nearest: every `match` key that both sides know must be
    /// equal, nodes among them, and the entry with most of them wins; of equals the one with the
    /// nearest number of workers, of these the greatest. `rate` is in its unit.
    [[nodiscard]] std::optional<Comparison> nearest(
        const std::map<std::string, std::string>& conditions, std::string_view unit,
        double rate) const;

    [[nodiscard]] bool empty() const { return entries_.empty(); }

  private:
    struct Entry {
        Comparison number;
        std::map<std::string, std::string> match;
        std::optional<double> workers;  ///< where the match does not say
    };

    std::vector<Entry> entries_;
};

/// The folder of the installed or the source tree's published numbers; nothing where neither is.
std::optional<std::filesystem::path> published_folder();

}  // namespace quartet::bench
