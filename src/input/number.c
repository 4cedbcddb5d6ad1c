/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* number.c - decimal text to the nearest double, in any locale.
 *
 * Problem: strtod() uses the decimal point of the locale, which the calling program may have set.
 * Method: up to 19 digits are gathered into an integer w and a power of ten k. If w < 2^53 and |k| <= 22, both w and
 * 10^|k| are doubles without error, and one multiplication or division rounds once: the result is exact to the last
 * bit (Clinger 1990, "How to read floating point numbers accurately"). Otherwise the digits go to strtod() as an
 * integer with an exponent, which has no decimal point. Of the digits beyond the 800th it matters for rounding only whether one of
 * them is not 0 (767 digits suffice): one sticky digit represents them.
 * Cost: linear in the text; no memory. */
#include "input/text.h"

#include <stdlib.h>

#define DIGITS 800

static bool digit(char c) { return c >= '0' && c <= '9'; }

typedef struct digits {
    char text[DIGITS + 32]; /* significant digits, then room for an exponent */
    int n;                  /* how many */
    bool sticky;            /* a digit other than 0 was dropped */
    long k;                 /* the value is text * 10^k */
} digits;

static void put(digits *d, char c, bool fraction) {
    if (d->n == 0 && c == '0') { /* leading */
        if (fraction) d->k--;
        return;
    }
    if (d->n < DIGITS) {
        d->text[d->n++] = c;
        if (fraction) d->k--;
        return;
    }
    if (c != '0') d->sticky = true;
    if (!fraction) d->k++;
}

static double slow(digits *d) {
    if (d->sticky) {
        d->text[d->n++] = '1';
        d->k--;
    }
    long k = d->k;
    char *p = d->text + d->n;
    *p++ = 'e';
    if (k < 0) *p++ = '-';
    unsigned long m = k < 0 ? 0ul - (unsigned long)k : (unsigned long)k;
    char turned[24];
    int t = 0;
    do turned[t++] = (char)('0' + m % 10);
    while ((m /= 10) > 0);
    while (t > 0) *p++ = turned[--t];
    *p = 0;
    return strtod(d->text, NULL);
}

static double value(digits *d) {
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (d->n == 0) return 0;
    if (d->n <= 19 && d->k >= -22 && d->k <= 22) {
        uint64_t w = 0;
        for (int i = 0; i < d->n; i++) w = 10 * w + (uint64_t)(d->text[i] - '0');
        if (w <= (1ull << 53)) return d->k < 0 ? (double)w / ten[-d->k] : (double)w * ten[d->k];
    }
    return slow(d);
}

size_t pp_number_scan(const char *text, size_t length, double *out) {
    digits d;
    d.n = 0;
    d.sticky = false;
    d.k = 0;
    size_t i = 0, seen = 0;
    for (; i < length && digit(text[i]); i++, seen++) put(&d, text[i], false);
    if (i < length && text[i] == '.') {
        size_t j = i + 1;
        for (; j < length && digit(text[j]); j++, seen++) put(&d, text[j], true);
        if (seen > 0) i = j;
    }
    if (seen == 0) return 0;
    if (i < length && (text[i] == 'e' || text[i] == 'E')) {
        size_t j = i + 1;
        bool minus = false;
        if (j < length && (text[j] == '+' || text[j] == '-')) minus = text[j++] == '-';
        if (j < length && digit(text[j])) {
            const long far = 1000000000; /* more than any file has digits: the result is 0 or infinite */
            long e = 0;
            for (; j < length && digit(text[j]); j++)
                if (e < far) e = 10 * e + (text[j] - '0');
            d.k += minus ? -e : e;
            i = j;
        }
    }
    *out = value(&d);
    return i;
}
