#include "comm/topology/link_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/units.hpp"

namespace quartet::comm {

namespace {

enum class LinkKind {
    between_gpus,
    within_gpus,
    out_of_gpus,
    into_gpus,
    within_nodes,
    between_nodes
};

constexpr std::array<const char*, 6> kind_texts{
    "between GPUs of a node", "within GPUs that ranks share",           "from GPUs to the host",
    "from the host to GPUs",  "between ranks of a node, in its memory", "between nodes"};

/// Bytes by link: the GPUs or nodes at its ends, or twice the one that it belongs to.
using Links = std::map<std::pair<int, int>, std::int64_t>;

class Traffic {
  public:
    Traffic(std::span<const RankPlace> places, Route route) : places_(places), route_(route) {}

    void add(int rank, const RankTraffic& traffic) {
        const int gpu = place(rank).gpu;
        for (int to = 0; to < std::ssize(traffic.sent); ++to) {
            send(rank, to, traffic.sent[static_cast<std::size_t>(to)]);
        }
        for (int to = 0; to < std::ssize(traffic.payloads); ++to) {
            send_by_host(rank, to, traffic.payloads[static_cast<std::size_t>(to)]);
        }
        add(LinkKind::out_of_gpus, gpu, gpu, traffic.copied_out);
        add(LinkKind::into_gpus, gpu, gpu, traffic.copied_in);
    }

    [[nodiscard]] std::string text() const {
        std::string text;
        for (std::size_t kind = 0; kind < links_.size(); ++kind) {
            if (!links_[kind].empty()) {
                text += fmt::format("{}{} {}", text.empty() ? "" : "; ", kind_texts[kind],
                                    text_of(static_cast<LinkKind>(kind), links_[kind]));
            }
        }
        return text;
    }

  private:
    [[nodiscard]] const RankPlace& place(int rank) const {
        return places_[static_cast<std::size_t>(rank)];
    }

    void send(int from, int to, std::int64_t bytes) {
        const int source = place(from).gpu;
        const int target = place(to).gpu;
        if (from == to) {
            return;
        }
        const bool same_node = place(from).node == place(to).node;
        const bool both_gpus = source >= 0 && target >= 0;
        if (both_gpus && route_ == Route::through_host) {
            add(LinkKind::out_of_gpus, source, source, bytes);
            add(LinkKind::into_gpus, target, target, bytes);
            send_by_host(from, to, same_node ? 0 : bytes);
        } else if (!both_gpus || !same_node) {
            send_by_host(from, to, bytes);
        } else {
            add(source == target ? LinkKind::within_gpus : LinkKind::between_gpus, source, target,
                bytes);
        }
    }

    void send_by_host(int from, int to, std::int64_t bytes) {
        const int source = place(from).node;
        const int target = place(to).node;
        if (from != to) {
            add(source == target ? LinkKind::within_nodes : LinkKind::between_nodes, source, target,
                bytes);
        }
    }

    void add(LinkKind kind, int from, int to, std::int64_t bytes) {
        if (bytes > 0) {
            links_.at(static_cast<std::size_t>(kind))[{from, to}] += bytes;
        }
    }

    [[nodiscard]] std::string text_of(LinkKind kind, const Links& links) const {
        std::int64_t sum = 0;
        for (const auto& [ends, bytes] : links) {
            sum += bytes;
        }
        const auto most =
            std::ranges::max_element(links, {}, [](const auto& link) { return link.second; });
        if (links.size() == 1) {
            return to_string(Bytes{sum});
        }
        return fmt::format("{} (most: {}, {})", to_string(Bytes{sum}), name(kind, most->first),
                           to_string(Bytes{most->second}));
    }

    [[nodiscard]] std::string name(LinkKind kind, const std::pair<int, int>& ends) const {
        const bool of_gpus = kind != LinkKind::within_nodes && kind != LinkKind::between_nodes;
        const auto end = [&](int number) {
            const auto first =
                std::ranges::find(places_, number, of_gpus ? &RankPlace::gpu : &RankPlace::node);
            return of_gpus ? fmt::format("rank {}'s", first - places_.begin()) : first->host;
        };
        return ends.first == ends.second
                   ? end(ends.first)
                   : fmt::format("{} to {}", end(ends.first), end(ends.second));
    }

    std::span<const RankPlace> places_;
    Route route_;
    std::array<Links, kind_texts.size()> links_;
};

}  // namespace

std::vector<RankTraffic> gather(const RankTraffic& mine, const Communicator& world) {
    const auto ranks = static_cast<std::size_t>(world.size());
    std::vector<double> row;
    for (const auto* bytes : {&mine.sent, &mine.payloads}) {
        row.insert(row.end(), bytes->begin(), bytes->end());
        row.resize(row.size() + ranks - bytes->size());
    }
    row.push_back(static_cast<double>(mine.copied_out));
    row.push_back(static_cast<double>(mine.copied_in));
    const std::vector<double> rows = world.gather(row);
    std::vector<RankTraffic> all(ranks);
    auto next = rows.begin();
    for (RankTraffic& traffic : all) {
        traffic.sent.assign(next, next + std::ssize(all));
        traffic.payloads.assign(next + std::ssize(all), next + 2 * std::ssize(all));
        next += 2 * std::ssize(all);
        traffic.copied_out = static_cast<std::int64_t>(*next++);
        traffic.copied_in = static_cast<std::int64_t>(*next++);
    }
    return all;
}

std::string describe_traffic(std::span<const RankTraffic> ranks, std::span<const RankPlace> places,
                             Route route) {
    Traffic traffic(places, route);
    for (int rank = 0; rank < std::ssize(ranks); ++rank) {
        traffic.add(rank, ranks[static_cast<std::size_t>(rank)]);
    }
    return traffic.text();
}

}  // namespace quartet::comm
