#pragma once

#include <grpcpp/completion_queue.h>

namespace quartet::comm {

/// An operation of gRPC's that has been started. A completion queue says that it has ended.
class GrpcOperation {
  public:
    virtual ~GrpcOperation() = default;
    /// `done`: whether it did what it was to do.
    virtual void on_end(bool done) = 0;
};

/// Waits for the end of an operation and tells it; false if the queue was shut down and no more
/// will end. Operations have been started with a pointer to GrpcOperation as tag.
inline bool complete_next(grpc::CompletionQueue& queue) {
    void* operation = nullptr;
    bool done = false;
    if (!queue.Next(&operation, &done)) {
        return false;
    }
    static_cast<GrpcOperation*>(operation)->on_end(done);
    return true;
}

}  // namespace quartet::comm
