/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_axis.c - ranges, ticks and their labels, scales, thinning
 *   Finds a few round numbers to write at an axis, and reduces long data to fewer points that look the same.
 * Method   Linear ticks are k m 10^e with integer k and m = 1, 2 or 5. They are stored as integers, so their labels are exact. If
 *          labels are long, a common power of ten and a common offset are written once, in the note of the axis. Log
 *          ticks are decades, with minor ticks at 2 to 9 if there is room. Thinning keeps the extremes of each column of
 *          the figure. Then it drops points that lie on straight lines within a tolerance.
 * Valid    Any finite numbers of size up to PLOT_HUGE, also constant data and no data.
 * Cost     Proportional to the number of values. */
#include "plot/plot_axis.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MINUS "\xe2\x88\x92" /* U+2212 */
#define TIMES "\xc3\x97"     /* U+00D7 */

plot_range plot_range_none(void) {
    plot_range r = {INFINITY, -INFINITY};
    return r;
}

bool plot_shows(double v, bool log) {
    return log ? v >= 1 / PLOT_HUGE && v <= PLOT_HUGE : v >= -PLOT_HUGE && v <= PLOT_HUGE;
}

void plot_range_add(plot_range *r, const double *v, long n, bool log) {
    for (long i = 0; i < n; i++) {
        if (!plot_shows(v[i], log)) continue;
        if (v[i] < r->lo) r->lo = v[i];
        if (v[i] > r->hi) r->hi = v[i];
    }
}

/* 10^e by repeated multiplication: the same on every platform, and exact up to 10^22. */
static double ten(int e) {
    double p = 1;
    for (int i = 0; i < (e < 0 ? -e : e); i++) p *= 10;
    return e < 0 ? 1 / p : p;
}

/* n 10^e with one rounding as long as 10^|e| is exact. */
static double scaled(long long n, int e) { return e < 0 ? (double)n / ten(-e) : (double)n * ten(e); }

/* Largest e with 10^e <= v, v > 0. */
static int decade(double v) {
    int e = (int)floor(log10(v));
    while (ten(e) > v) e--;
    while (ten(e + 1) <= v) e++;
    return e;
}

void plot_axis_span(plot_axis *a, plot_range r, bool log, bool room, double fixed_lo, double fixed_hi) {
    memset(a, 0, sizeof *a);
    a->log = log;
    if (!plot_shows(fixed_lo, log)) fixed_lo = NAN; /* the axis cannot show this end */
    if (!plot_shows(fixed_hi, log)) fixed_hi = NAN;
    if (fixed_lo >= fixed_hi) fixed_lo = fixed_hi = NAN;
    double lo = r.lo, hi = r.hi;
    if (!(lo <= hi)) {
        lo = log ? 1 : 0;
        hi = log ? 10 : 1;
    } else if (log) {
        int d0 = decade(lo), d1 = decade(hi);
        if (ten(d1) < hi) d1++;
        if (d0 == d1) d0--, d1++; /* all data equal one power of ten: put it in the middle */
        if (room) lo = ten(d0), hi = ten(d1);
        if (!(lo < hi)) lo = ten(d0), hi = ten(d1);
    } else {
        double size = fmax(fabs(lo), fabs(hi));
        if (size < 1 / PLOT_HUGE) { /* all data are zero */
            lo = -1;
            hi = 1;
        } else if (hi - lo <= 1e-12 * size) { /* constant up to rounding */
            double middle = lo + (hi - lo) / 2;
            lo = middle - 0.1 * size;
            hi = middle + 0.1 * size;
        } else if (room) {
            double pad = 0.05 * (hi - lo);
            lo -= pad;
            hi += pad;
        }
    }
    if (!isnan(fixed_lo)) lo = fixed_lo;
    if (!isnan(fixed_hi)) hi = fixed_hi;
    if (!(lo < hi)) { /* one end is given and all the data lie beyond it */
        double size = fmax(fabs(lo), fabs(hi));
        double step = size < 1 / PLOT_HUGE ? 1 : 0.1 * size;
        if (isnan(fixed_hi))
            hi = log ? lo * 10 : lo + step;
        else
            lo = log ? hi / 10 : hi - step;
    }
    a->lo = lo;
    a->hi = hi;
    assert(a->lo < a->hi && (!log || a->lo > 0));
}

double plot_axis_place(const plot_axis *a, double v) {
    if (a->log) return (log10(v) - log10(a->lo)) / (log10(a->hi) - log10(a->lo));
    return (v - a->lo) / (a->hi - a->lo);
}

/* Writes n 10^(e - common) with common - e decimals, or none if this is negative. */
static void write_number(char *out, size_t size, long long n, int e, int common) {
    int decimals = common > e ? common - e : 0, zeros = e > common ? e - common : 0;
    char digit[64];
    int len = snprintf(digit, sizeof digit, "%lld", n < 0 ? -n : n);
    char text[128];
    int k = 0;
    for (int i = len; i <= decimals; i++) { /* 5 with 2 decimals: 0.05 */
        text[k++] = '0';
        if (i == len && decimals > 0) text[k++] = '.';
    }
    for (int i = 0; i < len; i++) {
        if (decimals > 0 && i > 0 && i == len - decimals) text[k++] = '.';
        text[k++] = digit[i];
    }
    for (int i = 0; i < zeros && n != 0; i++) text[k++] = '0';
    text[k] = 0;
    int room = (int)size - (int)sizeof MINUS;
    snprintf(out, size, "%s%.*s", n < 0 ? MINUS : "", room, text);
}

