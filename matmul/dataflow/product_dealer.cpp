#include "matmul/dataflow/product_dealer.hpp"

#include <cstring>
#include <span>

namespace quartet::matmul {

ProductDealer::ProductDealer(flow::Hub& hub, const comm::Roles& roles, WorkSchedule schedule,
                             const ProductOrder& order, bench::TileCheckpoint* checkpoint)
    : hub_(hub), roles_(roles), schedule_(schedule), order_(order), checkpoint_(checkpoint) {
    assignment_kind_ = hub_.add([this](int, std::span<const std::byte> message) {
        std::int64_t number = 0;
        std::memcpy(&number, message.data(), sizeof number);
        assignment_ = number;
    });
    request_kind_ = hub_.add([this](int from, auto) {
        const std::int64_t number = assign();
        hub_.send(from, assignment_kind_, std::as_bytes(std::span(&number, 1)));
    });
}

void ProductDealer::restart() {
    assigned_ = 0;
    last_.reset();
    taken_ = 0;
}

// Products of whole tiles, in their order: each reducer gets all of what is begun.
std::int64_t ProductDealer::assign() {
    if (checkpoint_ != nullptr && !last_ && checkpoint_->wants_stop()) {
        last_ = order_.tile_from(assigned_);
    }
    return last_ && assigned_ >= *last_ ? order_.count() : assigned_++;
}

std::int64_t ProductDealer::next() {
    if (schedule_ == WorkSchedule::fixed) {
        return roles_.index_of(hub_.comm().rank()) + roles_.workers() * taken_++;
    }
    if (checkpoint_ != nullptr) {
        static_cast<void>(checkpoint_->wants_stop());  // where this rank is asked, others are told
    }
    assignment_.reset();
    hub_.send(roles_.reducer_rank(0), request_kind_, {});
    hub_.serve_until([&] { return assignment_.has_value(); });
    return *assignment_;
}

}  // namespace quartet::matmul
