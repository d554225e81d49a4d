#include "bench/checkpoint/tile_case.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace quartet::bench {

void TileCase::keep_tiles(std::unique_ptr<TileCheckpoint> checkpoint) {
    checkpoint_ = std::move(checkpoint);
}

void TileCase::run(Clocks& clocks) {
    if (!checkpoint_) {
        compute(clocks);
        return;
    }
    checkpoint_->begin();
    compute(clocks);
    checkpoint_->end();
}

std::optional<std::string> TileCase::stopped() const {
    return checkpoint_ ? checkpoint_->stopped() : std::nullopt;
}

EarlierTime TileCase::earlier() const {
    return checkpoint_ ? checkpoint_->earlier() : EarlierTime{};
}

std::string TileCase::resumed(const std::string& note) const {
    const std::string taken_over = checkpoint_ ? checkpoint_->note() : "";
    return taken_over.empty() ? note : note + "; " + taken_over;
}

Details TileCase::resumed(Details details) const {
    if (checkpoint_) {
        std::ranges::copy(checkpoint_->numbers(), std::back_inserter(details.numbers));
    }
    return details;
}

}  // namespace quartet::bench
