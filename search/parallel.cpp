#include "search/parallel.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace ndtune::search {

int worker_count(int threads, std::size_t items) {
    const int cores = threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    return static_cast<int>(std::clamp<std::size_t>(items, 1, static_cast<std::size_t>(cores)));
}

void run_workers(int workers, const std::function<void(int)>& body) {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(workers));
    int started = 1;
    try {
        for (; started < workers; ++started) threads.emplace_back([&body, started] { body(started); });
    } catch (const std::system_error&) {
        for (int rest = started; rest < workers; ++rest) body(rest);
    }
    body(0);
}

}  // namespace ndtune::search
