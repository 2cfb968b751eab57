/// The C library of the Open Trace Format 2, loaded when a trace is to be exchanged.
///
/// No wheel contains its headers, so that the used declarations are given here, according to its reference
/// (https://perftools.pages.jsc.fz-juelich.de/cicd/otf2/tags/latest/html/). These declarations are stable within a
/// major version; this is version 3. D. Eschweiler et al., "Open Trace Format 2: The Next Generation of Scalable Trace
/// Formats and Support Libraries", PARCO 2011.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

namespace waywiser::exchange::otf2 {

struct Archive;
struct Reader;
struct EvtWriter;
struct DefWriter;
struct EvtReader;
struct DefReader;
struct GlobalDefWriter;
struct GlobalDefReader;
struct EvtCallbacks;
struct GlobalDefCallbacks;
struct AttributeList;

using Code = int;  ///< 0: success
using Time = std::uint64_t;
using Ref = std::uint32_t;
using Location = std::uint64_t;
inline constexpr Ref kUndefined = ~Ref{0};
inline constexpr std::uint64_t kUndefinedTime = ~std::uint64_t{0};

union Value {
    std::uint64_t uint64;
    std::int64_t int64;
    std::uint32_t uint32;
    std::int32_t int32;
    Ref string;
};

/// OTF2_Type
enum Type : std::uint8_t { kUint32 = 3, kUint64 = 4, kInt32 = 7, kInt64 = 8, kString = 11 };

enum : std::uint8_t {
    kWrite = 0,           ///< OTF2_FILEMODE_WRITE
    kPosix = 1,           ///< OTF2_SUBSTRATE_POSIX
    kUncompressed = 1,    ///< OTF2_COMPRESSION_NONE
    kProcess = 1,         ///< OTF2_LOCATION_GROUP_TYPE_PROCESS
    kCpuThread = 1,       ///< OTF2_LOCATION_TYPE_CPU_THREAD
    kSharedMemory = 1,    ///< OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY
    kMpi = 4,             ///< OTF2_PARADIGM_MPI
    kCommLocations = 4,   ///< OTF2_GROUP_TYPE_COMM_LOCATIONS
    kCommGroup = 5,       ///< OTF2_GROUP_TYPE_COMM_GROUP
    kCommSelf = 6,        ///< OTF2_GROUP_TYPE_COMM_SELF
    kCreatedByEvent = 1,  ///< OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS, and the flag of windows
};

inline constexpr std::uint32_t kRootNone = kUndefined;           ///< OTF2_COLLECTIVE_ROOT_NONE
inline constexpr std::uint32_t kRootSelf = kUndefined - 1;       ///< OTF2_COLLECTIVE_ROOT_SELF
inline constexpr std::uint32_t kRootThisGroup = kUndefined - 2;  ///< OTF2_COLLECTIVE_ROOT_THIS_GROUP

struct FlushCallbacks {
    std::uint8_t (*before)(void*, std::uint8_t file, Location, void*, bool last);
    Time (*after)(void*, std::uint8_t file, Location);
};

#define WAYWISER_OTF2_EVENTS(F)                                                                                     \
    F(Enter, Ref)                                                                                                   \
    F(Leave, Ref)                                                                                                   \
    F(MpiSend, std::uint32_t, Ref, std::uint32_t, std::uint64_t)                                                    \
    F(MpiIsend, std::uint32_t, Ref, std::uint32_t, std::uint64_t, std::uint64_t)                                    \
    F(MpiIsendComplete, std::uint64_t)                                                                              \
    F(MpiIrecvRequest, std::uint64_t)                                                                               \
    F(MpiRecv, std::uint32_t, Ref, std::uint32_t, std::uint64_t)                                                    \
    F(MpiIrecv, std::uint32_t, Ref, std::uint32_t, std::uint64_t, std::uint64_t)                                    \
    F(MpiRequestTest, std::uint64_t)                                                                                \
    F(MpiRequestCancelled, std::uint64_t)                                                                           \
    F(MpiCollectiveBegin)                                                                                           \
    F(MpiCollectiveEnd, std::uint8_t, Ref, std::uint32_t, std::uint64_t, std::uint64_t)                             \
    F(NonBlockingCollectiveRequest, std::uint64_t)                                                                  \
    F(NonBlockingCollectiveComplete, std::uint8_t, Ref, std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t) \
    F(CommCreate, Ref)                                                                                              \
    F(CommDestroy, Ref)                                                                                             \
    F(RmaWinCreate, Ref)                                                                                            \
    F(RmaWinDestroy, Ref)                                                                                           \
    F(RmaCollectiveBegin)                                                                                           \
    F(RmaCollectiveEnd, std::uint8_t, std::uint32_t, Ref, std::uint32_t, std::uint64_t, std::uint64_t)              \
    F(RmaPut, Ref, std::uint32_t, std::uint64_t, std::uint64_t)                                                     \
    F(RmaGet, Ref, std::uint32_t, std::uint64_t, std::uint64_t)                                                     \
    F(RmaAtomic, Ref, std::uint32_t, std::uint8_t, std::uint64_t, std::uint64_t, std::uint64_t)                     \
    F(RmaOpCompleteNonBlocking, Ref, std::uint64_t)

#define WAYWISER_OTF2_DEFINITIONS(F)                                                                            \
    F(ClockProperties, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t)                              \
    F(String, Ref, const char*)                                                                                 \
    F(Attribute, Ref, Ref, Ref, std::uint8_t)                                                                   \
    F(SystemTreeNode, Ref, Ref, Ref, Ref)                                                                       \
    F(SystemTreeNodeProperty, Ref, Ref, std::uint8_t, Value)                                                    \
    F(SystemTreeNodeDomain, Ref, std::uint8_t)                                                                  \
    F(LocationGroup, Ref, Ref, std::uint8_t, Ref, Ref)                                                          \
    F(LocationGroupProperty, Ref, Ref, std::uint8_t, Value)                                                     \
    F(Location, otf2::Location, Ref, std::uint8_t, std::uint64_t, Ref)                                          \
    F(LocationProperty, otf2::Location, Ref, std::uint8_t, Value)                                               \
    F(Region, Ref, Ref, Ref, Ref, std::uint8_t, std::uint8_t, std::uint32_t, Ref, std::uint32_t, std::uint32_t) \
    F(Group, Ref, Ref, std::uint8_t, std::uint8_t, std::uint32_t, std::uint32_t, const std::uint64_t*)          \
    F(Comm, Ref, Ref, Ref, Ref, std::uint32_t)                                                                  \
    F(InterComm, Ref, Ref, Ref, Ref, Ref, std::uint32_t)                                                        \
    F(RmaWin, Ref, Ref, Ref, std::uint32_t)

#define WAYWISER_OTF2_CALLS(F)                                                                                    \
    F(Error_RegisterCallback,                                                                                     \
      void*(Code (*)(void*, const char*, std::uint64_t, const char*, Code, const char*, void*), void*))           \
    F(Archive_Open,                                                                                               \
      Archive*(const char*, const char*, std::uint8_t, std::uint64_t, std::uint64_t, std::uint8_t, std::uint8_t)) \
    F(Archive_Close, Code(Archive*))                                                                              \
    F(Archive_SetFlushCallbacks, Code(Archive*, const FlushCallbacks*, void*))                                    \
    F(Archive_SetSerialCollectiveCallbacks, Code(Archive*))                                                       \
    F(Archive_SetCreator, Code(Archive*, const char*))                                                            \
    F(Archive_OpenEvtFiles, Code(Archive*))                                                                       \
    F(Archive_CloseEvtFiles, Code(Archive*))                                                                      \
    F(Archive_GetEvtWriter, EvtWriter*(Archive*, Location))                                                       \
    F(Archive_CloseEvtWriter, Code(Archive*, EvtWriter*))                                                         \
    F(Archive_OpenDefFiles, Code(Archive*))                                                                       \
    F(Archive_CloseDefFiles, Code(Archive*))                                                                      \
    F(Archive_GetDefWriter, DefWriter*(Archive*, Location))                                                       \
    F(Archive_CloseDefWriter, Code(Archive*, DefWriter*))                                                         \
    F(Archive_GetGlobalDefWriter, GlobalDefWriter*(Archive*))                                                     \
    F(EvtWriter_GetNumberOfEvents, Code(EvtWriter*, std::uint64_t*))                                              \
    F(AttributeList_New, AttributeList*())                                                                        \
    F(AttributeList_Delete, Code(AttributeList*))                                                                 \
    F(AttributeList_AddAttribute, Code(AttributeList*, Ref, std::uint8_t, Value))                                 \
    F(AttributeList_GetNumberOfElements, std::uint32_t(const AttributeList*))                                     \
    F(AttributeList_GetAttributeByIndex, Code(const AttributeList*, std::uint32_t, Ref*, std::uint8_t*, Value*))  \
    F(Reader_Open, Reader*(const char*))                                                                          \
    F(Reader_Close, Code(Reader*))                                                                                \
    F(Reader_GetCreator, Code(Reader*, char**))                                                                   \
    F(Reader_SetSerialCollectiveCallbacks, Code(Reader*))                                                         \
    F(Reader_GetGlobalDefReader, GlobalDefReader*(Reader*))                                                       \
    F(Reader_RegisterGlobalDefCallbacks, Code(Reader*, GlobalDefReader*, const GlobalDefCallbacks*, void*))       \
    F(Reader_ReadAllGlobalDefinitions, Code(Reader*, GlobalDefReader*, std::uint64_t*))                           \
    F(Reader_OpenDefFiles, Code(Reader*))                                                                         \
    F(Reader_CloseDefFiles, Code(Reader*))                                                                        \
    F(Reader_GetDefReader, DefReader*(Reader*, Location))                                                         \
    F(Reader_ReadAllLocalDefinitions, Code(Reader*, DefReader*, std::uint64_t*))                                  \
    F(Reader_CloseDefReader, Code(Reader*, DefReader*))                                                           \
    F(Reader_SelectLocation, Code(Reader*, Location))                                                             \
    F(Reader_OpenEvtFiles, Code(Reader*))                                                                         \
    F(Reader_CloseEvtFiles, Code(Reader*))                                                                        \
    F(Reader_GetEvtReader, EvtReader*(Reader*, Location))                                                         \
    F(Reader_RegisterEvtCallbacks, Code(Reader*, EvtReader*, const EvtCallbacks*, void*))                         \
    F(Reader_ReadAllLocalEvents, Code(Reader*, EvtReader*, std::uint64_t*))                                       \
    F(Reader_CloseEvtReader, Code(Reader*, EvtReader*))                                                           \
    F(EvtReaderCallbacks_New, EvtCallbacks*())                                                                    \
    F(EvtReaderCallbacks_Delete, void(EvtCallbacks*))                                                             \
    F(GlobalDefReaderCallbacks_New, GlobalDefCallbacks*())                                                        \
    F(GlobalDefReaderCallbacks_Delete, void(GlobalDefCallbacks*))

/// Callbacks for events and for definitions; a result other than 0 ends the reading.
template <class... Fields>
using OnEvent = Code(Location, Time, std::uint64_t position, void*, AttributeList*, Fields...);
template <class... Fields>
using OnDefinition = Code(void*, Fields...);

/// The library's functions, named without "OTF2_".
struct Library {
    /// \param path  path of the shared library
    /// \throws InvalidInput  if there is no library, or if it has another major version
    explicit Library(const std::string& path);

#define WAYWISER_FUNCTION(name, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
    WAYWISER_OTF2_CALLS(WAYWISER_FUNCTION)
#undef WAYWISER_FUNCTION
#define WAYWISER_FUNCTION(name, ...)                                                                 \
    Code (*EvtWriter_##name)(EvtWriter*, AttributeList*, Time __VA_OPT__(, ) __VA_ARGS__) = nullptr; \
    Code (*EvtReaderCallbacks_Set##name##Callback)(EvtCallbacks*, OnEvent<__VA_ARGS__>*) = nullptr;
    WAYWISER_OTF2_EVENTS(WAYWISER_FUNCTION)
#undef WAYWISER_FUNCTION
#define WAYWISER_FUNCTION(name, ...)                                              \
    Code (*GlobalDefWriter_Write##name)(GlobalDefWriter*, __VA_ARGS__) = nullptr; \
    Code (*GlobalDefReaderCallbacks_Set##name##Callback)(GlobalDefCallbacks*, OnDefinition<__VA_ARGS__>*) = nullptr;
    WAYWISER_OTF2_DEFINITIONS(WAYWISER_FUNCTION)
#undef WAYWISER_FUNCTION
};

}  // namespace waywiser::exchange::otf2
