/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** Bytes of a text in base64, which may hold line breaks. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
    const modern = Uint8Array as unknown as { fromBase64?: (t: string) => Uint8Array<ArrayBuffer> };
    if (modern.fromBase64) return modern.fromBase64(text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}
