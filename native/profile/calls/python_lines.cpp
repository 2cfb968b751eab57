#include "profile/calls/python_lines.hpp"

#include <cstring>

#include "base/hash.hpp"
#include "profile/calls/call_sites.hpp"
#include "profile/calls/python_layout.hpp"
#include "profile/calls/recorder.hpp"
#include "profile/preload/objects.hpp"
#include "profile/preload/slow_path.hpp"
#include "profile/process/number_table.hpp"

namespace waywiser::profile {

constinit CodeRange mpi4py_code;

namespace {

constexpr int kDeepestFrame = 64;
constexpr std::uint32_t kMostLines = 4096;
constexpr std::size_t kKnown = 4096;  ///< instructions whose lines are cached

/// The interpreter of the process.
struct Python {
    const PythonLayout* layout = nullptr;  ///< null: no interpreter with a known layout
    const void* (*this_thread)() = nullptr;
    int (*ends)() = nullptr;     ///< returns true if the interpreter is finalising
    const void* code = nullptr;  ///< types
    const void* text = nullptr;
    const void* bytes = nullptr;
};

constinit Python python;
/// Lines that were found. An entry is a hash of the instruction and of its contents, with the line's number added to
/// its lower bits (xor). Contents are hashed because freed code may be replaced by other code. An entry is one word, so
/// that threads need no lock.
constinit std::uint64_t known_lines[kKnown] = {};
static_assert(kKnown >= kMostLines);  // Hashes that share an entry have the same lower bits.
constinit PythonLine lines[kMostLines] = {};
constinit std::uint32_t line_count = 0;
constinit NumberTable numbers;

template <class T>
T at(const void* object, std::int64_t offset) {
    T value;
    std::memcpy(static_cast<void*>(&value), static_cast<const char*>(object) + offset, sizeof value);
    return value;
}

bool is(const void* object, const void* type) {
    return object != nullptr && at<const void*>(object, kPythonType) == type;
}

struct Span {
    const char* bytes = nullptr;
    std::size_t size = 0;
};

/// A Python string as it lies in memory.
struct Text {
    Span span;
    unsigned width = 0;  ///< bytes per character; 0: not readable
};

Text text_in(const void* object) {
    if (!is(object, python.text)) return {};
    const auto state = at<std::uint32_t>(object, kPythonTextState);
    const unsigned width = state >> 2U & 7U;
    const bool compact = (state >> 5U & 1U) != 0;
    const bool ascii = (state >> 6U & 1U) != 0;
    if (!compact || (width != 1 && width != 2 && width != 4)) return {};
    const char* bytes =
        static_cast<const char*>(object) + (ascii ? python.layout->ascii_text : python.layout->other_text);
    return {.span = {bytes, at<std::size_t>(object, kPythonSize) * width}, .width = width};
}

std::uint32_t character(const Text& text, std::size_t i) {
    const char* from = text.span.bytes + i * text.width;
    if (text.width == 1) return at<std::uint8_t>(from, 0);
    return text.width == 2 ? at<std::uint16_t>(from, 0) : at<std::uint32_t>(from, 0);
}

/// Writes a text as UTF-8, cut to fit.
template <std::size_t N>
void copy_text(char (&to)[N], const Text& text) {
    std::size_t used = 0;
    for (std::size_t i = 0; text.width != 0 && i < text.span.size / text.width && used + 5 <= N; ++i) {
        std::uint32_t c = character(text, i);
        if (c >= 0xd800 && c < 0xe000) c = '?';  // This is a byte of a file name that is not valid UTF-8.
        if (c < 0x80) {
            to[used++] = static_cast<char>(c < ' ' ? ' ' : c);
            continue;
        }
        const unsigned more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        to[used++] = static_cast<char>((0xff00U >> (more + 1) & 0xffU) | c >> 6 * more);
        for (unsigned left = more; left-- > 0;) to[used++] = static_cast<char>(0x80U | (c >> 6 * left & 0x3fU));
    }
    to[used] = '\0';
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * kGolden;
    return hash ^ hash >> 32U;
}

/// A hash in four lanes, because a script's table of lines may have thousands of bytes.
std::uint64_t mixed(std::uint64_t hash, Span span) {
    std::uint64_t lanes[4] = {hash, 1, 2, 3};
    std::size_t i = 0;
    for (; i + 32 <= span.size; i += 32) {
        for (std::size_t lane = 0; lane < 4; ++lane)
            lanes[lane] = mixed(lanes[lane], at<std::uint64_t>(span.bytes, static_cast<std::int64_t>(i + 8 * lane)));
    }
    for (; i < span.size; ++i)
        lanes[i % 4] = mixed(lanes[i % 4], at<std::uint8_t>(span.bytes, static_cast<std::int64_t>(i)));
    for (const std::uint64_t lane : lanes) hash = mixed(hash, lane);
    return mixed(hash, span.size);
}

/// The code that a frame runs, and its current instruction.
struct Running {
    Text file;
    Text function;
    Span line_table;
    std::int32_t first_line = 0;
    std::int64_t offset = 0;  ///< position of the instruction [bytes]
    const void* instruction = nullptr;
};

Running running_in(const void* code, const void* instruction) {
    const PythonLayout& layout = *python.layout;
    const auto* table = at<const void*>(code, layout.line_table);
    const char* bytecode = static_cast<const char*>(code) + layout.bytecode;
    Running running{.file = text_in(at<const void*>(code, layout.file)),
                    .function = text_in(at<const void*>(code, layout.function)),
                    .line_table = {},
                    .first_line = at<std::int32_t>(code, layout.first_line),
                    .offset = static_cast<const char*>(instruction) - bytecode,
                    .instruction = instruction};
    if (is(table, python.bytes)) {
        running.line_table = {static_cast<const char*>(table) + kPythonBytes, at<std::size_t>(table, kPythonSize)};
    }
    return running;
}

bool begins_with(const Text& text, const char* begin) {
    const std::size_t n = std::strlen(begin);
    return text.width == 1 && text.span.size >= n && std::memcmp(text.span.bytes, begin, n) == 0;
}

/// The innermost frame of the calling thread outside the import machinery, within which mpi4py calls MPI_Init.
bool find_running(Running& running) {
    const PythonLayout& layout = *python.layout;
    const void* thread = python.this_thread();
    if (thread == nullptr) return false;
    const auto* frame = at<const void*>(thread, layout.current_frame);
    if (frame != nullptr && layout.held_frame >= 0) frame = at<const void*>(frame, layout.held_frame);
    for (int depth = 0; frame != nullptr && depth < kDeepestFrame; ++depth) {
        const auto* code = at<const void*>(frame, layout.code);
        if (at<char>(frame, layout.owner) != kOwnedByC && is(code, python.code)) {
            running = running_in(code, at<const void*>(frame, layout.instruction));
            if (!begins_with(running.file, "<frozen importlib")) return running.file.width != 0;
        }
        frame = at<const void*>(frame, layout.previous);
    }
    return false;
}

/// A signed integer of the table: six bits per byte, least significant first, with the sign in the last bit.
std::int64_t signed_integer(const unsigned char*& in, const unsigned char* end) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; in < end && shift < 60; shift += 6) {
        const unsigned char byte = *in++;
        value |= std::uint64_t{byte & 0x3fU} << shift;
        if ((byte & 0x40U) == 0) break;
    }
    const auto magnitude = static_cast<std::int64_t>(value >> 1U);
    return (value & 1U) != 0 ? -magnitude : magnitude;
}

