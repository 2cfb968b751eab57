#include "exchange/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace waywiser::exchange {

OutputFile::OutputFile(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
    if (!file_) fail();
    std::setvbuf(file_.get(), nullptr, _IOFBF, std::size_t{1} << 18U);
}

void OutputFile::write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail();
}

void OutputFile::finish() {
    if (std::fclose(file_.release()) != 0) fail();
}

void OutputFile::fail() const { throw Error(path_ + " cannot be written: " + std::strerror(errno)); }

}  // namespace waywiser::exchange