static void write_power(char *out, size_t size, const char *before, int e) {
    snprintf(out, size, "%s10^{%s%d}", before, e < 0 ? MINUS : "", e < 0 ? -e : e);
}

static long long power(int e) {
    long long p = 1;
    for (int i = 0; i < e; i++) p *= 10;
    return p;
}

/* Makes linear ticks n[k] 10^e, their labels and the note of the axis. */
static void linear_ticks(plot_axis *a, int most) {
    double span = a->hi - a->lo, size = fmax(fabs(a->lo), fabs(a->hi));
    double raw = span / most;
    if (raw < 1e-15 * size) raw = 1e-15 * size; /* no finer than the precision of the numbers */
    if (a->whole && raw < 1) raw = 1;
    int e = decade(raw), m = 1;
    static const int nice[4] = {1, 2, 5, 10};
    long long first = 0, last = -1;
    for (int i = 0;; i = i == 3 ? 1 : i + 1) { /* finest step with at most `most` ticks */
        m = nice[i];
        double step = scaled(m, e);
        if (m == 10) m = 1, e++;
        double slack = 1e-9 * span + 5e-16 * size; /* an end that equals a tick up to rounding is a tick */
        first = (long long)ceil((a->lo - slack) / step);
        last = (long long)floor((a->hi + slack) / step);
        if (last - first < most && last - first < PLOT_TICKS) break;
    }
    long long n0 = first * m, n1 = last * m, offset = 0;
    long long largest = -n0 > n1 ? -n0 : n1;
    if (largest >= 20000LL * m) { /* the leading digits of all labels are the same: write them once, as an offset */
        int d = decade(span * 1.000001) + 1 - e;
        long long p = power(d < 1 ? 1 : d > 17 ? 17 : d);
        offset = n1 >= 0 ? n1 / p * p : -((-n1 + p - 1) / p) * p;
    }
    n0 -= offset;
    n1 -= offset;
    largest = -n0 > n1 ? -n0 : n1;
    int common = 0;
    if (largest > 0) {
        int top = e - 1;
        for (long long l = largest; l > 0; l /= 10) top++; /* the largest label is about 10^top */
        if (top >= 5 || top <= -3) common = top >= 0 ? top / 3 * 3 : -((2 - top) / 3) * 3;
    }
    for (long long k = first; k <= last; k++) {
        int i = a->ntick++;
        a->tick[i] = scaled(k * m, e);
        write_number(a->word[i], sizeof a->word[i], k * m - offset, e,
                     largest == 0 ? e : common); /* the only tick is zero: no decimals */
    }
    if (common != 0) write_power(a->note, sizeof a->note, TIMES, common);
    if (offset != 0) { /* without trailing zeros; large and small offsets with a power of ten */
        int at = e;
        long long o = offset < 0 ? -offset : offset;
        while (o % 10 == 0) o /= 10, at++;
        int digits = 0;
        for (long long l = o; l > 0; l /= 10) digits++;
        char words[40];
        if (at + digits > 7 || at + digits < -3) {
            char mantissa[32];
            write_number(mantissa, sizeof mantissa, o, 1 - digits, 0);
            size_t end = strlen(mantissa);
            snprintf(mantissa + end, sizeof mantissa - end, "%s", TIMES);
            write_power(words, sizeof words, mantissa, at + digits - 1);
        } else {
            write_number(words, sizeof words, o, at, 0);
        }
        size_t used = strlen(a->note);
        snprintf(a->note + used, sizeof a->note - used, "%s%s %s", used ? " " : "", offset < 0 ? MINUS : "+", words);
    }
}

static void minor(plot_axis *a, double v) {
    if (v >= a->lo && v <= a->hi && a->nminor < PLOT_MINORS) a->minor[a->nminor++] = v;
}

