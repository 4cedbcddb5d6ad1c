/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* put.c - see put.h */
#include "scene/put.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "input/text.h"

/* ---- text ---- */

static void fail(pp_text *t) {
    t->failed = true;
    if (t->any) *t->any = true;
}

void pp_text_add(pp_text *t, const char *format, ...) {
    va_list args, again;
    if (t->failed) return;
    va_start(args, format);
    va_copy(again, args);
    int more = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (more < 0 || !PP_GROW(t->alloc, t->data, t->cap, t->n, t->n + more + 1)) {
        fail(t);
    } else {
        (void)vsnprintf(t->data + t->n, (size_t)more + 1, format, again);
        t->n += more;
    }
    va_end(again);
}

void pp_text_quoted(pp_text *t, const char *text) {
    pp_text_add(t, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            pp_text_add(t, "\\%c", *p);
        else if (*p == '\n')
            pp_text_add(t, "\\n");
        else if (*p < 0x20 || *p == 0x7f)
            pp_text_add(t, "\\x%02x", *p);
        else
            pp_text_add(t, "%c", *p);
    }
    pp_text_add(t, "\"");
}

void pp_text_free(pp_text *t) {
    pp_free(t->alloc, t->data);
    *t = (pp_text){.alloc = t->alloc, .any = t->any};
}

char *pp_text_take(pp_text *t) {
    pp_text_add(t, "%s", ""); /* an empty text is one too */
    char *data = t->failed ? NULL : t->data;
    if (t->failed)
        pp_text_free(t);
    else
        *t = (pp_text){.alloc = t->alloc, .any = t->any};
    return data;
}

void pp_number_text(double x, char *out, size_t size) {
    if (!isfinite(x)) {
        (void)snprintf(out, size, x > 0 ? "inf" : x < 0 ? "-inf" : "nan");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(out, size, "%.*g", digits, x);
        char *comma = strchr(out, ',');
        if (comma) *comma = '.';
        double back = 0;
        size_t sign = out[0] == '-', length = strlen(out) - sign;
        if (pp_number_scan(out + sign, length, &back) == length && (sign ? -back : back) == x) return;
    }
}

void pp_text_number(pp_text *t, double x) {
    char number[PP_NUMBER_TEXT];
    pp_number_text(x, number, sizeof number);
    pp_text_add(t, "%s", number);
}

static void numbers(pp_text *t, const double *v, int n) {
    pp_text_add(t, "[");
    for (int i = 0; i < n; i++) {
        if (i) pp_text_add(t, ", ");
        pp_text_number(t, v[i]);
    }
    pp_text_add(t, "]");
}

void pp_text_vector(pp_text *t, int dim, perp_vec3 v) { numbers(t, (const double[]){v.x, v.y, v.z}, dim); }

static const char sixty_four[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void pp_text_base64(pp_text *t, const void *data, size_t size) {
    const unsigned char *p = data;
    size_t n = (size + 2) / 3 * 4;
    if (t->failed || n > INT32_MAX / 2 || !PP_GROW(t->alloc, t->data, t->cap, t->n, t->n + (int)n + 1)) {
        fail(t);
        return;
    }
    char *out = t->data + t->n;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i < 3 ? size - i : 3;
        uint32_t x = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0u);
        for (size_t k = 0; k < 4; k++) *out++ = k <= left ? sixty_four[x >> (18 - 6 * k) & 63] : '=';
    }
    *out = 0;
    t->n += (int)n;
}

unsigned char *pp_base64_read(const perp_allocator *a, const char *text, size_t *size) {
    size_t n = strlen(text), used = 0, end = n;
    while (end > 0 && n - end < 2 && text[end - 1] == '=') end--;
    *size = 0;
    if (n == 0 || n % 4 != 0) return NULL;
    for (size_t i = 0; i < end; i++)
        if (!strchr(sixty_four, text[i])) return NULL;
    *size = end / 4 * 3 + (end % 4 ? end % 4 - 1 : 0);
    unsigned char *out = pp_alloc(a, *size);
    uint32_t x = 0;
    for (size_t i = 0; out && i < end; i++) {
        x = x << 6 | (uint32_t)(strchr(sixty_four, text[i]) - sixty_four);
        if (i % 4 > 0) out[used++] = (unsigned char)(x >> (6 - 2 * (i % 4)) & 255);
    }
    return out;
}

/* ---- maps ---- */

static const perp_vec3 no_vector = {NAN, NAN, NAN};

perp_vec3 pp_put_some(perp_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0 ? no_vector : v; }

void pp_put_blank(const pp_map *m, void *in) {
    for (int i = 0; i < m->nkey; i++) {
        const pp_key *k = &m->key[i];
        void *field = (char *)in + k->offset;
        switch (k->type) {
        case PP_T_NUMBER: *(double *)field = k->has_value ? k->value : NAN; break;
        case PP_T_WHOLE: *(int64_t *)field = k->has_value ? (int64_t)k->value : INT64_MIN; break;
        case PP_T_BOOL: *(bool *)field = k->value != 0; break;
        case PP_T_CHOICE: *(int *)field = k->has_value ? (int)k->value : -1; break;
        case PP_T_STAGE:
        case PP_T_TEXT:
        case PP_T_FILE: *(const char **)field = NULL; break;
        case PP_T_NAME:
        case PP_T_LABEL:
        case PP_T_REF: ((pp_name *)field)->text[0] = 0; break;
        case PP_T_COLOUR: *(uint32_t *)field = 0; break;
        case PP_T_VECTOR:
        case PP_T_ANGULAR: *(perp_vec3 *)field = no_vector; break;
        case PP_T_TURN: *(perp_quat *)field = (perp_quat){1, 0, 0, 0}; break;
        case PP_T_NUMBERS: ((pp_numbers *)field)->n = 0; break;
        default: break; /* handed over as text */
        }
    }
}

