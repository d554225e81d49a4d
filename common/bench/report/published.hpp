#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quartet::bench {

struct Row;
class Session;

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
    std::string device = {};        ///< the model
    std::string ours = {};          ///< where ours was measured: "within one node, 2 workers"
};

/// Numbers that others have published about the suite's kernels, from `published/*.json`.
class PublishedNumbers {
  public:
    /// No numbers.
    PublishedNumbers() = default;
    /// Reads one kernel's file of a folder; a missing file means no numbers. Throws Failure for a
    /// file that is not what it should be.
    PublishedNumbers(const std::filesystem::path& folder, std::string_view kernel);

    /// The number whose conditions are nearest. Every `match` factor that both sides know must be
    /// alike, nodes and workers among them: a size ("n", or "size" in bytes) within a factor of two
    /// of one of the number's, all others equal to one of them. Of several those of our "model" of
    /// device come first, then those with most such factors, then the nearest in size, then the
    /// greatest. `rate` is in its unit.
    [[nodiscard]] std::optional<Comparison> nearest(
        const std::map<std::string, std::string>& conditions, std::string_view unit,
        double rate) const;

    [[nodiscard]] bool empty() const { return entries_.empty(); }

  private:
    struct Entry {
        Comparison number;
        std::map<std::string, std::vector<std::string>> match;  ///< each factor's possible values
    };

    std::vector<Entry> entries_;
};

/// For people: where a result was measured that stands beside a published one.
std::string place_of_ours(int nodes, int workers);

/// Gives the rows of a session the number that each may be compared with. Local; complete on rank
/// 0.
void compare_with_published(std::vector<Row>& rows, Session& session,
                            const PublishedNumbers& published);

/// The folder of the installed or the source tree's published numbers; nothing where neither is.
std::optional<std::filesystem::path> published_folder();

}  // namespace quartet::bench
