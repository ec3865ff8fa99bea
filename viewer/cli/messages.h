// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flopsprof::viewer {

// Everything that the tools say about themselves goes to stderr, one write a message, so that
// lines of several processes do not mix. stdout belongs to results, or to the job.

// "flopsprof: TEXT".
void Say(std::string_view text);

// An error with what still works and what to do: the first line as Say, the others indented.
void SayError(std::string_view what, const std::vector<std::string>& more);

// Only for the run's log, e.g. what --verbose would say.
void Note(std::string_view text);

// From here on everything that is said, and what has been said before, also goes to `path`
// (0600, appended, a UTC time before each line). False: it cannot be written; messages still go
// to stderr.
bool OpenLog(const std::string& path);

// The text of SayError.
std::string ErrorText(std::string_view what, const std::vector<std::string>& more);

// Writes all of `text` to a file descriptor; false on failure.
bool WriteAll(int fd, std::string_view text);

}  // namespace flopsprof::viewer
