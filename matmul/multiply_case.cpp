#include "matmul/multiply_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/files/checksum.hpp"
#include "matmul/library/library_product.hpp"
#include "matmul/native/resident_product.hpp"
#include "matmul/tiles/kept_results.hpp"
#include "matmul/tiles/memory_tiles.hpp"
#include "matmul/tiles/staged_tiles.hpp"

namespace quartet::matmul {

namespace {

Results results_of(const bench::DataOptions& data) {
    return data.keep == bench::Switch::on ? Results::kept : Results::removed;
}

void require_library_place(const CasePlan& plan) {
    if (plan.variant.transport != "mpi") {
        throw Unavailable("formulation library is plain MPI: add --transport mpi");
    }
    if (plan.data.in_files() || plan.on_device) {
        throw Unavailable(
            "not available in this build: matmul's formulation library with tiles in files or on a "
            "GPU (ScaLAPACK's layout in the host's memory is its own): leave out --data, or add "
            "--device host");
    }
}

}  // namespace

std::int64_t probe_edge(const CasePlan& plan) {
    constexpr std::int64_t large = 2048;
    const std::int64_t tile = plan.problem.extent(0);
    if (plan.on_device) {
        return plan.device_probe_edge;
    }
    return plan.data.in_files() ? tile : std::min(plan.problem.size, std::max(tile, large));
}

MultiplyCase::MultiplyCase(bench::Session& session, CasePlan plan)
    : session_(session), plan_(std::move(plan)) {
    session.require_formulation(plan_.variant.formulation);
    if (plan_.roles && plan_.on_device) {
        throw Unavailable(
            "not available in this build: matmul's data flow on a GPU: use --formulation native "
            "or --device host");
    }
    static_cast<void>(session.transport(plan_.variant.transport));  // throws where there is none
    if (plan_.uses_library()) {
        require_library_place(plan_);
    }
    const bool shares = plan_.variant.transport == "shm" || plan_.variant.transport == "mpi";
    if (!plan_.on_device && !shares) {
        throw Unavailable(fmt::format(
            "matmul sends nothing over {} (native keeps tiles in shared windows or in each rank's "
            "memory): use --transport shm or mpi",
            plan_.variant.transport));
    }
    product_ = make_product();
    if (session.options().verify == bench::Switch::on) {
        check_.emplace(plan_.problem, plan_.block, session.threads(), *product_);
    }
}

std::unique_ptr<Product> MultiplyCase::make_product() {
    if (plan_.uses_library()) {
        return make_library_product(session_, plan_.problem);
    }
    if (plan_.data.in_files()) {
        open_files();
    }
    if (plan_.roles) {
        return make_flow_product();
    }
    if (plan_.on_device) {
        return make_streamed_product();
    }
    if (plan_.data.in_files()) {
        return make_file_product();
    }
    return std::make_unique<ResidentProduct>(
        plan_.problem, plan_.blocks, plan_.block, session_.topology(),
        sharing_over(plan_.variant.transport), session_.device(), session_.threads());
}

void MultiplyCase::open_files() {
    const Problem& problem = plan_.problem;
    const bench::TileFolder<float> folder(*plan_.data.folder, manifest_of(problem),
                                          input_files(problem));
    if (plan_.data.generate == bench::Switch::on) {
        folder.generate(session_.world(), session_.topology(),
                        [&](const bench::TileFile& file, std::span<float> elements) {
                            const auto number = &file - folder.files().data();
                            const auto [matrix, index] = input_tile(problem, number);
                            fill_tile(problem, matrix, index, elements);
                        });
    }
    folder.verify(session_.world(), session_.topology());
    files_.emplace(*plan_.data.folder, problem, plan_.data.cache);
}

std::unique_ptr<Product> MultiplyCase::make_flow_product() {
    auto product = std::make_unique<DataflowProduct>(
        plan_.problem, *plan_.roles, session_, session_.transport(plan_.variant.transport),
        sharing_over(plan_.variant.transport), plan_.flow, files_ ? &*files_ : nullptr);
    flow_product_ = product.get();
    return product;
}

std::unique_ptr<Product> MultiplyCase::make_file_product() {
    auto product = std::make_unique<FileProduct>(plan_.problem, plan_.block, plan_.files->blocking,
                                                 *files_, session_.device());
    product->set_results(results_of(plan_.data));
    file_product_ = product.get();
    return product;
}

std::unique_ptr<Product> MultiplyCase::make_streamed_product() {
    std::unique_ptr<HostTiles> tiles;
    if (plan_.data.in_files()) {
        auto staged = std::make_unique<StagedTiles>(
            plan_.problem, plan_.block, plan_.files->blocking, *files_, session_.device());
        staged->set_results(results_of(plan_.data));
        tiles = std::move(staged);
    } else {
        tiles = std::make_unique<MemoryTiles>(plan_.problem, plan_.blocks, plan_.block,
                                              session_.topology(), session_.device(),
                                              session_.threads());
    }
    auto product = std::make_unique<StreamedProduct>(
        plan_.problem, plan_.block, plan_.on_device->blocking, std::move(tiles), session_.device());
    streamed_ = product.get();
    return product;
}

void MultiplyCase::prepare() {
    product_->prepare();
    session_.world().barrier();  // before a file is read, it has been forgotten by all
}

void MultiplyCase::run(bench::Clocks&) {
    product_->run(session_.stream());
}

bench::Check MultiplyCase::verify() {
    product_->collect();
    const double deviation = session_.world().maximum(check_->deviation(*product_));
    if (plan_.data.keep == bench::Switch::on) {
        record_results(*plan_.data.folder, plan_.block, *product_, session_.world(),
                       session_.topology());
    }
    // In units of the bound of the row that is nearest to its own, or past it.
    return {.passed = deviation <= 1, .error = deviation, .tolerance = 1};
}

bool MultiplyCase::works() const {
    return !plan_.roles || plan_.roles->of(session_.world().rank()) == comm::Role::worker;
}

void MultiplyCase::prepare_limit() {
    if (works()) {
        sgemm_.emplace(session_.device(), probe_edge(plan_));
        sgemm_->measure(session_.stream());  // the first one meets cold caches
        const Seconds product = sgemm_->measure(session_.stream());
        const int computing = plan_.roles ? plan_.roles->workers() : session_.world().size();
        const double products = plan_.problem.flops().value / sgemm_->flops().value / computing;
        products_ = bench::passes_in(bench::probe_time_beside(products * product), product);
    } else {
        add_.emplace(session_.device(), bench::AccessPattern::add, plan_.problem.tile_bytes());
    }
    if (plan_.roles && plan_.variant.transport != "shm") {
        link_.emplace(session_.transport("mpi"), session_.world(), plan_.roles->worker_rank(0),
                      plan_.roles->reducer_rank(0), plan_.problem.tile_bytes());
    }
    const bool reads = plan_.roles ? works() : !plan_.block.empty();
    if (plan_.data.in_files() && reads) {
        storage_.emplace(*plan_.data.folder / tile_file("A", plan_.block.rows.begin, 0),
                         plan_.data.cache);
    }
    if (streamed_ != nullptr && !plan_.data.in_files()) {
        copy_times_ = streamed_->measure_copies();
    }
}

// All ranks at the same time, as in a run.
Seconds MultiplyCase::limit() {
    double seconds = seconds_computing();
    if (plan_.data.in_files()) {
        session_.world().barrier();
        seconds = std::max(seconds, seconds_reading());
    }
    if (plan_.roles) {
        seconds = std::max(seconds, seconds_taking_in());
    }
    return {session_.world().maximum(seconds)};
}

double MultiplyCase::seconds_computing() {
    Seconds product;
    for (int count = 0; works() && count < products_; ++count) {
        product = product + sgemm_->measure(session_.stream());
    }
    const double rate = works() ? products_ * sgemm_->flops().value / product.value : 0;
    return plan_.problem.flops().value / session_.world().sum(rate);
}

double MultiplyCase::seconds_reading() {
    if (!storage_) {
        return 0;
    }
    Seconds time;
    Bytes size;
    do {
        time = time + storage_->measure();
        size = size + storage_->size();
    } while (time < bench::probe_time);
    return bytes_to_read() * time.value / static_cast<double>(size.value);
}

// The data flow reads two tiles for each product, whatever was read before.
double MultiplyCase::bytes_to_read() const {
    if (!plan_.roles) {
        return static_cast<double>(plan_.files->best.value);
    }
    const auto tiles = static_cast<double>(plan_.problem.tiles());
    const auto matrix = static_cast<double>(plan_.problem.matrix_bytes().value);
    return 2 * tiles * matrix / plan_.roles->workers();
}

// A reducer adds every partial tile that it gets, and has to get it first.
double MultiplyCase::seconds_taking_in() {
    constexpr int passes = 4;
    const double tiles = static_cast<double>(plan_.problem.tiles());
    const double partial_tiles = tiles * tiles * tiles / plan_.roles->reducers();
    const double adding = add_ ? add_->measure(passes, session_.stream()).value : 0;
    const double sending = link_ ? link_->measure(passes, session_.stream()).value : 0;
    return partial_tiles * std::max(adding, sending);
}

std::string MultiplyCase::limit_name() const {
    return plan_.roles && files_   ? "slowest of SGEMM, reducers and storage"
           : plan_.roles           ? "slower of SGEMM and reducers"
           : plan_.data.in_files() ? "slower of SGEMM and storage"
                                   : "SGEMM";
}

bench::Details MultiplyCase::details() const {
    if (plan_.roles) {
        return flow_details();
    }
    bench::Details details = product_->details();
    if (plan_.data.in_files()) {
        add_file_details(details);
    }
    if (streamed_ != nullptr) {
        add_copy_details(details);
    }
    return details;
}

bench::Details MultiplyCase::flow_details() const {
    const double tiles = static_cast<double>(plan_.problem.tiles());
    const double bytes = static_cast<double>(plan_.problem.matrix_bytes().value);
    bench::Details details{.numbers = {{"bytes_shipped", tiles * bytes},
                                       {"partial_tiles", tiles * tiles * tiles},
                                       {"result_tiles", tiles * tiles},
                                       {"reducers", plan_.roles->reducers()}},
                           .series = {}};
    if (files_) {
        const comm::Communicator& world = session_.world();
        const Traffic traffic = flow_product_->traffic();
        details.numbers.emplace_back("bytes_read",
                                     world.sum(static_cast<double>(traffic.read.value)));
        details.numbers.emplace_back("bytes_written",
                                     world.sum(static_cast<double>(traffic.written.value)));
        details.numbers.emplace_back("lookahead", plan_.flow.lookahead);
    }
    return details;
}

void MultiplyCase::add_file_details(bench::Details& details) const {
    const comm::Communicator& world = session_.world();
    const auto add = [&](const char* key, Bytes bytes) {
        details.numbers.emplace_back(key, world.sum(static_cast<double>(bytes.value)));
    };
    const auto add_of_root = [&](const char* key, std::int64_t value) {
        details.numbers.emplace_back(key, world.broadcast(static_cast<double>(value), 0));
    };
    const Traffic traffic =
        streamed_ != nullptr ? streamed_->tiles().file_traffic() : file_product_->traffic();
    const FilePlan& files = *plan_.files;
    add("bytes_read", traffic.read);
    add("bytes_written", traffic.written);
    add("bytes_planned", files.traffic.sum());
    add("bytes_best_whole_tiles", files.best);
    add("bytes_lower_bound", files.lower_bound);
    add_of_root("blocking_rows", files.blocking.rows);
    add_of_root("blocking_columns", files.blocking.columns);
    add_of_root("blocking_slots", files.blocking.slots);
    add_of_root("lookahead", files.blocking.lookahead);
}

// Rates are the slowest rank's: that of the link, where ranks have one each.
void MultiplyCase::add_copy_details(bench::Details& details) const {
    const comm::Communicator& world = session_.world();
    const auto add = [&](const char* key, double value) {
        details.numbers.emplace_back(key, value);
    };
    const auto sum = [&](Bytes bytes) { return world.sum(static_cast<double>(bytes.value)); };
    const Blocking& blocking = plan_.on_device->blocking;
    add("bytes_copied_in", sum(streamed_->copied().read));
    add("bytes_copied_out", sum(streamed_->copied().written));
    for (const auto& [key, time] : {std::pair("copy_in_bytes_per_second", copy_times_.in),
                                    std::pair("copy_out_bytes_per_second", copy_times_.out)}) {
        const double slowest = world.maximum(time.value);
        if (slowest > 0) {
            add(key, static_cast<double>(plan_.problem.tile_bytes().value) / slowest);
        }
    }
    const auto add_of_root = [&](const char* key, std::int64_t value) {
        add(key, world.broadcast(static_cast<double>(value), 0));
    };
    add_of_root("device_blocking_rows", blocking.rows);
    add_of_root("device_blocking_columns", blocking.columns);
    add_of_root("device_blocking_slots", blocking.slots);
    add_of_root("device_lookahead", blocking.lookahead);
}

}  // namespace quartet::matmul
