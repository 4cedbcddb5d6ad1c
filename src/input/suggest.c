/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* suggest.c - the known word that is nearest to a misspelled one.
 *
 * Method: slips are counted as letters put in, left out, changed, or two neighbours swapped (optimal string
 * alignment; Damerau 1964). A word is near if the slips are at most a third of the longer word, and three; case and -
 * for _ are no slips. If none is near, a word of which the beginning was written (three letters or more), or one that
 * begins what was written. Ties go to the earlier word.
 * Cost: product of the lengths; words of more than 63 bytes are never near. */
#include "input/input.h"
#include "input/text.h"

#include <string.h>

#define LONGEST 63

static char fold(char c) {
    if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

static int least(int a, int b) { return a < b ? a : b; }

static int slips(const char *a, int na, const char *b, int nb) {
    int row[3][LONGEST + 1]; /* rows i-2, i-1, i of the table, in turn */
    for (int j = 0; j <= nb; j++) row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3];
        const int *above = row[(i + 2) % 3], *higher = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            char x = fold(a[i - 1]), y = fold(b[j - 1]);
            int d = least(above[j - 1] + (x != y), least(above[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && x == fold(b[j - 2]) && fold(a[i - 2]) == y) d = least(d, higher[j - 2] + 1);
            now[j] = d;
        }
    }
    return row[na % 3][nb];
}

int pp_word_unlike(const char *written, const char *word) {
    size_t na = strlen(written), nb = strlen(word);
    if (na == 0 || nb == 0 || na > LONGEST || nb > LONGEST) return PP_UNLIKE;
    int longer = (int)(na > nb ? na : nb), shorter = (int)(na > nb ? nb : na);
    int d = slips(written, (int)na, word, (int)nb);
    if (d <= least(longer / 3, 3)) return d;
    if (shorter < 3) return PP_UNLIKE;
    for (int i = 0; i < shorter; i++)
        if (fold(written[i]) != fold(word[i])) return PP_UNLIKE;
    return PP_UNLIKE - 1; /* one begins the other */
}

const char *pp_suggest(const char *written, const char *const *words) {
    const char *best = NULL;
    int least_unlike = PP_UNLIKE;
    for (; written && words && *words; words++) {
        int d = pp_word_unlike(written, *words);
        if (d < least_unlike) {
            least_unlike = d;
            best = *words;
        }
    }
    return best;
}
