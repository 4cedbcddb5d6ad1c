// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// imports.js - for emcc: names that the module imports from perp.js. What they do is written there.
mergeInto(LibraryManager.library, { perp_seconds: function () {} });
