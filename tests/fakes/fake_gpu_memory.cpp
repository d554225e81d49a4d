#include "fakes/fake_gpu_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "core/check.hpp"
#include "core/environment.hpp"
#include "fakes/emulator/fiber/sanitizer.hpp"

namespace quartet::device {

namespace {

constexpr std::size_t range = std::size_t{64} << 30;  // of addresses, not of memory
constexpr std::size_t granularity = 4096;
constexpr Bytes total_of_gpu = gibibytes(4);
constexpr std::byte rubbish{0xff};

std::size_t rounded(std::size_t size) {
    return std::max(granularity, (size + granularity - 1) / granularity * granularity);
}

std::byte* reserve_addresses() {
    void* begin =
        ::mmap(nullptr, range, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check(begin != MAP_FAILED, "the fake's addresses cannot be reserved");
    return static_cast<std::byte*>(begin);
}

int make_file() {
    const int file = ::memfd_create("fake GPU", MFD_CLOEXEC);
    check(file >= 0 && ::ftruncate(file, static_cast<off_t>(range)) == 0,
          "the fake's memory cannot be made");
    return file;
}

std::size_t alignment_wanted() {
    const auto wanted = Environment().get("QUARTET_STAND_IN_ALIGNMENT");
    return wanted ? static_cast<std::size_t>(parse_bytes(*wanted).value) : 256;
}

/// The locked memory that holds an address, or the end.
auto block_of(const std::map<const std::byte*, std::size_t>& blocks, const std::byte* address) {
    const auto after = blocks.upper_bound(address);
    if (after == blocks.begin())
        return blocks.end();
    const auto block = std::prev(after);
    return address < block->first + block->second ? block : blocks.end();
}

const std::byte* as_byte(const void* address) {
    return static_cast<const std::byte*>(address);
}

}  // namespace

FakeGpuMemory& FakeGpuMemory::of_process() {
    static auto* memory =
        new FakeGpuMemory(FakeGpuNode::of_process());  // streams may use it until the process ends
    return *memory;
}

FakeGpuMemory::FakeGpuMemory(FakeGpuNode& node)
    : node_(node),
      guarded_(reserve_addresses()),
      touchable_(reserve_addresses()),
      file_(make_file()),
      next_(granularity),  // so that an address of nothing is there
      total_(static_cast<std::size_t>(total_of_gpu.value)),
      alignment_(alignment_wanted()) {}

// use(begin, size) for what is not the allocation's on its pages, where a kernel finds it.
template <typename Use>
void FakeGpuMemory::for_each_guard(const std::byte* address, const Block& block, Use use) const {
    std::byte* begin = touchable_ + (block.begin - guarded_);
    const auto before = static_cast<std::size_t>(address - block.begin);
    use(begin, before);
    use(begin + before + block.size, block.bytes - before - block.size);
}

std::byte* FakeGpuMemory::allocate(std::size_t size) {
    const std::lock_guard lock(mutex_);
    Block block{nullptr, rounded(size), size, FakeGpuNode::current()};
    if (!node_.take(block.gpu, size, total_))
        return nullptr;
    std::byte* begin = map(file_, static_cast<std::int64_t>(next_), block.bytes);
    if (begin == nullptr) {
        node_.give_back(block.gpu, size);
        return nullptr;
    }
    block.begin = begin;
    std::memset(touchable_ + (begin - guarded_), std::to_integer<int>(rubbish), block.bytes);
    const std::size_t taken = std::max<std::size_t>(1, size);
    std::byte* address = begin + (block.bytes - taken) / alignment_ * alignment_;
    for_each_guard(address, block, emulator::forbid);
    blocks_.emplace(address, block);
    return address;
}

bool FakeGpuMemory::release(const void* address) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(as_byte(address));
    if (found == blocks_.end())
        return false;
    const Block block = found->second;
    for_each_guard(found->first, block, emulator::allow);
    unmap(block.begin, block.bytes);
    ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, block.begin - guarded_,
                static_cast<off_t>(block.bytes));
    node_.give_back(block.gpu, block.size);
    blocks_.erase(found);
    return true;
}

