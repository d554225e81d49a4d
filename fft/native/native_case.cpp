#include "fft/native/native_case.hpp"

#include <fmt/format.h>

#include "device/fft_factory.hpp"
#include "device/host_access.hpp"
#include "system/parallel_for.hpp"

namespace quartet::fft {

namespace {

template <typename T>
device::View<const T> as(const device::View<const std::byte>& bytes) {
    return {reinterpret_cast<const T*>(bytes.data()),
            bytes.size() / static_cast<std::int64_t>(sizeof(T)), bytes.kind()};
}

bool rearranges(const Problem& problem, int ranks) {
    return problem.order == Order::natural && ranks > 1;  // one rank's transposed bins are natural
}

bool has_windows(const std::string& transport) {
    return transport == "shm" || transport == "rma";
}

}  // namespace

NativeCase::Memory NativeCase::memory(bench::Session& session, const bench::Variant& variant,
                                      const Problem& problem) {
    const int ranks = session.world().size();
    const int rank = session.world().rank();
    const device::FourStepFft split = problem.split(ranks, rank);
    if (const auto whole = session.device().ffts().single_rank_fft_memory(split)) {
        return memory_of_single_rank_fft(session, problem, *whole);
    }
    const Bytes sent = bytes_of<double>(split.parts_size());
    const Bytes bins = bytes_of<Point>(split.output_points());
    Bytes received;
    for (int from = 0; from < ranks; ++from) {
        received = received + bytes_of<double>(split.part_size(from, rank));
    }
    Memory memory;
    memory.windows = sent;
    memory.all = bytes_of<Point>(split.input_points()) + sent + bins;
    if (rearranges(problem, ranks)) {
        const Bytes natural = bytes_of<Point>(block_range(problem.points, ranks, rank).size());
        memory.windows = memory.windows + bins;
        memory.all = memory.all + natural;
        received = received + natural;
    }
    if (ranks > 1 && variant.transport != "shm") {
        memory.all = memory.all + received;
    }
    const Bytes probe = Limit::exchange_memory(problem, ranks);
    memory.windows = memory.windows + Bytes{probe.value / 2};
    memory.all = memory.all + probe + session.device().ffts().four_step_fft_memory(split);
    if (!has_windows(variant.transport)) {
        memory.windows = {};
    }
    if (session.device().memory_kind() == device::MemoryKind::device) {
        memory.device = memory.all;
        memory.all = {};
    }
    memory.all = memory.all + memory_beside(session, problem);
    return memory;
}

// Of the CPU, whatever the device: the check, and what it sees a GPU's memory through.
Bytes NativeCase::memory_beside(bench::Session& session, const Problem& problem) {
    const device::FourStepFft split = problem.split(session.world().size(), session.world().rank());
    const Bytes largest = bytes_of<Point>(std::max(split.input_points(), split.output_points()));
    const device::MemoryKind kind = session.device().memory_kind();
    return Bytes{TransformCheck::memory(problem.points, session.threads())} +
           device::HostAccess::memory(largest, kind) + TileLoader::memory(split.length, kind);
}

NativeCase::Memory NativeCase::memory_of_single_rank_fft(bench::Session& session,
                                                         const Problem& problem, Bytes pass) {
    const device::FourStepFft split = problem.split(1, 0);
    const Bytes points = bytes_of<Point>(split.points());
    const bool apart = result_place(session, split) == ResultPlace::apart;
    return {.all = memory_beside(session, problem),
            .windows = {},
            .device = (apart ? 2 : 1) * points + pass};
}

NativeCase::ResultPlace NativeCase::result_place(bench::Session& session,
                                                 const device::FourStepFft& split) {
    const auto pass = session.device().ffts().single_rank_fft_memory(split);
    const Bytes apart = 2 * bytes_of<Point>(split.points()) + pass.value_or(Bytes{0});
    if (!pass || session.gpus().empty()) {
        return ResultPlace::apart;
    }
    const Bytes free = session.gpus().memory_share();
    const Bytes allowed = session.options().device_memory.value_or(free);
    return apart <= std::min(free, allowed) ? ResultPlace::apart : ResultPlace::over_input;
}

bool NativeCase::has_room_for_one_tile(bench::Session& session, const Problem& problem) {
    const device::FourStepFft whole{1, problem.points, session.world().size(),
                                    session.world().rank()};
    return whole.ranks == 1 && session.device().ffts().single_rank_fft_memory(whole) &&
           !session.gpus().empty() && result_place(session, whole) == ResultPlace::apart;
}

NativeCase::NativeCase(bench::Session& session, const bench::Variant& variant,
                       const Problem& problem, const bench::DataOptions& data)
    : session_(session),
      problem_(problem),
      data_(data),
      split_(problem.split(session.world().size(), session.world().rank())),
      result_place_(result_place(session, split_)),
      transport_(session.transport(variant.transport)),
      check_(problem.points, session.options().seed, problem.input_order(split_.ranks, split_.rank),
             problem.output_order(split_.ranks, split_.rank), session.threads(), session.world()) {
    session.require_formulation(variant.formulation);
    // Before there are windows: they could not be freed while an exception unwinds.
    if (split_.ranks > 1 && !transport_.can(comm::Capability::all_to_all)) {
        throw Unavailable(fmt::format("transport {} has no all-to-all: use --transport shm or mpi",
                                      transport_.name()));
    }
    make_data();
    device::Device& device = session.device();
    single_rank_fft_ = device.ffts().plan_single_rank_fft(split_);
    if (single_rank_fft_) {
        if (result_place_ == ResultPlace::apart) {
            transposed_ = device::allocate<Point>(device, split_.output_points());
        }
        return;
    }
    column_ffts_ = device.ffts().plan_column_ffts(split_);
    row_ffts_ = device.ffts().plan_row_ffts(split_);
    prepare_exchanges();
}

void NativeCase::make_data() {
    device::Device& device = session_.device();
    input_ = device::allocate<Point>(device, split_.input_points());
    if (data_.in_files()) {
        const auto folder = tile_folder(problem_, session_.options().seed, *data_.folder);
        if (data_.generate == bench::Switch::on) {
            generate_tiles(folder, problem_, session_);
        }
        folder.verify(session_.world(), session_.topology());
        reader_.emplace(folder, problem_, split_.my_tiles(), data_);
        loader_.emplace(session_, *reader_, input_.view());
        loader_->load();
    } else {
        fill_input();
    }
    check_.expect(pieces_of(input_.view()));
}

void NativeCase::fill_input() {
    const std::int64_t first_tile = split_.my_tiles().begin;
    const auto fill = [&](std::int64_t first, std::span<Point> points) {
        system::parallel_parts(session_.threads(), [&](int thread) {
            const Range mine = block_range(std::ssize(points), session_.threads(), thread);
            fill_tiles(points.subspan(static_cast<std::size_t>(mine.begin),
                                      static_cast<std::size_t>(mine.size())),
                       session_.options().seed, problem_,
                       first_tile * problem_.length() + first + mine.begin);
        });
    };
    device::HostAccess(session_.device(), session_.stream()).write(input_.view(), fill);
}

ReadPieces NativeCase::pieces_of(device::View<const Point> array) {
    return [this, array](const UsePiece& use) {
        device::HostAccess(session_.device(), session_.stream()).read(array, use);
    };
}

void NativeCase::prepare_exchanges() {
    device::Device& device = session_.device();
    parts_ = comm::allocate<double>(transport_, split_.parts_size());
    if (split_.ranks == 1) {
        transposed_ = device::allocate<Point>(device, split_.output_points());
        received_ = {parts_.view()};
        return;
    }
    comm::ExchangePlan cells{device::as_bytes(device::View<const double>(parts_.view())), {}};
    comm::ExchangePlan bins;
    for (int to = 0; to < split_.ranks; ++to) {
        cells.counts.push_back(bytes_of<double>(split_.part_size(split_.rank, to)).value);
        bins.counts.push_back(bytes_of<Point>(natural_part_points(split_, split_.rank, to)).value);
    }
    exchange_ = transport_.prepare_exchange(cells);
    for (const auto& part : exchange_->parts()) {
        received_.push_back(as<double>(part));
    }
    if (problem_.order == Order::transposed) {
        transposed_ = device::allocate<Point>(device, split_.output_points());
        return;
    }
    transposed_ = comm::allocate<Point>(transport_, split_.output_points());
    bins.send = device::as_bytes(device::View<const Point>(transposed_.view()));
    to_natural_ = transport_.prepare_exchange(bins);
    for (const auto& part : to_natural_->parts()) {
        received_bins_.push_back(as<Point>(part));
    }
    natural_ = device::allocate<Point>(
        device, block_range(problem_.points, split_.ranks, split_.rank).size());
    transpose_ = device.ffts().plan_transpose(split_);
}

void NativeCase::prepare() {
    if (reader_) {
        reader_->prepare();
    } else if (result_place_ == ResultPlace::over_input) {
        fill_input();
    }
}

device::View<Point> NativeCase::result() {
    if (result_place_ == ResultPlace::over_input) {
        return input_.view();
    }
    return transpose_ ? natural_.view() : transposed_.view();
}

void NativeCase::run(bench::Clocks&) {
    device::Stream& stream = session_.stream();
    if (loader_) {
        loader_->load();
    }
    if (single_rank_fft_) {
        single_rank_fft_->run(device::View<const Point>(input_.view()), result(), stream);
        return;
    }
    column_ffts_->run(device::View<const Point>(input_.view()), parts_.view(), stream);
    if (exchange_) {
        exchange_->run(stream);
    }
    row_ffts_->run(received_, transposed_.view(), stream);
    if (exchange_) {
        exchange_->release(stream);
    }
    if (to_natural_) {
        to_natural_->run(stream);
        transpose_->run(received_bins_, natural_.view(), stream);
        to_natural_->release(stream);
    }
}

void NativeCase::prepare_limit() {
    device::View<const Point> source = input_.view();
    device::View<Point> target = result();
    if (result_place_ == ResultPlace::over_input) {  // one half to the other
        const std::int64_t half = source.size() / 2;
        source = source.part(0, half);
        target = target.part(half, half);
    }
    limit_.emplace(session_, transport_, problem_, source, target);
}

std::string NativeCase::note() const {
    if (single_rank_fft_) {
        return single_rank_fft_->description() +
               (result_place_ == ResultPlace::apart ? "" : "; in place, made anew for each run");
    }
    const std::string text = fmt::format("tiles by {}; sums by {}", column_ffts_->description(),
                                         row_ffts_->description());
    const std::string transport = transport_.description();
    return transport.empty() ? text : text + "; " + transport;
}

// A view of the CPU's memory: `staged`, where the array is not.
std::span<const Point> NativeCase::on_host(device::View<const Point> array,
                                           std::vector<Point>& staged) {
    if (array.kind() != device::MemoryKind::device) {
        return array.span();
    }
    staged.reserve(static_cast<std::size_t>(array.size()));
    pieces_of(array)([&](std::int64_t, std::span<const Point> piece) {
        staged.insert(staged.end(), piece.begin(), piece.end());
    });
    return staged;
}

void NativeCase::finish() {
    if (data_.keep == bench::Switch::on) {
        std::vector<Point> staged;
        keep_result(*data_.folder, problem_, on_host(result(), staged), session_);
    }
}

}  // namespace quartet::fft
