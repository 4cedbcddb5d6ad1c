/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { expect, test } from '@playwright/test';

import { gradeOf, judge, severity, type Figures } from '../../src/data/verdict.ts';

function figures(change: Partial<Figures>): Figures {
    const zero = new Float64Array(4);
    return {
        law: zero,
        overlap: zero,
        joint_error: zero,
        gain: zero,
        rebound_lost: null,
        creep: null,
        twist: null,
        fall: null,
        kinetic_before: zero,
        kinetic_after: Float64Array.of(0, 1, 2, 3),
        ledger: { gravity: Float64Array.of(0, 1, 1, 1), remainder: zero },
        size: 0.1,
        joints: 1,
        time: [0, 1, 2, 3],
        unit: 'm',
        ...change,
    };
}

test('limits are those of perp info', () => {
    expect(gradeOf(1e-8, 'laws')).toBe(0);
    expect(gradeOf(1.1e-8, 'laws')).toBe(1);
    expect(gradeOf(1e-4, 'laws')).toBe(1);
    expect(gradeOf(1.1e-4, 'laws')).toBe(2);
    expect(gradeOf(NaN, 'laws')).toBe(2);
    expect(gradeOf(1e-6, 'overlap')).toBe(0);
    expect(gradeOf(2e-9, 'energy')).toBe(1);
});

test('the largest twist of a frame counts', () => {
    const twist = (x: number[]): number | undefined =>
        judge(figures({ twist: Float64Array.from(x) }))?.findings.find((f) => f.aspect === 'twist')?.grade;
    expect(twist([0, 1e-7, 1e-7, 0])).toBe(0);
    expect(twist([0, 1e-5, 0, 0])).toBe(1);
    expect(twist([0, 0, 0.02, 0])).toBe(2);
});

test('creep of all frames is added up and compared with the smallest body', () => {
    const creep = (x: number[]): number | undefined =>
        judge(figures({ creep: Float64Array.from(x) }))?.findings.find((f) => f.aspect === 'creep')?.grade;
    expect(creep([0, 0, 0, 0])).toBe(0);
    expect(creep([0, 5e-8, 5e-8, 1e-8])).toBe(1);
    expect(creep([0, 5e-4, 5e-4, 1e-4])).toBe(2);
});

test('a run without errors is good', () => {
    const v = judge(figures({}));
    expect(v?.grade).toBe(0);
    expect(Array.from(v?.strip ?? [1])).toEqual([0, 0, 0, 0]);
});

test('the worst figure decides grade and frame, lengths by the smallest body', () => {
    const v = judge(figures({ overlap: Float64Array.of(0, 0, 5e-3, 1e-4), law: Float64Array.of(0, 1e-7, 0, 0) }));
    expect(v?.grade).toBe(2);
    expect(v?.frame).toBe(2);
    expect(v?.findings.find((f) => f.aspect === 'laws')?.frame).toBe(1);
    expect(v?.findings.find((f) => f.aspect === 'overlap')?.part).toBeCloseTo(0.05, 12);
});

test('what is not a number is the worst', () => {
    const v = judge(figures({ law: Float64Array.of(0, NaN, 1e-3, 0) }));
    expect(v?.grade).toBe(2);
    expect(v?.frame).toBe(1);
    expect(v?.strip[1]).toBe(1);
});

test('energy: what is left open is compared with the largest energy', () => {
    const ledger = { gravity: Float64Array.of(0, 1, 1, 1), remainder: Float64Array.of(0, 0, 3e-5, 0) };
    const f = judge(figures({ ledger }))?.findings.find((x) => x.aspect === 'energy');
    expect(f?.part).toBeCloseTo(1e-5, 12);
    expect(f?.grade).toBe(2);
    expect(f?.frame).toBe(2);
});

test('energy: drift, gains and lost rebounds have limits of their own', () => {
    const energy = (change: Partial<Figures>) => judge(figures(change))?.findings.find((x) => x.aspect === 'energy');
    const gravity = Float64Array.of(0, 1, 1, 1);
    const still = new Float64Array(4);
    // what comes and goes counts by where it was largest
    const drift = energy({ ledger: { gravity, remainder: still, drift: Float64Array.of(0, 0.3, -0.3, 0) } });
    expect(drift?.part).toBeCloseTo(0.1, 12);
    expect(drift?.grade).toBe(2);
    expect(drift?.frame).toBe(1);
    const gain = energy({ gain: Float64Array.of(0, 0, 0.015, 0) });
    expect(gain?.grade).toBe(1);
    expect(gain?.text).toContain('contacts added');
    expect(energy({ rebound_lost: Float64Array.of(0, 0, 0, 1.5) })?.grade).toBe(2);
    expect(energy({ rebound_lost: Float64Array.of(0, 0, 0, 1e-3) })?.grade).toBe(0);
});

test('without a certificate there is no verdict', () => {
    expect(judge(figures({ law: null }))).toBeUndefined();
});

test('severity rises from the limit of good to ten times that of poor', () => {
    expect(severity(1e-8, 'laws')).toBe(0);
    expect(severity(1e-3, 'laws')).toBe(1);
    expect(severity(1e-6, 'laws')).toBeGreaterThan(severity(1e-7, 'laws'));
});