static void log_ticks(plot_axis *a, int most) {
    double low = a->lo * (1 - 1e-9), high = a->hi * (1 + 1e-9);
    int d0 = decade(low), d1 = decade(high); /* 10^d0 <= lo; the last decade within is d1 */
    if (ten(d0) < low) d0++;
    int decades = d1 - d0 + 1;
    if (decades < 2 && most > 1) { /* less than two decades: label 1, 2 and 5 too, or use linear ticks */
        static const int digit[3] = {1, 2, 5};
        int count = 0;
        for (int d = d0 - 1; d <= d1; d++)
            for (int k = 0; k < 3; k++) count += scaled(digit[k], d) >= low && scaled(digit[k], d) <= high;
        if (count < 2 || a->hi / a->lo < 3) {
            linear_ticks(a, most);
            return;
        }
        bool plain = d0 - 1 >= -3 && d1 <= 4;
        for (int d = d0 - 1; d <= d1; d++) {
            for (int k = 1; k < 10; k++) {
                double v = scaled(k, d);
                bool major = k == 1 || ((k == 2 || k == 5) && count <= most);
                if (v < low || v > high) continue;
                if (!major || a->ntick == PLOT_TICKS) {
                    minor(a, v);
                    continue;
                }
                int i = a->ntick++;
                a->tick[i] = v;
                char before[16];
                snprintf(before, sizeof before, "%d" TIMES, k);
                if (plain)
                    write_number(a->word[i], sizeof a->word[i], k, d, 0);
                else
                    write_power(a->word[i], sizeof a->word[i], k == 1 ? "" : before, d);
            }
        }
        return;
    }
    int stride = 1;
    static const int strides[] = {1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        stride = strides[i];
        int from = d0 >= 0 ? (d0 + stride - 1) / stride : -(-d0 / stride),
            to = d1 >= 0 ? d1 / stride : -((-d1 + stride - 1) / stride);
        if (to - from < most && to - from < PLOT_TICKS) break;
    }
    for (int d = d0 - 1; d <= d1; d++) {
        double v = ten(d);
        if (v >= low && v <= high) {
            if (d % stride == 0 && a->ntick < PLOT_TICKS) {
                int i = a->ntick++;
                a->tick[i] = v;
                write_power(a->word[i], sizeof a->word[i], "", d);
            } else {
                minor(a, v);
            }
        }
        if (stride == 1)
            for (int k = 2; k < 10; k++) minor(a, scaled(k, d));
    }
}

void plot_axis_ticks(plot_axis *a, int most) {
    a->ntick = a->nminor = 0;
    a->note[0] = 0;
    if (most < 1) most = 1;
    if (most > PLOT_TICKS) most = PLOT_TICKS;
    if (a->log)
        log_ticks(a, most);
    else
        linear_ticks(a, most);
}

/* ---- thinning ---- */

/* Keeps the first, lowest, highest and last point of each run of points within one column, if y changes direction at least
 * three times in the run. Other runs are smooth and stay for thin_straight(), which keeps their shape, for example where
 * a curve in the plane turns back. */
static long thin_columns(plot_point *p, long n, double column) {
    long out = 0;
    for (long i = 0; i < n;) {
        double c = floor(p[i].x / column);
        long j = i, low = i, high = i;
        int turns = 0;
        while (j < n && floor(p[j].x / column) == c) {
            turns += j >= i + 2 && (p[j].y - p[j - 1].y) * (p[j - 1].y - p[j - 2].y) < 0;
            if (p[j].y < p[low].y) low = j;
            if (p[j].y > p[high].y) high = j;
            j++;
        }
        if (turns < 3) {
            while (i < j) p[out++] = p[i++];
            continue;
        }
        long keep[4] = {i, low < high ? low : high, low < high ? high : low, j - 1};
        plot_point kept[4] = {{0}}; /* out <= i: unread points are never overwritten */
        int m = 0;
        for (int k = 0; k < 4; k++)
            if (k == 0 || keep[k] > keep[k - 1]) kept[m++] = p[keep[k]];
        for (int k = 0; k < m; k++) p[out++] = kept[k];
        i = j;
    }
    return out;
}

/* Drops points within `off` of the line between two kept points. From the last kept point, the directions that pass
 * within `off` of all later points form an interval of angles. The line continues while the direction of the next point
 * lies in this interval and its distance does not decrease. */
static long thin_straight(plot_point *p, long n, double off) {
    if (n < 3) return n;
    long out = 1;
    double low = -INFINITY, high = INFINITY, base = 0,
           reach = 0; /* interval of angles, relative to the direction `base` */
    bool open = false;
    plot_point from = p[0];
    for (long i = 1; i < n; i++) {
        double dx = p[i].x - from.x, dy = p[i].y - from.y, r = hypot(dx, dy), turn = 0;
        bool fits = r <= off && !open; /* within `off` of the start: any direction */
        if (!fits && !open) {
            base = atan2(dy, dx);
            fits = open = true;
            low = -INFINITY;
            high = INFINITY;
        } else if (!fits) {
            turn = atan2(dy * cos(base) - dx * sin(base), dx * cos(base) + dy * sin(base));
            fits = turn >= low && turn <= high && r >= reach;
        }
        if (!fits) {
            p[out++] = from = p[i - 1];
            open = false;
            reach = 0;
            i--; /* test this point again from the new start. The start has advanced, so the loop ends */
            continue;
        }
        if (open) {
            double half = r > off ? asin(off / r) : 1.5;
            if (turn - half > low) low = turn - half;
            if (turn + half < high) high = turn + half;
            reach = r;
        }
    }
    p[out++] = p[n - 1];
    return out;
}

long plot_thin(plot_point *p, long n, double column, double off) {
    if (column > 0) n = thin_columns(p, n, column);
    if (off > 0) n = thin_straight(p, n, off);
    return n;
}
