/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Addresses of the server that the page came from.

/** The whole address of a path beside the page. The page's own query goes along: a server may keep a token there. */
export function addressOf(path: string, page: string = location.href): string {
    const from = new URL(page);
    const to = new URL(path, from);
    for (const [key, value] of from.searchParams) if (!to.searchParams.has(key)) to.searchParams.append(key, value);
    return to.href;
}
