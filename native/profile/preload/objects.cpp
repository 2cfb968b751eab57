#include "profile/preload/objects.hpp"

#include <elf.h>

#include <cstring>

namespace waywiser::profile {
namespace {

constexpr std::uint32_t kHiddenVersion = 0x8000;

// Old loaders know only these two tags.
#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#endif

const char own_address = 0;

/// DT_GNU_HASH: four words, then a Bloom filter, the buckets, and a hash for each defined symbol.
struct GnuHash {
    std::uint32_t buckets;
    std::uint32_t first_symbol;
    std::uint32_t filter_words;
    std::uint32_t filter_shift;
};

std::uint32_t sysv_hash(const char* name) {
    std::uint32_t h = 0;
    for (; *name != '\0'; ++name) {
        h = (h << 4U) + static_cast<unsigned char>(*name);
        const std::uint32_t high = h & 0xf0000000U;
        h = (h ^ high >> 24U) & ~high;
    }
    return h;
}

}  // namespace

SymbolName::SymbolName(const char* name) : text(name), hash(5381) {
    for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
}

Object::Object(const dl_phdr_info& info)
    : base_(reinterpret_cast<const char*>(info.dlpi_addr)), segments_(info.dlpi_phdr), segment_count_(info.dlpi_phnum) {
    read_dynamic();
}

Object::Object(const void* file, std::size_t bytes) : base_(static_cast<const char*>(file)), file_bytes_(bytes) {
    const auto* header = static_cast<const ElfW(Ehdr)*>(file);
    if (bytes < sizeof *header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header->e_machine != kMachine || header->e_phentsize != sizeof(ElfW(Phdr))) return;
    const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(base_ + header->e_phoff);
    if (header->e_phoff > bytes || !inside(segments, header->e_phnum * sizeof *segments)) return;
    segments_ = segments;
    segment_count_ = header->e_phnum;
    read_dynamic();
}

bool Object::inside(const void* from, std::size_t bytes) const {
    if (from == nullptr) return false;
    if (file_bytes_ == 0) return true;
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(from) - base_);
    return offset <= file_bytes_ && bytes <= file_bytes_ - offset;
}

/// The memory of an address in the object's tables. The loader has added its base to most of them, in place, but not to
/// the kernel's own object.
const char* Object::at(ElfW(Addr) where) const {
    const auto base = reinterpret_cast<ElfW(Addr)>(base_);
    if (file_bytes_ == 0) return reinterpret_cast<const char*>(where < base ? base + where : where);
    for (std::size_t i = 0; i < segment_count_; ++i) {
        const ElfW(Phdr) & segment = segments_[i];
        if (segment.p_type != PT_LOAD || where < segment.p_vaddr || where - segment.p_vaddr >= segment.p_filesz)
            continue;
        const ElfW(Addr) offset = where - segment.p_vaddr + segment.p_offset;
        return offset < file_bytes_ ? base_ + offset : nullptr;
    }
    return nullptr;
}

void Object::read_dynamic() {
    for (std::size_t i = 0; i < segment_count_; ++i) {
        const ElfW(Phdr) & segment = segments_[i];
        if (segment.p_type != PT_DYNAMIC) continue;
        const char* place = file_bytes_ == 0 ? base_ + segment.p_vaddr : at(segment.p_vaddr);
        if (!inside(place, segment.p_filesz)) return;
        dynamic_ = reinterpret_cast<const ElfW(Dyn)*>(place);
        dynamic_count_ = segment.p_filesz / sizeof(ElfW(Dyn));
    }
    for (std::size_t i = 0; i < dynamic_count_ && dynamic_[i].d_tag != DT_NULL; ++i) {
        const char* place = at(dynamic_[i].d_un.d_ptr);
        switch (dynamic_[i].d_tag) {
            case DT_SYMTAB: symbols_ = reinterpret_cast<ElfW(Sym)*>(const_cast<char*>(place)); break;
            case DT_STRTAB: strings_ = place; break;
            case DT_GNU_HASH: gnu_hash_ = reinterpret_cast<const std::uint32_t*>(place); break;
            case DT_HASH: hash_ = reinterpret_cast<const std::uint32_t*>(place); break;
            case DT_VERSYM: versions_ = reinterpret_cast<const ElfW(Half)*>(place); break;
            default: break;
        }
    }
}

const char* Object::text(std::size_t offset) const {
    if (!inside(strings_, 1)) return "";
    if (file_bytes_ == 0) return strings_ + offset;
    const std::size_t rest = file_bytes_ - static_cast<std::size_t>(strings_ - base_);
    const bool ends = offset < rest && std::memchr(strings_ + offset, '\0', rest - offset) != nullptr;
    return ends ? strings_ + offset : "";
}

bool Object::is(const ElfW(Sym) & symbol, const char* name) const {
    if (!inside(&symbol, sizeof symbol) || symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0) return false;
    const ElfW(Half)* version = versions_ == nullptr ? nullptr : versions_ + (&symbol - symbols_);
    if (inside(version, sizeof *version) && (*version & kHiddenVersion) != 0) return false;
    return std::strcmp(text(symbol.st_name), name) == 0;
}

