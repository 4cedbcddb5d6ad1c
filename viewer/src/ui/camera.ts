/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// What the camera does by itself, in words.
import type { CameraMode } from '../draw/follow.ts';

export const CAMERAS: readonly (readonly [CameraMode, string])[] = [
    ['free', 'free camera'],
    ['fit', 'follow all'],
    ['body', 'follow a body'],
];

export function isCamera(text: string): text is CameraMode {
    return CAMERAS.some(([mode]) => mode === text);
}
