/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
declare module 'virtual:perp-worker' {
    /** the worker's program */
    export const program: string;
    /** the WebAssembly that it needs, packed by gzip, in base64 */
    export const wasm: string;
}
declare module '*.css';
declare module '*.yaml?raw' {
    const text: string;
    export default text;
}
