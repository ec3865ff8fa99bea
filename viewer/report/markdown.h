// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace flopsprof::viewer {

// `text` as Markdown that GitHub shows as it is: a name can begin no table cell, link, code, HTML,
// mention or heading. Blanks at its beginning stay. `text` is one line of clean text.
std::string MarkdownText(std::string_view text);

// The lines of a text, each an own one.
std::string MarkdownLines(std::string_view text);

}  // namespace flopsprof::viewer
