/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// HDF5 says on the console what it could not do; the page says it in words of its own. To be imported before h5wasm, which
// takes the console's functions as they are when it starts.
console.error = () => undefined;
console.warn = () => undefined;
