# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
from .dropin.run import main

if __name__ == "__main__":
    main()
