/// Lets the built library load on systems with a C library as old as glibc 2.17 (RHEL 7). This file is included before
/// every source of the preloaded library. In glibc 2.34, the calls of libdl and libpthread moved into libc under new
/// versions. Their first versions are the same functions, and every glibc has them. `tools/check_exports.py` reports a
/// missing call.
#pragma once

#include <features.h>

#if defined(__GLIBC__) && defined(__x86_64__)
#define WAYWISER_FIRST_GLIBC "GLIBC_2.2.5"
__asm__(".symver dladdr1,dladdr1@GLIBC_2.3.3");
#elif defined(__GLIBC__) && defined(__aarch64__)
#define WAYWISER_FIRST_GLIBC "GLIBC_2.17"
__asm__(".symver dladdr1,dladdr1@GLIBC_2.17");
#endif

#ifdef WAYWISER_FIRST_GLIBC
#define WAYWISER_FIRST_VERSION(name) __asm__(".symver " #name "," #name "@" WAYWISER_FIRST_GLIBC)
WAYWISER_FIRST_VERSION(dladdr);
WAYWISER_FIRST_VERSION(dlclose);
#ifndef WAYWISER_DEFINES_DLOPEN  // loading.cpp defines dlopen and dlsym.
WAYWISER_FIRST_VERSION(dlopen);
WAYWISER_FIRST_VERSION(dlsym);
#endif
WAYWISER_FIRST_VERSION(pthread_create);
WAYWISER_FIRST_VERSION(pthread_join);
WAYWISER_FIRST_VERSION(pthread_key_create);
WAYWISER_FIRST_VERSION(pthread_setspecific);
WAYWISER_FIRST_VERSION(pthread_sigmask);
#undef WAYWISER_FIRST_VERSION
#endif
