/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Light or dark, before the page is drawn: as it was chosen, else as the system has it.
'use strict';
try {
    const chosen = localStorage.getItem('perp-theme');
    if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
    // no storage: as the system has it
}
