#include "fakes/fake_gpu_node.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/check.hpp"
#include "core/environment.hpp"

namespace quartet::device {

namespace {

thread_local int gpu_of_thread = 0;

std::string wanted(const char* variable, const std::string& otherwise) {
    return Environment().get(variable).value_or(otherwise);
}

// A file of zeros, or one that another process has made; without a name memory of this process.
void* map_counts(const std::string& name, std::size_t size) {
    int file = -1;
    if (!name.empty()) {
        file = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        check(file >= 0 && ::ftruncate(file, static_cast<off_t>(size)) == 0,
              "the fake's counts cannot be made");
    }
    void* mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                          file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file, 0);
    check(mapped != MAP_FAILED, "the fake's counts cannot be mapped");
    if (file >= 0)
        ::close(file);
    return mapped;
}

}  // namespace

FakeGpuNode& FakeGpuNode::of_process() {
    static auto* node = new FakeGpuNode;  // streams may use it until the process ends
    return *node;
}

FakeGpuNode::FakeGpuNode()
    : gpus_(std::stoi(wanted("QUARTET_STAND_IN_GPUS", "1"))),
      peers_(wanted("QUARTET_STAND_IN_PEERS", "all")),
      counts_(
          static_cast<Counts*>(map_counts(wanted("QUARTET_STAND_IN_COUNTS", ""), sizeof(Counts)))) {
    static_assert(std::atomic<std::int64_t>::is_always_lock_free, "processes share the counts");
    check(gpus_ >= 1 && gpus_ <= most_gpus, "QUARTET_STAND_IN_GPUS is not a number of GPUs");
    check(peers_ == "all" || peers_ == "none" || peers_ == "pairs",
          "QUARTET_STAND_IN_PEERS is none of all, none, pairs");
}

FakeGpuNode::~FakeGpuNode() {
    ::munmap(counts_, sizeof(Counts));
}

int FakeGpuNode::current() {
    return gpu_of_thread;
}

bool FakeGpuNode::use(int gpu) const {
    if (gpu < 0 || gpu >= gpus_)
        return false;
    gpu_of_thread = gpu;
    return true;
}

bool FakeGpuNode::reaches(int gpu, int other) const {
    return gpu == other || peers_ == "all" || (peers_ == "pairs" && gpu / 2 == other / 2);
}

std::atomic<std::int64_t>& FakeGpuNode::at(int gpu, GpuCount count) const {
    return counts_->numbers.at(static_cast<std::size_t>(gpu)).at(static_cast<std::size_t>(count));
}

std::int64_t FakeGpuNode::get(int gpu, GpuCount count) const {
    return at(gpu, count);
}

void FakeGpuNode::add(int gpu, GpuCount count, std::size_t number) {
    at(gpu, count) += static_cast<std::int64_t>(number);
}

bool FakeGpuNode::take(int gpu, std::size_t size, std::size_t total) {
    const auto bytes = static_cast<std::int64_t>(size);
    const std::int64_t now = at(gpu, GpuCount::allocated) += bytes;
    if (now > static_cast<std::int64_t>(total)) {
        give_back(gpu, size);
        return false;
    }
    auto& most = at(gpu, GpuCount::most_allocated);
    std::int64_t known = most;
    while (known < now && !most.compare_exchange_weak(known, now)) {
        continue;
    }
    return true;
}

void FakeGpuNode::give_back(int gpu, std::size_t size) {
    at(gpu, GpuCount::allocated) -= static_cast<std::int64_t>(size);
}

}  // namespace quartet::device
