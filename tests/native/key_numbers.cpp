/// Numbers of keys against std::map, and items on large pages: keys of places of their own, all of one place, of more
/// places and more keys than expected, and of none expected at all.
#include "base/key_numbers.hpp"

#include <cstdio>
#include <map>
#include <random>
#include <utility>

#include "base/flat_map.hpp"
#include "base/stable_items.hpp"

namespace {

using namespace waywiser;

struct Key {
    std::uint32_t place;
    std::uint32_t rest;

    bool operator==(const Key&) const = default;
};

struct Hash {
    std::uint64_t operator()(const Key& key) const { return scattered(std::uint64_t{key.place} << 32U | key.rest); }
    static std::size_t place(const Key& key) { return key.place; }
};

/// The worst hash: all keys of a place come to the same slot.
struct PlaceAlone : Hash {
    std::uint64_t operator()(const Key& key) const { return key.place; }
};

template <class HashOf>
bool numbers_are_those_of_a_map(std::uint32_t places, std::size_t keys, std::size_t expected) {
    KeyNumbers<Key, HashOf> numbers;
    if (expected > 0) numbers.expect(expected, places);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> truth;
    std::mt19937 random(places);
    for (std::size_t i = 0; i < 3 * keys; ++i) {
        const Key key{.place = static_cast<std::uint32_t>(random() % places) + 1000,
                      .rest = static_cast<std::uint32_t>(random() % (keys / places + 1))};
        const auto next = static_cast<std::uint32_t>(truth.size());
        const std::uint32_t expected_number = truth.try_emplace({key.place, key.rest}, next).first->second;
        if (numbers.number(key) != expected_number || !(numbers.key(expected_number) == key) ||
            numbers.size() != truth.size()) {
            std::fprintf(stderr, "%u places, %zu keys, %zu expected: key %u of place %u is not number %u\n", places,
                         keys, expected, key.rest, key.place, expected_number);
            return false;
        }
    }
    return true;
}

/// 192 bytes, which no power of two large pages holds without a rest.
struct alignas(64) Item {
    static inline long alive = 0;

    Item() { ++alive; }
    Item(const Item&) = delete;
    Item& operator=(const Item&) = delete;
    ~Item() { --alive; }

    std::size_t number = 0;
    char rest[184] = {};
};

bool items_stay_where_they_are() {
    constexpr std::size_t kItems = 100000;
    std::vector<Item*> places;
    {
        StableItems<Item> items;
        for (std::size_t i = 0; i < kItems; ++i) {
            places.push_back(&items.add());
            places.back()->number = i;
        }
        for (std::size_t i = 0; i < kItems; ++i) {
            if (&items[i] != places[i] || items[i].number != i) {
                std::fprintf(stderr, "item %zu has moved\n", i);
                return false;
            }
        }
    }
    if (Item::alive != 0) std::fprintf(stderr, "%ld items are left\n", Item::alive);
    return Item::alive == 0;
}

}  // namespace

int main() {
    bool right = items_stay_where_they_are();
    for (const std::size_t expected : {std::size_t{0}, std::size_t{100}, std::size_t{20000}}) {
        for (const std::uint32_t places : {1U, 7U, 300U, 20000U}) {
            right = numbers_are_those_of_a_map<Hash>(places, 20000, expected) && right;
        }
        right = numbers_are_those_of_a_map<PlaceAlone>(300, 2000, expected) && right;
    }
    return right ? 0 : 1;
}
