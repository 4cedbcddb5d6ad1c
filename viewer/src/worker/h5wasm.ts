/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The names of h5wasm that are used, in one place.
import { ready } from 'h5wasm';

export { Dataset, File, ready } from 'h5wasm';
export type H5Module = Awaited<typeof ready>;
