#include "comm/transport/staged/staged_transfer.hpp"

#include <sched.h>

#include <algorithm>

#include "core/block_range.hpp"

namespace quartet::comm {

Cut chunks_of(std::int64_t message, const ChunkSizes& sizes) {
    constexpr std::int64_t page = 4096;
    const std::int64_t quarter = divide_up(message, 4 * page) * page;
    const std::int64_t chunk = std::clamp(quarter, sizes.least.value, sizes.largest.value);
    return {message, std::min(chunk, std::max<std::int64_t>(message, 1))};
}

StagedSend::StagedSend(device::View<const std::byte> source, int peer, const StagedContext& context)
    : source_(source),
      link_(context.link(peer)),
      context_(context),
      chunks_(chunks_of(source.size(), context.chunk_sizes)) {
    link_.reserve({std::min(chunks_.piece, chunks_.size)});
    for (int place = 0; place < link_.depth(); ++place) {
        copied_.push_back(context.device.make_event());
    }
}

void StagedSend::begin(int times) {
    count_ = times * chunks_.count();
    number_ = link_.claim_outgoing(count_);
    filled_ = 0;
    posted_ = 0;
}

void StagedSend::advance() {
    while (filled_ < count_ && filled_ < posted_ + link_.depth() &&
           link_.is_free(number_ + filled_)) {
        const Bytes size{chunks_.length(filled_)};
        context_.device.copy(source_.part(chunks_.first(filled_), size.value),
                             link_.outgoing(number_ + filled_, size), context_.out);
        context_.out.record(copied(filled_));
        ++filled_;
    }
    while (posted_ < filled_ && copied(posted_).reached()) {
        link_.post(number_ + posted_, Bytes{chunks_.length(posted_)});
        ++posted_;
    }
}

StagedReceive::StagedReceive(device::View<std::byte> target, int peer, device::Arena* staging,
                             const StagedContext& context)
    : target_(target),
      stages_(staging != nullptr),
      link_(context.link(peer)),
      context_(context),
      chunks_(chunks_of(target.size(), context.chunk_sizes)),
      places_(static_cast<std::size_t>(link_.depth())) {
    const std::int64_t chunk = std::min(chunks_.piece, chunks_.size);
    if (staging != nullptr) {
        constexpr std::int64_t alignment = 256;
        stride_ = divide_up(chunk, alignment) * alignment;
        staging_ = staging->make<std::byte>(link_.depth() * stride_);
        if (staging->plans()) {
            return;
        }
    }
    link_.reserve({chunk});
    for (Place& place : places_) {
        place.copied = context.device.make_event();
        place.used = context.device.make_event();
    }
}

void StagedReceive::begin(int times) {
    count_ = times * chunks_.count();
    number_ = link_.claim_incoming(count_);
    expected_ = 0;
    taken_ = 0;
    released_ = 0;
}

void StagedReceive::advance() {
    while (released_ < taken_ && place(released_).copied->reached()) {
        link_.release(number_ + released_);
        ++released_;
    }
    while (expected_ < count_ && expected_ < released_ + link_.depth()) {
        link_.expect(number_ + expected_, Bytes{chunks_.length(expected_)});
        ++expected_;
    }
}

bool StagedReceive::take(device::Stream& user) {
    if (taken_ == expected_ || !link_.arrived(number_ + taken_)) {
        return false;
    }
    const Bytes size{chunks_.length(taken_)};
    Place& here = place(taken_);
    device::View<std::byte> to;
    if (stages_) {
        to = staging_.view().part(taken_ % std::ssize(places_) * stride_, size.value);
        context_.in.wait(*here.used);
    } else {
        to = target_.part(chunks_.first(taken_), size.value);
    }
    context_.device.copy(link_.incoming(number_ + taken_, size), to, context_.in);
    context_.in.record(*here.copied);
    if (stages_) {
        user.wait(*here.copied);
    }
    landed_ = to;
    ++taken_;
    return true;
}

void StagedReceive::used(device::Stream& user) {
    user.record(*place(taken_ - 1).used);
}

void StagedTransfers::add_send(device::View<const std::byte> source, int peer) {
    if (!source.empty()) {
        sends_.push_back(std::make_unique<StagedSend>(source, peer, context_));
    }
}

StagedReceive& StagedTransfers::add_receive(device::View<std::byte> target, int peer,
                                            device::Arena* staging) {
    receives_.push_back(std::make_unique<StagedReceive>(target, peer, staging, context_));
    return *receives_.back();
}

void StagedTransfers::begin(device::Stream& stream, int times) {
    stream.record(context_.ready);
    context_.out.wait(context_.ready);
    context_.in.wait(context_.ready);
    for (const auto& send : sends_) {
        send->begin(times);
    }
    for (const auto& receive : receives_) {
        receive->begin(times);
    }
}

void StagedTransfers::advance() {
    for (const auto& send : sends_) {
        send->advance();
    }
    for (const auto& receive : receives_) {
        receive->advance();
    }
}

// Spins for a while, since a peer with its own core answers soon; then yields, since a peer that
// shares this core cannot answer while this rank spins.
template <typename Condition>
void StagedTransfers::wait_until(Condition condition, Phase phase, const char* label) {
    constexpr int spins_before_yield = 1000;
    const Span span(context_.track, phase, label);
    for (int spin = 0; advance(), !condition(); ++spin) {
        if (spin > spins_before_yield) {
            sched_yield();
        }
    }
}

void StagedTransfers::take(StagedReceive& receive, device::Stream& user) {
    wait_until([&] { return receive.take(user); }, Phase::exchange, "chunk");
}

void StagedTransfers::finish(device::Stream& stream) {
    const auto done = [&] {
        bool all = true;
        for (const auto& receive : receives_) {
            while (!receive->all_taken() && receive->take(stream)) {
                receive->advance();
            }
            all = all && receive->done();
        }
        return all && std::ranges::all_of(sends_, [](const auto& send) { return send->done(); });
    };
    wait_until(done, Phase::exchange, "chunks");
    context_.out.synchronize();
    context_.in.synchronize();
}

}  // namespace quartet::comm
