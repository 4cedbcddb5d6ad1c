/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Units of derived quantities, in the names that the scene gives to length, mass and time. SI has names of its own.
import type { Units } from './model.ts';

/** All three are named; else a derived unit would lack a part. */
function complete(u: Units): boolean {
    return u.length !== '' && u.mass !== '' && u.time !== '';
}

function isSi(u: Units): boolean {
    return u.mass === 'kg' && u.length === 'm' && u.time === 's';
}

export function unitOfSpeed(u: Units): string {
    return u.length && u.time ? `${u.length}/${u.time}` : '';
}

export function unitOfAcceleration(u: Units): string {
    return u.length && u.time ? `${u.length}/${u.time}²` : '';
}

export function unitOfTurning(u: Units): string {
    return u.time ? `rad/${u.time}` : 'rad';
}

export function unitOfImpulse(u: Units): string {
    return complete(u) ? `${u.mass} ${u.length}/${u.time}` : '';
}

export function unitOfForce(u: Units): string {
    return isSi(u) ? 'N' : complete(u) ? `${u.mass} ${u.length}/${u.time}²` : '';
}

export function unitOfEnergy(u: Units): string {
    return isSi(u) ? 'J' : complete(u) ? `${u.mass} ${u.length}²/${u.time}²` : '';
}

/** Powers that a scene writes as kg/m^3, as they are printed: kg/m³. */
export function raised(unit: string): string {
    return unit.replace(/\^(-?\d+)/g, (_, power: string) =>
        [...power].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)])).join(''),
    );
}
