#include "fakes/emulator/warp_exchange.hpp"

#include "fakes/emulator/refuse.hpp"

namespace quartet::emulator {

std::size_t WarpExchange::group_of(unsigned mask) {
    for (std::size_t i = 0; i < groups_.size(); ++i)
        if (groups_[i].mask == mask)
            return i;
    groups_.push_back({mask, {}, {}, 0});
    return groups_.size() - 1;
}

WarpExchange::Ticket WarpExchange::give(const Wish& wish) {
    const unsigned source = wish.from == all ? wish.lane : wish.from;
    if (source >= warp_size || (wish.mask >> wish.lane & 1U) == 0 ||
        (wish.mask >> source & 1U) == 0)
        refuse("a lane that the mask does not name exchanges at " + text_of(wish.place));
    const std::size_t number = group_of(wish.mask);
    Group& group = groups_[number];
    const std::size_t place = group.rounds_of_lane[wish.lane]++;
    if (place == group.used) {
        if (group.used == group.rounds.size())
            group.rounds.resize(2 * group.used + 8);
        group.rounds[group.used].place = wish.place;
        group.rounds[group.used++].arrived = 0;
    }
    Round& round = group.rounds[place];
    if (round.place.line() != wish.place.line() || round.place.column() != wish.place.column())
        refuse("lanes of a warp exchange at different places: " + text_of(round.place) + " and " +
               text_of(wish.place));
    round.bits[wish.lane] = wish.bits;
    round.arrived |= 1U << wish.lane;
    return {number, place, wish.from};
}

bool WarpExchange::can_take(const Ticket& ticket) const {
    const Group& group = groups_[ticket.group];
    const unsigned arrived = group.rounds[ticket.round].arrived;
    return ticket.from == all ? arrived == group.mask : (arrived >> ticket.from & 1U) != 0;
}

std::uint64_t WarpExchange::take(const Ticket& ticket) const {
    return ticket.from == all ? 0 : groups_[ticket.group].rounds[ticket.round].bits[ticket.from];
}

void WarpExchange::clear() {
    for (Group& group : groups_) {
        for (std::size_t i = 0; i < group.used; ++i)
            if (group.rounds[i].arrived != group.mask)
                refuse("lanes that the mask names do not come to " +
                       text_of(group.rounds[i].place));
        group.used = 0;
        group.rounds_of_lane = {};
    }
}

}  // namespace quartet::emulator
