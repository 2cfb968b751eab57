/// Offsets of a traceback's data in CPython's memory, by version.
#pragma once

#include <cstdint>

namespace waywiser::profile {

/// Offsets [bytes] in a release build for 64-bit machines, which all releases of a minor version share. Source:
/// Include/cpython/{pystate,code,unicodeobject}.h and Include/internal/pycore_frame.h of 3.11.7, 3.12.1 and 3.13.0;
/// tests/system/test_python_lines.py tests each installed version.
struct PythonLayout {
    std::uint32_t version;       ///< major and minor version, as in the upper half of PY_VERSION_HEX
    std::int16_t current_frame;  ///< in PyThreadState: the frame, or the _PyCFrame that refers to it
    std::int16_t held_frame;     ///< in _PyCFrame; -1: the layout has no _PyCFrame
    std::int16_t code;           ///< in _PyInterpreterFrame, as are the next three
    std::int16_t previous;
    std::int16_t instruction;
    std::int16_t owner;
    std::int16_t first_line;  ///< in PyCodeObject, as are the next four
    std::int16_t file;
    std::int16_t function;
    std::int16_t line_table;
    std::int16_t bytecode;
    std::int16_t ascii_text;  ///< bytes of PyASCIIObject, which the text follows
    std::int16_t other_text;  ///< bytes of PyCompactUnicodeObject
};

inline constexpr PythonLayout kPythonLayouts[] = {
    {0x030b, 56, 8, 32, 48, 56, 69, 72, 112, 128, 136, 184, 48, 72},
    {0x030c, 56, 0, 0, 8, 56, 70, 68, 112, 128, 136, 192, 40, 56},
    {0x030d, 72, -1, 0, 8, 56, 70, 68, 112, 128, 136, 200, 40, 56},
};

// Offsets that these versions share.
inline constexpr int kPythonType = 8;        ///< in PyObject
inline constexpr int kPythonSize = 16;       ///< in PyVarObject; PyASCIIObject's length
inline constexpr int kPythonTextState = 32;  ///< in PyASCIIObject
inline constexpr int kPythonBytes = 32;      ///< in PyBytesObject
inline constexpr char kOwnedByC = 3;         ///< owner of a frame that only marks an entry from C

}  // namespace waywiser::profile
