#include "cg/checkpoint/checkpointing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/checkpoint/checkpoint_files.hpp"

namespace quartet::cg {

namespace {

// Collective.
CheckpointFolder usable_folder(const std::filesystem::path& path, const comm::Communicator& world) {
    bench::make_usable(path, world);
    return CheckpointFolder(path);
}

std::optional<RestartPoint> restart_point(const CheckpointFolder& folder, Restart which,
                                          const CheckpointManifest& now,
                                          const comm::Communicator& world) {
    if (which == Restart::none) {
        return std::nullopt;
    }
    return RestartPoint(folder, which, now, world);
}

CheckpointImage::Buffers image_buffers(Algorithm algorithm, Range rows) {
    bench::BufferPlan scratch;
    return {scratch, algorithm, rows.size()};
}

}  // namespace

Checkpointing::Checkpointing(bench::Session& session, CheckpointOptions options,
                             CheckpointManifest now, Range rows)
    : session_(session),
      world_(session.world()),
      options_(std::move(options)),
      folder_(usable_folder(*options_.folder, world_)),
      now_(std::move(now)),
      origin_(restart_point(folder_, options_.restart, now_, world_)),
      image_(image_buffers(now_.algorithm, rows), rows, session.device(), session.stream()),
      writer_(folder_, image_, world_, session.stream().track()) {
    now_.segments = origin_ ? origin_->manifest().segments : 0;
}

void Checkpointing::restore(IterationState& state, std::span<double> history) {
    if (origin_) {
        origin_->restore(state, history, image_);
    }
}

void Checkpointing::begin() {
    begin_ = now();
    cpu_begin_ = process_cpu_time();
}

bool Checkpointing::wants_stop() const {
    return session_.stop_request().is_made();
}

Next Checkpointing::after(const IterationState& state, std::span<const double> history, bool stop) {
    if (stop) {
        session_.stop_request().ignore_later();
    }
    const bool stops = stop && state.done < now_.iterations;
    if (!stops && state.done % options_.every != 0) {
        return Next::go_on;
    }
    writer_.write(state, history, [this] { return manifest(); });
    ++written_;
    if (!stops) {
        return Next::go_on;
    }
    stopped_ = fmt::format(
        "stopped on request after iteration {} of {} (checkpoint in {}): go on with "
        "--restart",
        state.done, now_.iterations, quotation(folder_.path().native()));
    return Next::stop;
}

// Of a checkpoint that is written now, but for what is in it. Collective.
CheckpointManifest Checkpointing::manifest() const {
    CheckpointManifest manifest = now_;
    manifest.segments = now_.segments + 1;
    manifest.spent = spent();
    return manifest;
}

bench::EarlierTime Checkpointing::earlier() const {
    return origin_ ? origin_->manifest().spent : bench::EarlierTime{};
}

// So far, the slowest rank's. Collective.
bench::EarlierTime Checkpointing::spent() const {
    std::array<double, 2 + phase_count> mine{(now() - begin_).value,
                                             (process_cpu_time() - cpu_begin_).value};
    std::ranges::copy(session_.trace().busy(), mine.begin() + 2);
    const auto all = world_.gather(std::span<const double>(mine));
    std::size_t slowest = 0;
    for (std::size_t row = 0; row < all.size(); row += mine.size()) {
        slowest = all[row] > all[slowest] ? row : slowest;
    }
    bench::EarlierTime spent = earlier();
    spent.real.value += all[slowest];
    spent.cpu.value += all[slowest + 1];
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        spent.phases[phase] += all[slowest + 2 + phase];
    }
    return spent;
}

std::string Checkpointing::note() const {
    if (!origin_) {
        return {};
    }
    return fmt::format("went on from iteration {}{}", origin_->manifest().done,
                       bench::as_it_was_begun(origin_->manifest().set_up, now_.set_up));
}

std::vector<std::pair<std::string, double>> Checkpointing::numbers() const {
    const Bytes size = CheckpointImage::size_of_all(now_.algorithm, now_.size);
    return {{"checkpoints", written_},
            {"checkpoint_bytes", static_cast<double>(size.value)},
            {"segments", now_.segments + 1},
            {"restarted_from", origin_ ? static_cast<double>(origin_->manifest().done) : 0}};
}

}  // namespace quartet::cg
