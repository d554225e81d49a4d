#include "matmul/dataflow/product_dealer.hpp"

#include <cstring>
#include <span>

namespace quartet::matmul {

ProductDealer::ProductDealer(flow::Hub& hub, const comm::Roles& roles, WorkSchedule schedule)
    : hub_(hub), roles_(roles), schedule_(schedule) {
    assignment_kind_ = hub_.add([this](int, std::span<const std::byte> message) {
        std::int64_t number = 0;
        std::memcpy(&number, message.data(), sizeof number);
        assignment_ = number;
    });
    request_kind_ = hub_.add([this](int from, auto) {
        const std::int64_t number = assigned_++;
        hub_.send(from, assignment_kind_, std::as_bytes(std::span(&number, 1)));
    });
}

void ProductDealer::restart() {
    assigned_ = 0;
    taken_ = 0;
}

std::int64_t ProductDealer::next() {
    if (schedule_ == WorkSchedule::fixed) {
        return roles_.index_of(hub_.comm().rank()) + roles_.workers() * taken_++;
    }
    assignment_.reset();
    hub_.send(roles_.reducer_rank(0), request_kind_, {});
    hub_.serve_until([&] { return assignment_.has_value(); });
    return *assignment_;
}

}  // namespace quartet::matmul
