#include "device/host_access.hpp"

#include <algorithm>
#include <array>
#include <complex>

namespace quartet::device {

/// Two page-locked buffers that are used in turn, and the event after which each is free.
template <typename T>
class DoubleBuffer {
  public:
    DoubleBuffer(Device& device, std::int64_t elements, std::int64_t most) : elements_(elements) {
        size_ = std::min(elements, std::max<std::int64_t>(1, most));
        count_ = (elements + size_ - 1) / size_;
        for (std::size_t buffer = 0; buffer < buffers_.size(); ++buffer) {
            buffers_[buffer] = allocate<T>(device, size_, MemoryKind::pinned);
            done_[buffer] = device.make_event();
        }
    }

    [[nodiscard]] std::int64_t count() const { return count_; }
    [[nodiscard]] std::int64_t first(std::int64_t piece) const { return piece * size_; }
    [[nodiscard]] View<T> buffer(std::int64_t piece) {
        const std::int64_t size = std::min(size_, elements_ - first(piece));
        return buffers_[slot(piece)].view().part(0, size);
    }
    [[nodiscard]] Event& done(std::int64_t piece) { return *done_[slot(piece)]; }

  private:
    static std::size_t slot(std::int64_t piece) { return static_cast<std::size_t>(piece % 2); }

    std::int64_t elements_;
    std::int64_t size_ = 0;
    std::int64_t count_ = 0;
    std::array<Buffer<T>, 2> buffers_;
    std::array<std::unique_ptr<Event>, 2> done_;
};

namespace {

/// Synchronises the stream at the end of a scope, after which the buffers of its work are freed.
class Finish {
  public:
    explicit Finish(Stream& stream) : stream_(stream) {}
    ~Finish() {
        try {
            stream_.synchronize();
        } catch (...) {  // an exception is on its way already, or synchronize() has been called
        }
    }
    Finish(const Finish&) = delete;
    Finish& operator=(const Finish&) = delete;

  private:
    Stream& stream_;
};

template <typename T>
std::int64_t elements_in(Bytes bytes) {
    return bytes.value / static_cast<std::int64_t>(sizeof(T));
}

}  // namespace

template <typename T>
void HostAccess::read(const View<const T>& from, const std::type_identity_t<Read<T>>& use) const {
    stream_.synchronize();
    if (from.empty())
        return;
    if (from.kind() != MemoryKind::device) {
        use(0, from.span());
        return;
    }
    DoubleBuffer<T> pieces(device_, from.size(), elements_in<T>(piece_));
    const Finish finish(stream_);
    const auto fetch = [&](std::int64_t piece) {
        const View<T> to = pieces.buffer(piece);
        device_.copy(as_bytes(from.part(pieces.first(piece), to.size())), as_bytes(to), stream_);
        stream_.record(pieces.done(piece));
    };
    fetch(0);
    for (std::int64_t piece = 0; piece < pieces.count(); ++piece) {
        if (piece + 1 < pieces.count())
            fetch(piece + 1);
        pieces.done(piece).synchronize();
        use(pieces.first(piece), pieces.buffer(piece).span());
    }
    stream_.synchronize();
}

template <typename T>
void HostAccess::write(const View<T>& to, const std::type_identity_t<Write<T>>& fill) const {
    stream_.synchronize();
    if (to.empty())
        return;
    if (to.kind() != MemoryKind::device) {
        fill(0, to.span());
        return;
    }
    DoubleBuffer<T> pieces(device_, to.size(), elements_in<T>(piece_));
    const Finish finish(stream_);
    for (std::int64_t piece = 0; piece < pieces.count(); ++piece) {
        const View<T> from = pieces.buffer(piece);
        pieces.done(piece).synchronize();
        fill(pieces.first(piece), from.span());
        device_.copy(as_bytes(View<const T>(from)),
                     as_bytes(to.part(pieces.first(piece), from.size())), stream_);
        stream_.record(pieces.done(piece));
    }
    stream_.synchronize();
}

Bytes HostAccess::memory(Bytes size, MemoryKind kind, Bytes piece) {
    return kind == MemoryKind::device ? 2 * std::min(size, piece) : Bytes{0};
}

template void HostAccess::read(const View<const float>&, const Read<float>&) const;
template void HostAccess::read(const View<const double>&, const Read<double>&) const;
template void HostAccess::read(const View<const std::complex<double>>&,
                               const Read<std::complex<double>>&) const;
template void HostAccess::write(const View<float>&, const Write<float>&) const;
template void HostAccess::write(const View<double>&, const Write<double>&) const;

}  // namespace quartet::device
