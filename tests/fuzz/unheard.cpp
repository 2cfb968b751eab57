/// The hook of instrumented code in programs without coverage; the definition in fuzz_readers.cpp takes precedence.
extern "C" void __sanitizer_cov_trace_pc() {}
