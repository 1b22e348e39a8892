#pragma once

#include <cstddef>
#include <functional>

namespace ndtune::search {

/// Workers for `items` pieces of work: `threads` of them, or one per core for 0; never more than items.
int worker_count(int threads, std::size_t items);

/// Calls body(0) .. body(workers - 1), each on its own thread (body(0) on the caller's), and returns when all are done.
/// Where the system refuses a thread its body runs on the caller's.
void run_workers(int workers, const std::function<void(int)>& body);

}  // namespace ndtune::search