std::optional<std::string> FakeGpuMemory::damage() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [address, block] : blocks_) {
        bool whole = true;
        for_each_guard(address, block, [&whole](const std::byte* begin, std::size_t size) {
            whole = whole && emulator::all_are(begin, size, rubbish);
        });
        if (!whole)
            return "something was written outside of an allocation of " +
                   std::to_string(block.size) + " bytes";
    }
    return std::nullopt;
}

std::byte* FakeGpuMemory::map(int file, std::int64_t offset, std::size_t size) {
    if (size + granularity > range - next_)
        return nullptr;
    void* mapped = ::mmap(touchable_ + next_, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                          file, offset);
    if (mapped == MAP_FAILED)
        return nullptr;
    std::byte* address = guarded_ + next_;
    next_ += size + granularity;  // a page that is never mapped
    return address;
}

void FakeGpuMemory::unmap(const std::byte* address, std::size_t size) {
    void* again = ::mmap(touchable_ + (address - guarded_), size, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    check(again != MAP_FAILED, "the fake's memory cannot be taken away");
}

bool FakeGpuMemory::is_on_gpu(const void* address) const {
    return address >= guarded_ && address < guarded_ + range;
}

std::byte* FakeGpuMemory::on_cpu(const void* address) const {
    if (address == nullptr)
        return nullptr;
    if (is_on_gpu(address))
        return touchable_ + (as_byte(address) - guarded_);
    const std::lock_guard lock(mutex_);
    return block_of(locked_, as_byte(address)) == locked_.end()
               ? guarded_
               : const_cast<std::byte*>(as_byte(address));
}

bool FakeGpuMemory::lock(const void* begin, std::size_t size) {
    const std::lock_guard lock(mutex_);
    const auto next = locked_.lower_bound(as_byte(begin));
    if (size == 0 || block_of(locked_, as_byte(begin)) != locked_.end() ||
        (next != locked_.end() && next->first < as_byte(begin) + size))
        return false;
    locked_.emplace(as_byte(begin), size);
    return true;
}

bool FakeGpuMemory::unlock(const void* begin) {
    const std::lock_guard lock(mutex_);
    return locked_.erase(as_byte(begin)) == 1;
}

FakeGpuMemory::Handle FakeGpuMemory::handle_of(const void* address) const {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(as_byte(address));
    if (found == blocks_.end())
        return {};
    const Block& block = found->second;
    return {::getpid(),
            file_,
            block.begin - guarded_,
            static_cast<std::int64_t>(block.bytes),
            found->first - block.begin,
            block.gpu};
}

std::byte* FakeGpuMemory::open(const Handle& handle) {
    const std::lock_guard lock(mutex_);
    if (handle.process == ::getpid() || handle.size == 0)
        return nullptr;
    Opened& opened = opened_[handle];
    if (opened.count == 0) {
        const std::string name =
            "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
        const int file = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
        if (file >= 0) {
            opened.address = map(file, handle.offset, static_cast<std::size_t>(handle.size));
            ::close(file);
            opened.address += opened.address == nullptr ? 0 : handle.before;
        }
    }
    if (opened.address == nullptr) {
        opened_.erase(handle);
        return nullptr;
    }
    ++opened.count;
    return opened.address;
}

bool FakeGpuMemory::close(const void* address) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        opened_, [&](const auto& entry) { return entry.second.address == address; });
    if (found == opened_.end())
        return false;
    if (--found->second.count == 0) {
        unmap(as_byte(address) - found->first.before, static_cast<std::size_t>(found->first.size));
        opened_.erase(found);
    }
    return true;
}

std::size_t FakeGpuMemory::free() const {
    const auto taken = node_.get(FakeGpuNode::current(), GpuCount::allocated);
    return total_ - std::min(total_, static_cast<std::size_t>(taken));
}

}  // namespace quartet::device