ElfW(Sym) * Object::find(const SymbolName& name) const {
    if (symbols_ == nullptr || strings_ == nullptr) return nullptr;
    if (inside(gnu_hash_, sizeof(GnuHash))) {
        const auto& table = *reinterpret_cast<const GnuHash*>(gnu_hash_);
        constexpr unsigned kWordBits = 8 * sizeof(ElfW(Addr));
        const auto* filter = reinterpret_cast<const ElfW(Addr)*>(&table + 1);
        const auto* buckets = reinterpret_cast<const std::uint32_t*>(filter + table.filter_words);
        const std::uint32_t* hashes = buckets + table.buckets;
        const std::size_t size = table.filter_words * sizeof *filter + table.buckets * sizeof *buckets;
        if (table.buckets == 0 || table.filter_words == 0 || !inside(filter, size)) return nullptr;
        const ElfW(Addr) word = filter[name.hash / kWordBits % table.filter_words];
        const unsigned second = name.hash >> (table.filter_shift & 31U);
        if ((word >> name.hash % kWordBits & word >> second % kWordBits & 1U) == 0) return nullptr;
        std::uint32_t i = buckets[name.hash % table.buckets];
        if (i < table.first_symbol) return nullptr;
        for (;; ++i) {
            const std::uint32_t* hash = hashes + (i - table.first_symbol);
            if (!inside(hash, sizeof *hash)) return nullptr;
            if ((*hash | 1U) == (name.hash | 1U) && is(symbols_[i], name.text)) return symbols_ + i;
            if ((*hash & 1U) != 0) return nullptr;
        }
    }
    if (!inside(hash_, 2 * sizeof *hash_) || hash_[0] == 0) return nullptr;
    const std::uint32_t bucket_count = hash_[0];
    const std::uint32_t symbol_count = hash_[1];
    const std::uint32_t* chains = hash_ + 2 + bucket_count;
    if (!inside(hash_, (2UL + bucket_count + symbol_count) * sizeof *hash_)) return nullptr;
    std::uint32_t left = symbol_count;  // A broken file may contain a cycle; this limit ends it.
    for (std::uint32_t i = hash_[2 + sysv_hash(name.text) % bucket_count]; i != 0 && i < symbol_count && left != 0;
         i = chains[i], --left) {
        if (is(symbols_[i], name.text)) return symbols_ + i;
    }
    return nullptr;
}

void* Object::address(const ElfW(Sym) & symbol) const {
    return const_cast<char*>(symbol.st_shndx == SHN_ABS ? nullptr : base_) + symbol.st_value;
}

ElfW(Sym) * Object::first_defined() const {
    return gnu_hash_ == nullptr ? nullptr : symbols_ + reinterpret_cast<const GnuHash*>(gnu_hash_)->first_symbol;
}

ElfW(Sym) * Object::end_of_defined() const {
    if (gnu_hash_ == nullptr) return nullptr;
    const auto& table = *reinterpret_cast<const GnuHash*>(gnu_hash_);
    const auto* buckets =
        reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const ElfW(Addr)*>(&table + 1) + table.filter_words);
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < table.buckets; ++i) last = buckets[i] > last ? buckets[i] : last;
    if (last < table.first_symbol) return first_defined();
    const std::uint32_t* hashes = buckets + table.buckets;
    while ((hashes[last - table.first_symbol] & 1U) == 0) ++last;
    return symbols_ + last + 1;
}

const char* Object::next_text(ElfW(Sxword) tag, std::size_t& at) const {
    while (at < dynamic_count_ && dynamic_[at].d_tag != DT_NULL) {
        const ElfW(Dyn) & entry = dynamic_[at++];
        if (entry.d_tag == tag) return text(entry.d_un.d_val);
    }
    return nullptr;
}

const char* Object::first_text(ElfW(Sxword) tag) const {
    std::size_t at = 0;
    return next_text(tag, at);
}

ElfW(Xword) Object::value(ElfW(Sxword) tag) const {
    for (std::size_t i = 0; i < dynamic_count_ && dynamic_[i].d_tag != DT_NULL; ++i) {
        if (dynamic_[i].d_tag == tag) return dynamic_[i].d_un.d_val;
    }
    return 0;
}

Object::Relocations Object::relocations(ElfW(Sxword) table, ElfW(Sxword) size) const {
    const ElfW(Addr) where = value(table);
    const auto* begin = where == 0 ? nullptr : reinterpret_cast<const ElfW(Rela)*>(at(where));
    // Relative relocations come first and have no names.
    const std::size_t nameless = table == DT_RELA ? value(DT_RELACOUNT) : 0;
    if (begin == nullptr) return {};
    const std::size_t count = value(size) / sizeof *begin;
    return {.begin = begin + nameless, .end = begin + count};
}

bool Object::is_sealed(const void* address) const {
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - base_);
    for (std::size_t i = 0; i < segment_count_; ++i) {
        const ElfW(Phdr) & segment = segments_[i];
        if (segment.p_type == PT_GNU_RELRO && offset - segment.p_vaddr < segment.p_memsz) return true;
    }
    return false;
}

const ElfW(Phdr) * Object::segment_of(const void* address) const {
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - base_);
    for (std::size_t i = 0; i < segment_count_; ++i) {
        const ElfW(Phdr) & segment = segments_[i];
        if (segment.p_type == PT_LOAD && offset - segment.p_vaddr < segment.p_memsz) return &segment;
    }
    return nullptr;
}

bool Object::contains(const void* address) const { return segment_of(address) != nullptr; }

bool is_profiler(const dl_phdr_info& info) { return Object(info).contains(&own_address); }

}  // namespace waywiser::profile
