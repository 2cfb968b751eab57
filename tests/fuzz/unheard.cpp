/// What instrumented code calls in programs that do not listen: theirs, in fuzz_readers.cpp, comes first.
extern "C" void __sanitizer_cov_trace_pc() {}
