#include "bench/checkpoint/tile_list.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "bench/checkpoint/sealed_json.hpp"
#include "core/check.hpp"

namespace quartet::bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t largest_tile = std::int64_t{1} << 50;  // bytes

TileList list_in(const Json& content) {
    if (content.at("schema_version") != TileList::schema_version) {
        throw Failure("is of another version of the format");
    }
    TileList list;
    content.at("job").get_to(list.job);
    list.tiles = count_of(content, "tiles", 1, most_counted);
    content.at("set_up").get_to(list.set_up);
    list.segments = static_cast<int>(count_of(content, "segments", 0, most_counted));
    list.spent = earlier_time_of(content.at("spent"));
    std::set<std::int64_t> numbers;
    for (const Json& tile : content.at("done")) {
        list.done.push_back({count_of(tile, "number", 0, list.tiles - 1),
                             {count_of(tile, "bytes", 0, largest_tile)},
                             whole_number(tile.at("checksum"), 16)});
        if (!numbers.insert(list.done.back().number).second) {
            throw Failure("has a tile twice");
        }
    }
    return list;
}

}  // namespace

std::string to_text(const TileList& list) {
    Json done = Json::array();
    for (const KeptTile& tile : list.done) {
        done.push_back({{"number", tile.number},
                        {"bytes", tile.size.value},
                        {"checksum", hexadecimal(tile.checksum)}});
    }
    return sealed({{"schema_version", TileList::schema_version},
                   {"job", list.job},
                   {"tiles", list.tiles},
                   {"set_up", list.set_up},
                   {"segments", list.segments},
                   {"spent", to_json(list.spent)},
                   {"done", done}});
}

TileList read_tile_list(const std::string& text) {
    TileList list;
    read_sealed(text, [&](const Json& content) { list = list_in(content); });
    return list;
}

void require_same_job(const TileList& found, const TileList& wanted, const std::string& folder) {
    const auto refuse = [&](const std::string& what, const std::string& is,
                            const std::string& should_be) {
        throw UsageError(fmt::format(
            "--restart: {} is of another job ({} {}, not {}): ask for that one, or name another "
            "folder",
            quotation(folder), what, is, should_be));
    };
    for (const auto& [what, value] : wanted.job) {
        const auto was = found.job.find(what);
        const std::string is = was == found.job.end() ? "unknown" : was->second;
        if (is != value) {
            refuse(what, is, value);
        }
    }
    if (found.tiles != wanted.tiles) {
        refuse("tiles", std::to_string(found.tiles), std::to_string(wanted.tiles));
    }
}

}  // namespace quartet::bench
