#include "matmul/native.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "device/blas.hpp"

namespace quartet::matmul {

namespace {

/// Memory of one tile.
struct TileMemory {
    Bytes slot;         ///< of A or B, as it is read
    Bytes result;       ///< of C
    Bytes alignment{};  ///< once, so that the first slot can be aligned

    [[nodiscard]] Bytes of(std::int64_t slots, std::int64_t held) const {
        return slots * slot + alignment + held * result;
    }
    /// Of the least blocking.
    [[nodiscard]] Bytes least() const { return of(Blocking{}.slots(), Blocking{}.held()); }
};

TileMemory host_tile(const Problem& problem) {
    return {.slot = MatrixFiles::slot_bytes(problem),
            .result = problem.tile_bytes(),
            .alignment = Bytes{direct_alignment}};
}

TileMemory device_tile(const Problem& problem) {
    return {.slot = problem.tile_bytes(), .result = problem.tile_bytes()};
}

// Parts are nearly equal: 8 tiles in parts of at most 5 come in parts of 4.
struct Parts {
    Parts(const Block& block, const Blocking& blocking)
        : down(divide_up(block.rows.size(), blocking.rows)),
          across(divide_up(block.columns.size(), blocking.columns)) {}
    [[nodiscard]] std::int64_t count() const { return down * across; }
    std::int64_t down;
    std::int64_t across;
};

// The blocking with the least traffic in `memory`, which has room for one tile of C and what it
// needs. The largest parts are not always best: 5 tiles in parts of 4 are fetched as often as in
// parts of 3.
Blocking least_traffic_in(Bytes memory, const Problem& problem, const Block& block,
                          const TileMemory& tiles, std::int64_t (Blocking::*slots)() const) {
    Blocking best;
    Bytes least{std::numeric_limits<std::int64_t>::max()};
    std::int64_t columns = block.columns.size();
    for (std::int64_t rows = 1; rows <= block.rows.size(); ++rows) {
        while (columns > 0 &&
               tiles.of((Blocking{rows, columns}.*slots)(), rows * columns) > memory) {
            --columns;
        }
        if (columns == 0) {
            break;
        }
        const Parts parts(block, {rows, columns});
        const Blocking even{divide_up(block.rows.size(), parts.down),
                            divide_up(block.columns.size(), parts.across)};
        const Bytes bytes = planned_traffic(problem, block, even).sum();
        if (bytes < least) {
            best = even;
            least = bytes;
        }
    }
    return best;
}

// Throws UsageError unless the budget has `least` of the host's memory for tiles.
void require_host_memory(const Problem& problem, Bytes least, const MemoryBudget& budget) {
    if (least + budget.elsewhere > budget.allowed) {
        throw UsageError(fmt::format(
            "tiles of {} x {} in files take at least {} per rank ({} are allowed): give more "
            "--memory, or a smaller --tile",
            problem.extent(0), problem.extent(0), to_string(least + budget.elsewhere),
            to_string(budget.allowed)));
    }
}

Range part_of(const Range& whole, std::int64_t parts, std::int64_t index) {
    const Range part = block_range(whole.size(), static_cast<int>(parts), static_cast<int>(index));
    return {whole.begin + part.begin, whole.begin + part.end};
}

}  // namespace

Traffic planned_traffic(const Problem& problem, const Block& block, const Blocking& blocking) {
    if (block.empty()) {
        return {};
    }
    const Parts parts(block, blocking);
    const std::int64_t edges = elements_of(problem, block.rows).size() * parts.across +
                               elements_of(problem, block.columns).size() * parts.down;
    return {.read = edges * bytes_of<float>(problem.size),
            .written = bytes_of<float>(elements_in(problem, block))};
}

PanelPlan plan_host(const Problem& problem, const Block& block, const MemoryBudget& budget) {
    const TileMemory tiles = host_tile(problem);
    require_host_memory(problem, tiles.least(), budget);
    const Bytes memory = budget.allowed - budget.elsewhere;
    const Blocking blocking = least_traffic_in(memory, problem, block, tiles, &Blocking::slots);
    const Blocking best = least_traffic_in(memory, problem, block, tiles, &Blocking::fewest_slots);
    return {.blocking = blocking,
            .traffic = planned_traffic(problem, block, blocking),
            .best = planned_traffic(problem, block, best).sum(),
            .places = {.in_files = true}};
}

PanelPlan plan_device(const Problem& problem, const Block& block, const MemoryBudget& budget,
                      const std::optional<MemoryBudget>& from_files) {
    const TileMemory tiles = device_tile(problem);
    require_tile_memory(problem, tiles.least(), budget);
    const Bytes memory = budget.allowed - budget.elsewhere;
    if (from_files) {
        require_host_memory(
            problem, host_tile(problem).of(TileLoader::passing, TileStorer::passing), *from_files);
    }
    const Blocking blocking = least_traffic_in(memory, problem, block, tiles, &Blocking::slots);
    const Traffic traffic = planned_traffic(problem, block, blocking);
    return {.blocking = blocking,
            .traffic = traffic,
            .best = traffic.sum(),
            .places = {.in_files = from_files.has_value(), .on_gpu = true}};
}

std::string describe(const PanelPlan& plan) {
    return fmt::format(
        "{}{} x {} tiles of C held, {} slots for A and B; a rank {} {}, reading {} and writing {} "
        "(best whole-tile blocking {})",
        plan.places.on_gpu ? "on the GPU " : "", plan.blocking.rows, plan.blocking.columns,
        plan.blocking.slots(), plan.places.on_gpu ? "copies" : "moves",
        to_string(plan.traffic.sum()), to_string(plan.traffic.read),
        to_string(plan.traffic.written), to_string(plan.best));
}

PanelProduct::PanelProduct(device::Arena& arena, const Problem& problem, const Block& block,
                           const PanelPlan& plan, const ProductFiles& files,
                           std::unique_ptr<HostInputs> inputs)
    : problem_(problem),
      block_(block),
      plan_(plan),
      device_(arena.device()),
      files_(files.matrices),
      inputs_(std::move(inputs)),
      result_(inputs_ ? std::optional<HostResult>(std::in_place, arena, problem, block)
                      : std::nullopt),
      memory_(arena.make<float>(plan.blocking.held() * problem.elements({}))),
      loader_(arena, problem, plan.places, plan.blocking.slots(), files, inputs_.get()),
      storer_(arena, problem, block, plan.places, files, result_ ? &*result_ : nullptr) {
    const std::int64_t elements = problem.elements({});
    for (std::int64_t index = 0; index < plan.blocking.held(); ++index) {
        held_.push_back({memory_.view().part(index * elements, elements), device_.make_event(),
                         device_.make_event()});
    }
}

void PanelProduct::prepare() {
    loader_.prepare();
    storer_.prepare();
    if (files_) {
        files_->forget_inputs(block_);
    }
}

std::int64_t PanelProduct::panels() const {
    return Parts(block_, plan_.blocking).count() * problem_.tiles();
}

PanelProduct::Panel PanelProduct::panel(std::int64_t number) const {
    if (number >= panels()) {
        return {};
    }
    const Parts parts(block_, plan_.blocking);
    const std::int64_t part = number / problem_.tiles();
    const Range rows = part_of(block_.rows, parts.down, part / parts.across);
    const Range columns = part_of(block_.columns, parts.across, part % parts.across);
    const std::int64_t inner = number % problem_.tiles();
    return plan_.blocking.rows_are_longer() ? Panel{rows, columns, inner, number}
                                            : Panel{columns, rows, inner, number};
}

Fetch PanelProduct::longer_tile(const Panel& panel, std::int64_t place, std::int64_t step) const {
    const std::int64_t index = panel.longer.begin + place;
    const std::int64_t slot = 2 * plan_.blocking.shorter() + step % 2;
    return plan_.blocking.rows_are_longer() ? Fetch{Operand::a, {index, panel.inner}, slot}
                                            : Fetch{Operand::b, {panel.inner, index}, slot};
}

Fetch PanelProduct::shorter_tile(const Panel& panel, std::int64_t place) const {
    const std::int64_t index = panel.shorter.begin + place;
    const std::int64_t slot = panel.number % 2 * plan_.blocking.shorter() + place;
    return plan_.blocking.rows_are_longer() ? Fetch{Operand::b, {panel.inner, index}, slot}
                                            : Fetch{Operand::a, {index, panel.inner}, slot};
}

// Beside the products of a step come the next step's tile of the longer side, and an even share of
// the next panel's shorter side. A slot is filled again after the work that uses it was enqueued.
void PanelProduct::run(device::Stream& stream) {
    std::int64_t step = 0;
    Panel now = panel(0);
    if (now.longer.size() > 0) {
        loader_.fetch(longer_tile(now, 0, step));
    }
    for (std::int64_t place = 0; place < now.shorter.size(); ++place) {
        loader_.fetch(shorter_tile(now, place));
    }
    for (std::int64_t number = 0; number < panels(); ++number) {
        const Panel next = panel(number + 1);
        const std::int64_t steps = now.longer.size();
        for (std::int64_t place = 0; place < steps; ++place, ++step) {
            if (place + 1 < steps) {
                loader_.fetch(longer_tile(now, place + 1, step + 1));
            } else if (next.longer.size() > 0) {
                loader_.fetch(longer_tile(next, 0, step + 1));
            }
            const Range share =
                block_range(next.shorter.size(), static_cast<int>(steps), static_cast<int>(place));
            for (std::int64_t other = share.begin; other < share.end; ++other) {
                loader_.fetch(shorter_tile(next, other));
            }
            multiply(now, place, step, stream);
        }
        now = next;
    }
    synchronize_all(&loader_, &storer_, &stream);
}

void PanelProduct::multiply(const Panel& panel, std::int64_t place, std::int64_t step,
                            device::Stream& stream) {
    const bool first = panel.inner == 0;
    const bool by_rows = plan_.blocking.rows_are_longer();
    const Fetch outer = longer_tile(panel, place, step);
    const auto outer_tile = loader_.tile(outer, stream);
    for (std::int64_t other = 0; other < panel.shorter.size(); ++other) {
        const Fetch inner = shorter_tile(panel, other);
        const auto inner_tile = loader_.tile(inner, stream);
        const TileIndex target = by_rows ? TileIndex{outer.tile.row, inner.tile.column}
                                         : TileIndex{inner.tile.row, outer.tile.column};
        HeldTile& held = held_[static_cast<std::size_t>(place * panel.shorter.size() + other)];
        const auto c = held.memory.part(0, problem_.elements(target));
        if (first) {
            stream.wait(*held.stored);
        }
        device_.blas().gemm({problem_.extent(target.row), problem_.extent(target.column),
                             problem_.extent(panel.inner)},
                            by_rows ? outer_tile : inner_tile, by_rows ? inner_tile : outer_tile, c,
                            first ? device::Update::replace : device::Update::accumulate, stream);
        if (panel.inner == problem_.tiles() - 1) {
            stream.record(*held.complete);
            storer_.store(target, c, *held.complete, *held.stored);
        }
        if (place == panel.longer.size() - 1) {
            loader_.release(inner, stream);
        }
    }
    loader_.release(outer, stream);
}

std::span<const float> PanelProduct::input(Operand operand, TileIndex tile) {
    return files_ ? files_->read(name(operand), tile, loader_.free_slot())
                  : inputs_->tile(operand, tile).span();
}

std::span<const float> PanelProduct::result(TileIndex tile) {
    return files_ ? files_->read("C", tile, loader_.free_slot()) : result_->tile(tile).span();
}

std::string PanelProduct::note() const {
    return fmt::format("{} x {} tiles of C held, {} slots for A and B", plan_.blocking.rows,
                       plan_.blocking.columns, plan_.blocking.slots());
}

bench::Details PanelProduct::details(const comm::Communicator& world) const {
    bench::Details details = traffic_of_all(world, plan_.places, traffic(), copied());
    if (plan_.places.in_files) {
        details.numbers.emplace_back("bytes_best_whole_tiles",
                                     world.sum(static_cast<double>(plan_.best.value)));
    }
    return details;
}

}  // namespace quartet::matmul
