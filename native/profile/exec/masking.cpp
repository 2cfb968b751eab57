#include "profile/exec/masking.hpp"

#include <cstring>
#include <initializer_list>

namespace waywiser::profile {
namespace {

/// The end of the first name in a text that looks like a secret's; null for none. A false alarm such as `hotkey` costs
/// one word of the stored command, which is better than a stored password.
const char* secret_name(const char* text) {
    const char* first = nullptr;
    for (const char* name : {"auth", "cookie", "credential", "key", "passcode", "passphrase", "passwd", "password",
                             "pwd", "secret", "token"}) {
        const char* match = strcasestr(text, name);
        if (match != nullptr && (first == nullptr || match < first)) first = match;
    }
    return first;
}

}  // namespace

Stored masked(const char* before, const char* word) {
    const bool option = before[0] == '-' && std::strpbrk(before, "=") == nullptr;
    if (option && word[0] != '-' && secret_name(before) != nullptr) return {.masked = kMasked};
    const char* name = secret_name(word);
    const char* value = name == nullptr ? nullptr : std::strpbrk(name, "=: ");
    if (value != nullptr) return {.begin = static_cast<std::size_t>(value - word) + 1, .masked = kMasked};
    const char* url = std::strstr(word, "://");
    const char* at = url == nullptr ? nullptr : std::strrchr(url, '@');
    if (at != nullptr) return {.begin = static_cast<std::size_t>(url - word) + 3, .masked = kMasked, .end = at};
    return {.begin = std::strlen(word)};
}

}  // namespace waywiser::profile