/// The line of an instruction. Format: Objects/locations.md (3.11) and InternalDocs/code_objects.md of CPython.
std::int64_t line_of(const Running& running) {
    const auto* in = reinterpret_cast<const unsigned char*>(running.line_table.bytes);
    const auto* end = in + running.line_table.size;
    std::int64_t line = running.first_line;
    std::int64_t address = 0;
    while (in < end) {
        const unsigned char head = *in++;
        const unsigned form = head >> 3U & 15U;
        if (form == 13 || form == 14) line += signed_integer(in, end);
        if (form >= 10 && form <= 12) line += form - 10;
        address += std::int64_t{2} * ((head & 7) + 1);
        if (running.offset < address) return form == 15 ? running.first_line : line;
        while (in < end && (*in & 0x80U) == 0) ++in;
    }
    return running.first_line;
}

/// The function's record. Callers hold the recorder's lock.
const state::ModuleRecord* function_of(const Running& running, std::uint64_t texts) {
    for (std::uint32_t i = 0; i < line_count; ++i) {
        if (lines[i].texts == texts) return lines[i].function;
    }
    state::ModuleRecord record;
    copy_text(record.path, running.file);
    copy_text(record.function, running.function);
    return new_module(record);
}

std::uint32_t number_of(std::uint64_t texts, std::uint64_t line, std::uint64_t hash) {
    return numbers.find(hash, [&](std::uint32_t i) { return lines[i].texts == texts && lines[i].line == line; });
}

/// \return kNoNumber without memory, or beyond the limit of lines
std::uint32_t add_line(const Running& running, std::uint64_t texts, std::uint64_t line, std::uint64_t hash) {
    const Locked lock(slow_path);
    // Another thread may have added the line in the meantime.
    const std::uint32_t number = number_of(texts, line, hash);
    if (number != NumberTable::kNoNumber || line_count == kMostLines) return number;
    const state::ModuleRecord* function = function_of(running, texts);
    if (function == nullptr) return NumberTable::kNoNumber;
    lines[line_count] = {.texts = texts, .line = line, .function = function};
    numbers.add(hash, line_count);
    return line_count++;
}

