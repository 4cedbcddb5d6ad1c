/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { equations } from '../src/equations.js';
import { isMath, typeset } from '../src/math.js';
import { prose } from '../src/prose.js';

/** MathML without what it looks like: [..] for mathematics, letters only. */
const plain = (html) =>
    html
        .replace(/<math[^>]*>/g, '[')
        .replace(/<\/math>/g, ']')
        .replace(/<i>(.)<\/i>/g, '($1)')
        .replace(/<[^>]+>/g, '')
        .replaceAll('&lt;', '<');

test('indices, powers and accents', () => {
    assert.equal(
        typeset('G_nᵀ'),
        '<math><msubsup><mi>G</mi><mrow><mi>n</mi></mrow><mrow><mi mathvariant="normal">T</mi></mrow></msubsup></math>',
    );
    assert.match(typeset('M⁻¹'), /<msup><mi>M<\/mi><mrow><mrow><mo [^>]*>−<\/mo><mn>1<\/mn><\/mrow><\/mrow><\/msup>/);
    assert.match(typeset('ẋ'), /<mover accent="true"><mi>x<\/mi><mo stretchy="false">˙<\/mo><\/mover>/);
    assert.match(typeset('W_rest,b'), /<mi>rest<\/mi><mo [^>]*>,<\/mo><mi>b<\/mi>/);
    assert.match(typeset('x_{k+1}'), /<mi>k<\/mi><mo [^>]*>\+<\/mo><mn>1<\/mn>/);
    assert.match(typeset('ε = 1e-4'), /<msup><mn>10<\/mn><mn>−4<\/mn><\/msup>/);
    assert.match(typeset('√(a² + b²)'), /<msqrt><msup>/);
});

test('fractions stand above each other in displayed equations only, and keep their meaning', () => {
    assert.match(typeset('φ/h', true), /<mfrac><mrow><mi>φ<\/mi><\/mrow><mrow><mi>h<\/mi><\/mrow><\/mfrac>/);
    assert.doesNotMatch(typeset('φ/h'), /mfrac/);
    // the denominator of /2ε is 2ε
    assert.match(typeset('(a − b)/2ε', true), /<mrow><mn>2<\/mn><mi>ε<\/mi><\/mrow><\/mfrac>/);
    // h K/S is h times K/S: a space ends the numerator
    assert.match(typeset('h K/S', true), /<mi>h<\/mi><mfrac>/);
    // parentheses around a whole part are not needed
    assert.match(typeset('(p + q)/S', true), /<mfrac><mrow><mi>p<\/mi><mo>\+<\/mo><mi>q<\/mi><\/mrow>/);
});

test('words stay words, letters that touch values are values', () => {
    assert.equal(plain(typeset('p_b free, or lo ≤ p_b ≤ hi for motors', true)), '[pb] free, or [lo≤pb≤hi] for motors');
    assert.equal(plain(typeset('½ zᵀMz + qᵀz', true)), '[½zTMz+qTz]');
    assert.equal(plain(typeset('D x (in the metric of W), z', true)), '[Dx] (in the metric of [W]), [z]');
    assert.equal(plain(typeset('((value − mean)/sd)²', true)), '[((value\u00a0−\u00a0mean)/sd)2]');
    assert.equal(plain(typeset('a row with compliance 1/K', true)), 'a row with compliance [1K]');
});

test('a minus without a value before it is a sign', () => {
    assert.match(typeset('v = −k x'), /<mo form="prefix">−<\/mo>/);
    assert.match(typeset('a − b'), /<mo>−<\/mo>/);
    assert.match(typeset('ω × r'), /<mo>×<\/mo>/);
    assert.match(typeset('Σ m'), /<mo [^>]*>∑<\/mo>/);
});

test('lines are rows, and what they have below each other are columns', () => {
    const html = equations('M ν⁺ = h f          momentum\n0 ≤ p  ⊥  w ≥ 0     contact\n');
    assert.equal(html.match(/<tr>/g).length, 2);
    assert.equal(html.match(/<td/g).length, 4);
    assert.match(html, /<td class="words">momentum<\/td>/);
});

test('a line that continues the one above begins in its column', () => {
    const html = equations('v      largest |q|\n       of its island\nnoise  ε |q|: rounding   of u\n');
    assert.match(html, /<tr><td><\/td><td class="words">of its island<\/td><\/tr>/);
});

test('brackets over several lines are matrices', () => {
    const html = equations('[ W_bb  W_bn ]       [ w_b ]    p_b free\n[ W_nb  W_nn ] z  +  [ w_n ]    p_n ≥ 0\n');
    assert.equal(html.match(/<mtable>/g).length, 2);
    assert.equal(html.match(/<mtr>/g).length, 4);
    assert.match(plain(html), /\[\[WbbWbnWnbWnn\]\] \[z\+\]/);
});

test('commands and listings are no mathematics', () => {
    assert.ok(isMath('M (ν⁺ − ν) = h f'));
    assert.ok(isMath('0 ≤ force  ⊥  gap ≥ 0'));
    assert.ok(!isMath('make site     # build/site'));
    assert.ok(!isMath('src/stage/control/   1  pp_control       time       -> forces'));
    assert.ok(!isMath('perp run slope.yaml -D mu=0.3'));
});

test('mathematics in running text', () => {
    const cases = [
        ['The velocity at t + h, as printed.', 'The velocity at [t+h], as printed.'],
        ['So p_n ≥ 0 pushes B along the normal.', 'So [pn≥0] pushes (B) along the normal.'],
        ['In 2D ν = [v_x, v_y, ω]; a particle has no ω.', 'In 2D [ν=[vx,vy,ω]]; a particle has no [ω].'],
        ['if it closes (u < 0), a body', 'if it closes [(u<0)], a body'],
        ['a box of 0.3 m at 2e-5 m/s', 'a box of 0.3 m at 2e-5 m/s'],
        ['A body at rest is a body. I am C.', 'A body at rest is a body. I am C.'],
        ['it is −(1 − e)/(1 + e) pᵀWp/2.', 'it is [−(1−e)/(1+e)pTWp/2].'],
        ['the names max_steps and a_long_name', 'the names max_steps and a_long_name'],
    ];
    for (const [text, wanted] of cases) assert.equal(plain(prose(text)), wanted);
    // a comma stays on the line of what it follows
    assert.match(prose('with p_n ≥ 0, and'), /<span class="whole"><math.*<\/math>,<\/span> and$/s);
    assert.doesNotMatch(prose('with p_n ≥ 0 and'), /whole/);
});

test('text is escaped', () => {
    assert.equal(prose('<script> & "x"'), '&lt;script&gt; &amp; &quot;x&quot;');
    assert.match(typeset('a < b'), /<mo>&lt;<\/mo>/);
});
