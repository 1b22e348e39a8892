#include <cstdio>

int main() {
    std::puts("ndtune " NDTUNE_VERSION);
    return 0;
}