static const char *nested_text(const pp_nested *nested, const char *key) {
    for (; nested && nested->key; nested++)
        if (!strcmp(nested->key, key)) return nested->text;
    return NULL;
}

/* Whether a field differs from its default. Required fields are always written. */
static bool says(const pp_key *k, const void *field) {
    switch (k->type) {
    case PP_T_NUMBER: {
        double x = *(const double *)field;
        return !isnan(x) && (k->required || !k->has_value || x != k->value);
    }
    case PP_T_WHOLE: {
        int64_t x = *(const int64_t *)field;
        return x != INT64_MIN && (k->required || !k->has_value || x != (int64_t)k->value);
    }
    case PP_T_BOOL: return *(const bool *)field != (k->value != 0);
    case PP_T_CHOICE: {
        int x = *(const int *)field;
        return x >= 0 && (k->required || !k->has_value || x != (int)k->value);
    }
    case PP_T_STAGE:
    case PP_T_TEXT:
    case PP_T_FILE: return *(const char *const *)field != NULL;
    case PP_T_NAME:
    case PP_T_LABEL:
    case PP_T_REF: return ((const pp_name *)field)->text[0] != 0;
    case PP_T_COLOUR: return *(const uint32_t *)field != 0;
    case PP_T_VECTOR:
    case PP_T_ANGULAR: return !isnan(((const perp_vec3 *)field)->x);
    case PP_T_TURN: {
        const perp_quat *q = field;
        return !(q->w == 1 && q->x == 0 && q->y == 0 && q->z == 0);
    }
    case PP_T_NUMBERS: return ((const pp_numbers *)field)->n > 0;
    default: return false;
    }
}

static void value(pp_text *t, const pp_key *k, int dim, const void *field) {
    switch (k->type) {
    case PP_T_NUMBER: pp_text_number(t, *(const double *)field); break;
    case PP_T_WHOLE: pp_text_add(t, "%lld", (long long)*(const int64_t *)field); break;
    case PP_T_BOOL: pp_text_add(t, *(const bool *)field ? "true" : "false"); break;
    case PP_T_CHOICE: pp_text_add(t, "%s", k->choice[*(const int *)field]); break;
    case PP_T_STAGE: pp_text_add(t, "%s", *(const char *const *)field); break;
    case PP_T_TEXT:
    case PP_T_FILE: pp_text_quoted(t, *(const char *const *)field); break;
    case PP_T_NAME:
    case PP_T_REF: pp_text_add(t, "%s", ((const pp_name *)field)->text); break;
    case PP_T_LABEL: pp_text_quoted(t, ((const pp_name *)field)->text); break;
    case PP_T_COLOUR: pp_text_add(t, "\"#%06x\"", (unsigned)(*(const uint32_t *)field & 0xffffffu)); break;
    case PP_T_VECTOR: pp_text_vector(t, dim, *(const perp_vec3 *)field); break;
    case PP_T_ANGULAR:
        if (dim == 3)
            pp_text_vector(t, dim, *(const perp_vec3 *)field);
        else
            pp_text_number(t, ((const perp_vec3 *)field)->z);
        break;
    case PP_T_TURN: { /* the quaternion itself: an angle would not reproduce every bit */
        const perp_quat *q = field;
        pp_text_add(t, "{quaternion: ");
        if (dim == 2)
            numbers(t, (const double[]){q->w, q->z}, 2);
        else
            numbers(t, (const double[]){q->w, q->x, q->y, q->z}, 4);
        pp_text_add(t, "}");
        break;
    }
    case PP_T_NUMBERS: {
        const pp_numbers *v = field;
        if (v->n == 1)
            pp_text_number(t, v->v[0]);
        else
            numbers(t, v->v, v->n);
        break;
    }
    default: assert(false);
    }
}

static void put(pp_text *t, const pp_map *m, int dim, int variant, const void *in, const pp_nested *nested,
                bool lines) {
    bool first = true;
    for (int i = 0; i < m->nkey; i++) {
        const pp_key *k = &m->key[i];
        if (!pp_key_fits(k, dim, variant)) continue;
        const void *field = (const char *)in + k->offset;
        const char *text = k->type == PP_T_TAG ? m->variant[variant].name : nested_text(nested, k->name);
        if (!text && !says(k, field)) continue;
        pp_text_add(t, lines || first ? "%s:" : ", %s:", k->name);
        first = false;
        if (!text || text[0] != '\n') pp_text_add(t, " ");
        if (text)
            pp_text_add(t, "%s", text);
        else
            value(t, k, dim, field);
        if (lines) pp_text_add(t, "\n");
    }
}

void pp_put_map(pp_text *t, const pp_map *m, int dim, int variant, const void *in, const pp_nested *nested) {
    pp_text_add(t, "{");
    put(t, m, dim, variant, in, nested, false);
    pp_text_add(t, "}");
}

void pp_put_lines(pp_text *t, const pp_map *m, int dim, const void *in, const pp_nested *nested) {
    put(t, m, dim, -1, in, nested, true);
}
