// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The compiled halves of spdlog 1.10 and fmt 9, which Debian ships only as shared libraries:
// static_link.sh adds this file to a fully static program. Same content as the libraries'
// own source files (src/spdlog.cpp, src/stdout_sinks.cpp, src/color_sinks.cpp, src/format.cc).
#include <fmt/format-inl.h>
#include <spdlog/common-inl.h>
#include <spdlog/details/backtracer-inl.h>
#include <spdlog/details/log_msg-inl.h>
#include <spdlog/details/log_msg_buffer-inl.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/details/os-inl.h>
#include <spdlog/details/periodic_worker-inl.h>
#include <spdlog/details/registry-inl.h>
#include <spdlog/logger-inl.h>
#include <spdlog/pattern_formatter-inl.h>
#include <spdlog/sinks/ansicolor_sink-inl.h>
#include <spdlog/sinks/base_sink-inl.h>
#include <spdlog/sinks/sink-inl.h>
#include <spdlog/sinks/stdout_color_sinks-inl.h>
#include <spdlog/sinks/stdout_sinks-inl.h>
#include <spdlog/spdlog-inl.h>

#include <mutex>

namespace sinks = spdlog::sinks;
using spdlog::details::console_mutex;
using spdlog::details::console_nullmutex;
using spdlog::details::null_mutex;

template class SPDLOG_API sinks::base_sink<std::mutex>;
template class SPDLOG_API sinks::base_sink<null_mutex>;
template class SPDLOG_API sinks::stdout_sink_base<console_mutex>;
template class SPDLOG_API sinks::stdout_sink_base<console_nullmutex>;
template class SPDLOG_API sinks::stdout_sink<console_mutex>;
template class SPDLOG_API sinks::stdout_sink<console_nullmutex>;
template class SPDLOG_API sinks::stderr_sink<console_mutex>;
template class SPDLOG_API sinks::stderr_sink<console_nullmutex>;
template class SPDLOG_API sinks::ansicolor_sink<console_mutex>;
template class SPDLOG_API sinks::ansicolor_sink<console_nullmutex>;
template class SPDLOG_API sinks::ansicolor_stdout_sink<console_mutex>;
template class SPDLOG_API sinks::ansicolor_stdout_sink<console_nullmutex>;
template class SPDLOG_API sinks::ansicolor_stderr_sink<console_mutex>;
template class SPDLOG_API sinks::ansicolor_stderr_sink<console_nullmutex>;

template SPDLOG_API std::shared_ptr<spdlog::logger>
spdlog::stdout_logger_mt<spdlog::synchronous_factory>(const std::string&);
template SPDLOG_API std::shared_ptr<spdlog::logger>
spdlog::stderr_logger_mt<spdlog::synchronous_factory>(const std::string&);

FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API locale_ref::locale_ref(const std::locale& loc);
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to(buffer<char>&, string_view,
                                 basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<wchar_t>;
template FMT_API auto decimal_point_impl(locale_ref) -> wchar_t;
template FMT_API void buffer<wchar_t>::append(const wchar_t*, const wchar_t*);
}  // namespace detail
FMT_END_NAMESPACE