std::uint32_t find_line(const Running& running, std::uint64_t texts) {
    const auto line = static_cast<std::uint64_t>(line_of(running));
    const std::uint64_t hash = mixed(texts, line);
    const std::uint32_t number = number_of(texts, line, hash);
    return number == NumberTable::kNoNumber ? add_line(running, texts, line, hash) : number;
}

Python read_python(const Object& object, const ElfW(Sym) & version_symbol) {
    std::uint64_t version = 0;
    std::memcpy(&version, object.address(version_symbol), sizeof version);
    // Objects have the layout of a release build if these symbols are absent.
    for (const char* symbol : {"_Py_NegativeRefcount", "PyModule_Create2TraceRefs", "_Py_MergeZeroLocalRefcount"}) {
        if (object.find(symbol) != nullptr) return {};
    }
    const auto address = [&](const char* name) -> void* {
        const ElfW(Sym)* symbol = object.find(name);
        return symbol == nullptr ? nullptr : object.address(*symbol);
    };
    void* public_ends = address("Py_IsFinalizing");  // available since Python 3.13
    void* ends = public_ends != nullptr ? public_ends : address("_Py_IsFinalizing");
    Python interpreter{.layout = nullptr,
                       .this_thread = reinterpret_cast<const void* (*)()>(address("PyGILState_GetThisThreadState")),
                       .ends = reinterpret_cast<int (*)()>(ends),
                       .code = address("PyCode_Type"),
                       .text = address("PyUnicode_Type"),
                       .bytes = address("PyBytes_Type")};
    if (interpreter.this_thread == nullptr || interpreter.ends == nullptr || interpreter.code == nullptr ||
        interpreter.text == nullptr || interpreter.bytes == nullptr)
        return {};
    for (const PythonLayout& layout : kPythonLayouts) {
        if (layout.version == version >> 16U) interpreter.layout = &layout;
    }
    return interpreter;
}

/// The first loaded interpreter, to which the loader binds extension modules.
Python find_python() {
    Python interpreter;
    each_object([&](const dl_phdr_info& info) {
        const Object object(info);
        const ElfW(Sym)* version = object ? object.find("Py_Version") : nullptr;
        if (version == nullptr) return false;
        interpreter = read_python(object, *version);
        return true;
    });
    return interpreter;
}

/// True if the calling thread's frames cannot change during its MPI call.
bool frames_rest() { return on_first_thread() || python.ends() == 0; }

}  // namespace

bool note_mpi4py(const char* file, const void* caller) {
    if (mpi4py_code.contains(caller) || std::strstr(file, "/mpi4py/MPI.") == nullptr) return false;
    if (sizeof(void*) != 8) return false;
    // This call waits for the loader's lock, so it must precede the recorder's lock.
    const Python interpreter = find_python();
    const CodeRange code = code_around(caller);
    if (interpreter.layout == nullptr || !code.contains(caller)) return false;
    const Locked lock(slow_path);
    if (python.layout == nullptr) {
        if (!numbers.open(2 * kMostLines)) return false;
        python = interpreter;
    }
    __atomic_thread_fence(__ATOMIC_RELEASE);
    mpi4py_code = code;
    return true;
}

const void* python_caller(const void* caller) {
    __atomic_thread_fence(__ATOMIC_ACQUIRE);  // This fence orders reads of the data that mpi4py_code announces.
    Running running;
    if (!frames_rest() || !find_running(running)) return caller;
    const std::uint64_t texts = mixed(mixed(0, running.file.span), running.function.span);
    const auto first_line = static_cast<std::uint64_t>(running.first_line);
    const std::uint64_t contents = mixed(mixed(texts, running.line_table), first_line);
    const std::uint64_t hash = mixed(contents, reinterpret_cast<std::uintptr_t>(running.instruction));
    std::uint64_t& entry = known_lines[hash % kKnown];
    const std::uint64_t seen = __atomic_load_n(&entry, __ATOMIC_ACQUIRE);
    if (seen != 0 && (seen ^ hash) < kMostLines) return &lines[seen ^ hash];
    const std::uint32_t number = find_line(running, texts);
    if (number == NumberTable::kNoNumber) return caller;
    __atomic_store_n(&entry, hash ^ number, __ATOMIC_RELEASE);
    return &lines[number];
}

const PythonLine* python_line(const void* caller) {
    const auto* line = static_cast<const PythonLine*>(caller);
    return line >= lines && line < lines + kMostLines ? line : nullptr;
}

}  // namespace waywiser::profile
