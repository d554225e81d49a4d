#include "core/files/json_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

namespace quartet {

namespace {

using Sax = nlohmann::json_sax<nlohmann::json>;

// Looks through a text before a value is made of it: what is out of bounds then takes neither
// memory nor stack. A callback of the parser would take the square of an array's length in time.
class Look final : public Sax {
  public:
    Look(int depth, std::size_t most_keys) : depth_(depth), most_keys_(most_keys) {}

    bool null() override { return true; }
    bool boolean(bool /*value*/) override { return true; }
    bool number_integer(number_integer_t /*value*/) override { return true; }
    bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
    bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
    bool string(string_t& /*value*/) override { return true; }
    bool binary(binary_t& /*value*/) override { return true; }
    bool start_array(std::size_t /*elements*/) override { return open(); }
    bool end_array() override { return close(); }
    bool start_object(std::size_t /*elements*/) override {
        keys_.emplace_back();
        return open();
    }
    bool end_object() override {
        keys_.pop_back();
        return close();
    }
    bool key(string_t& name) override {
        if (!keys_.back().insert(name).second) {
            throw JsonError(fmt::format("has the key {} twice", quotation(name)));
        }
        if (keys_.back().size() > most_keys_) {
            throw JsonError(fmt::format("has an object of more than {} keys", most_keys_));
        }
        return true;
    }
    bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                     const nlohmann::json::exception& /*error*/) override {
        return false;
    }

  private:
    bool open() {
        if (++open_ > depth_) {
            throw JsonError(fmt::format("is nested deeper than {} levels", depth_));
        }
        return true;
    }
    bool close() {
        --open_;
        return true;
    }

    int depth_;
    std::size_t most_keys_;
    int open_ = 0;                                      ///< arrays and objects
    std::vector<std::unordered_set<string_t>> keys_{};  ///< of each object that is open
};

template <typename Json>
Json parse_within(std::string_view text, const JsonBounds& bounds, std::size_t most_keys) {
    if (std::ssize(text) > bounds.size.value) {
        throw JsonError(fmt::format("is too long for JSON ({}, at most {})",
                                    to_string(Bytes{std::ssize(text)}), to_string(bounds.size)));
    }
    Look look(bounds.depth, most_keys);
    if (!nlohmann::json::sax_parse(text, &look)) {
        throw JsonError("is not JSON");
    }
    return Json::parse(text);
}

}  // namespace

nlohmann::json parse_json(std::string_view text, const JsonBounds& bounds) {
    return parse_within<nlohmann::json>(text, bounds, bounds.keys);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text, const JsonBounds& bounds) {
    return parse_within<nlohmann::ordered_json>(text, bounds, bounds.ordered_keys);
}

}  // namespace quartet
