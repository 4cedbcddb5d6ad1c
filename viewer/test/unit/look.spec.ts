/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Parts of the page's look that need no browser: numbers, units, ranges of sliders, addresses, cameras.
import { expect, test } from '@playwright/test';
import * as THREE from 'three';

import { addressOf } from '../../src/data/address.ts';
import { SHAPE, type Model } from '../../src/data/model.ts';
import { raised, unitOfEnergy, unitOfForce, unitOfImpulse } from '../../src/data/units.ts';
import { ballsNow } from '../../src/draw/extent.ts';
import { approach } from '../../src/draw/follow.ts';
import { arms } from '../../src/draw/triad.ts';
import { LIGHT } from '../../src/draw/theme.ts';
import { showNumber } from '../../src/ui/number.ts';
import { rangeOf } from '../../src/ui/parameters.ts';

test('numbers have no more digits than they need', () => {
    expect(showNumber(14)).toBe('14');
    expect(showNumber(-0.05)).toBe('-0.05');
    expect(showNumber(1 / 3)).toBe('0.3333333');
    expect(showNumber(0.1 + 0.2)).toBe('0.3');
    expect(showNumber(1e-5)).toBe('1e-5');
    expect(showNumber(2.5e9)).toBe('2.5e9');
    expect(showNumber(0)).toBe('0');
    expect(showNumber(NaN)).toBe('NaN');
    // rounding beside a scale is 0, without a scale it is a number like others
    expect(showNumber(-1.3e-17, 1)).toBe('0');
    expect(showNumber(-1.3e-17)).toBe('-1.3e-17');
});

test('units are those of the scene', () => {
    const si = { length: 'm', mass: 'kg', time: 's' };
    expect([unitOfEnergy(si), unitOfForce(si), unitOfImpulse(si)]).toEqual(['J', 'N', 'kg m/s']);
    const mm = { length: 'mm', mass: 'g', time: 'ms' };
    expect(unitOfEnergy(mm)).toBe('g mm²/ms²');
    expect(unitOfEnergy({ length: 'm', mass: '', time: 's' })).toBe('');
    expect([raised('kg/m^3'), raised('m s^-12'), raised('rad')]).toEqual(['kg/m³', 'm s⁻¹²', 'rad']);
});

test('the page’s own query goes along', () => {
    expect(addressOf('recording/0', 'http://h:1/?token=a%26b')).toBe('http://h:1/recording/0?token=a%26b');
    expect(addressOf('live/frames?from=3', 'http://h:1/?token=x')).toBe('http://h:1/live/frames?from=3&token=x');
    expect(addressOf('recordings.json', 'http://h:1/trial/4/')).toBe('http://h:1/trial/4/recordings.json');
});

test('sliders: limits of the scene, else twice the value; counts stay whole', () => {
    const p = { name: 'p', unit: '', about: '', min: null, max: null };
    expect(rangeOf({ ...p, value: 0.3, default: 0.3 })).toEqual({ min: 0, max: 0.6, step: 0.005 });
    expect(rangeOf({ ...p, value: 4, default: 4, min: 1 })).toEqual({ min: 1, max: 8, step: 1 });
    expect(rangeOf({ ...p, value: 0.5, default: 0.5, min: 0, max: 1 }).max).toBe(1);
    expect(rangeOf({ ...p, value: -2.5, default: 1 }).min).toBe(-5);
});

test('a camera that rests starts when something leaves the picture, and arrives', () => {
    const at = (x: number, distance: number): { target: THREE.Vector3; distance: number } => ({
        target: new THREE.Vector3(x, 0, 0),
        distance,
    });
    // inside the picture: it stays
    expect(approach(at(0, 10), at(1, 8), false, 0.02)).toBeUndefined();
    // out of it, or very small: it goes
    expect(approach(at(0, 10), at(4, 8), false, 0.02)).toBeDefined();
    expect(approach(at(0, 10), at(0, 3), false, 0.02)).toBeDefined();
    let now = at(0, 10);
    let rounds = 0;
    for (let next = approach(now, at(4, 8), true, 0.05); next; next = approach(now, at(4, 8), true, 0.05)) {
        now = next;
        if (++rounds > 200) break;
    }
    expect(rounds).toBeLessThan(200);
    expect(now.target.x).toBeCloseTo(4, 1);
});

test('what fell away does not make the rest small', () => {
    const n = 10;
    const model = {
        bodies: { kind: new Uint8Array(n).fill(2), name: Array.from({ length: n }, (_, i) => `b${i}`) },
        shapes: { kind: new Uint8Array(n).fill(SHAPE.sphere), body: Int32Array.from({ length: n }, (_, i) => i) },
    } as unknown as Model;
    const reach = new Float64Array(n).fill(0.1);
    const position = Float64Array.from({ length: 3 * n }, (_, k) => (k % 3 === 0 ? 0.2 * (k / 3) : 0));
    expect(ballsNow(model, reach, position, 1).length).toBe(4 * n);
    position[3 * 3 + 2] = -80;
    const left = ballsNow(model, reach, position, 1);
    expect(left.length).toBe(4 * (n - 1));
    expect(Math.min(...Array.from(left))).toBeGreaterThan(-1);
    // all of them far from where they were: they are followed
    expect(
        ballsNow(
            model,
            reach,
            position.map((x) => x + 500),
            1,
        ).length,
    ).toBe(4 * (n - 1));
});

test('the triad: axes as the camera sees them, and gravity', () => {
    const list = arms(new THREE.Quaternion(), [0, -9.81, 0], false, LIGHT);
    const of = (name: string): number[] => {
        const a = list.find((x) => x.name === name);
        return a ? [a.x, a.y, a.depth].map((v) => Math.round(1000 * v) / 1000 + 0) : [];
    };
    expect(of('x')).toEqual([1, 0, 0]);
    expect(of('z')).toEqual([0, 0, 1]);
    expect(of('g')).toEqual([0, -1, 0]);
    expect(arms(new THREE.Quaternion(), [0, 0, 0], true, LIGHT).map((a) => a.name)).toEqual(['x', 'y']);
});
