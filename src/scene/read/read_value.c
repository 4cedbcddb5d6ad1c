/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read_value.c - single values: each is checked against its line in the table and put into its field. */
#include <stdio.h>
#include <string.h>

#include "scene/scene_internal.h"

#define MOST_WHOLE 9007199254740992.0 /* 2^53: whole numbers beyond are not exact */

static bool in_range(const pp_key *k, double x) {
    if (isnan(x)) return false;
    if (isinf(x) && !k->infinite) return false;
    if (!k->ranged) return true;
    return (k->above ? x > k->min : x >= k->min) && x <= k->max;
}

/* "m - 2", which is -1 */
static void found_number(pp_item at, double x, char *out, size_t size) {
    char text[128];
    pp_yaml_found(at.tree, at.node, text, sizeof text);
    bool bare = text[0] != '"' && !isnan(x);
    if (bare || (isinf(x) && !strcmp(text, "\"inf\"")))
        (void)snprintf(out, size, "%s", text);
    else
        (void)snprintf(out, size, "%s, which is %.6g", text, x);
}

/* If a single word stands in place of a number, it is probably not a misspelled expression. The message then says
 * first that a number is expected. */
static perp_status unknown_word(pp_reader *r, pp_item at, const pp_key *k, perp_status s) {
    if (!r->why || !pp_name_good(pp_text_of(at)) || strncmp(r->why->found, "the unknown name", 16) != 0) return s;
    char found[sizeof r->why->found], allowed[sizeof r->why->allowed], words[256];
    memcpy(found, r->why->found, sizeof found);
    (void)snprintf(allowed, sizeof allowed, "%s, or an expression of %.200s",
                   pp_key_words(k, r->dim, words, sizeof words), r->why->allowed);
    return pp_wrong(r, at, found, allowed);
}

perp_status pp_read_number(pp_reader *r, pp_item at, const pp_key *k, double *out) {
    if (!pp_is_scalar(at) || pp_at(at)->length == 0) return pp_wrong_kind(r, at, k);
    double x = 0;
    perp_status s = pp_evaluate(r, at, &x);
    if (s) return s == PERP_E_ARG ? unknown_word(r, at, k, s) : s;
    bool whole = k->type != PP_T_WHOLE || (x == floor(x) && fabs(x) <= MOST_WHOLE);
    if (!in_range(k, x) || !whole) {
        char found[256], allowed[512];
        found_number(at, x, found, sizeof found);
        pp_key_words(k, r->dim, allowed, sizeof allowed);
        if (!isfinite(x) && !k->infinite && !strncmp(allowed, "a number", 8)) {
            memmove(allowed + 9, allowed + 2, sizeof allowed - 9);
            memcpy(allowed, "a finite ", 9);
            allowed[sizeof allowed - 1] = 0;
        }
        if (k->type == PP_T_WHOLE && fabs(x) > MOST_WHOLE && in_range(k, x)) /* the range has no end of its own */
            (void)snprintf(allowed, sizeof allowed, "a whole number from %.15g to 9007199254740992",
                           k->ranged && k->min > -MOST_WHOLE ? k->min : -MOST_WHOLE);
        return pp_wrong(r, at, found, allowed);
    }
    *out = x;
    return PERP_OK;
}

/* A part of a list: a number in the range of the key, spoken of as a number. */
static perp_status read_part(pp_reader *r, pp_item at, const pp_key *k, double *out) {
    pp_key one = *k;
    one.type = PP_T_NUMBER;
    return pp_read_number(r, at, &one, out);
}

perp_status pp_read_list(pp_reader *r, pp_item at, const pp_key *k, int n, double *out) {
    if (!pp_is_list(at) || pp_at(at)->length != (uint32_t)n) return pp_wrong_kind(r, at, k);
    pp_item v = pp_first(at);
    for (int i = 0; i < n; i++, v = pp_next(v)) {
        pp_push_index(r, i);
        perp_status s = read_part(r, v, k, &out[i]);
        if (s) return s;
        pp_pop(r);
    }
    return PERP_OK;
}

static perp_status read_vector(pp_reader *r, pp_item at, const pp_key *k, perp_vec3 *out) {
    double v[3] = {0, 0, 0};
    perp_status s = pp_read_list(r, at, k, r->dim, v);
    if (!s) *out = perp_v3(v[0], v[1], v[2]);
    return s;
}

static perp_status read_angular(pp_reader *r, pp_item at, const pp_key *k, perp_vec3 *out) {
    if (r->dim == 3) return read_vector(r, at, k, out);
    *out = perp_v3(0, 0, 0);
    return read_part(r, at, k, &out->z);
}

static perp_status read_numbers(pp_reader *r, pp_item at, const pp_key *k, pp_numbers *out) {
    unsigned count = r->dim == 2 ? k->count2 : k->count3;
    if (pp_is_scalar(at)) {
        if (!(count >> 1 & 1u)) return pp_wrong_kind(r, at, k);
        out->n = 1;
        return read_part(r, at, k, &out->v[0]);
    }
    uint32_t n = pp_at(at)->length;
    if (!pp_is_list(at) || n < 2 || n > 8 || !(count >> n & 1u)) return pp_wrong_kind(r, at, k);
    out->n = (int)n;
    return pp_read_list(r, at, k, (int)n, out->v);
}

static perp_status read_quaternion(pp_reader *r, pp_item at, const pp_key *k, perp_quat *out) {
    double q[4] = {0};
    perp_status s = pp_read_list(r, at, k, 4, q);
    if (s) return s;
    double most = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
    if (!(most > 0)) return pp_wrong(r, at, "a quaternion of zeros", "one that is not zero");
    if (most < 1e-100 || most > 1e100) /* its square would leave the range of numbers */
        for (int i = 0; i < 4; i++) q[i] /= most;
    *out = perp_q_unit((perp_quat){q[0], q[1], q[2], q[3]});
    return PERP_OK;
}

/* The four numbers as they are: the world refuses what is not unit to 1e-6, and keeps what is to rounding. */
static perp_quat quaternion_of(const pp_numbers *v) {
    if (v->n == 2) return (perp_quat){v->v[0], 0, 0, v->v[1]};
    return (perp_quat){v->v[0], v->v[1], v->v[2], v->v[3]};
}

perp_status pp_read_turn(pp_reader *r, pp_item at, const pp_key *k, perp_quat *out) {
    bool exact = pp_is_map(at) && pp_yaml_get(at.tree, at.node, "quaternion");
    if (r->dim == 2 && !exact) {
        double a = 0;
        perp_status s = read_part(r, at, k, &a);
        if (!s) *out = perp_pose_2d(0, 0, a).q;
        return s;
    }
    if (pp_is_list(at)) return read_quaternion(r, at, k, out);
    if (!pp_is_map(at)) return pp_wrong_kind(r, at, k);
    pp_turn_in in = {0};
    perp_status s = pp_read_map(r, &pp_map_turn, &at, 1, &in);
    if (s) return s;
    if (exact) {
        if (pp_at(at)->length != 1) return pp_wrong_kind(r, at, k);
        *out = quaternion_of(&in.quaternion);
        return PERP_OK;
    }
    bool axis = PP_GIVEN(&in, axis), angle = PP_GIVEN(&in, angle), euler = PP_GIVEN(&in, euler);
    if (axis != angle || euler == axis) return pp_wrong_kind(r, at, k);
    if (euler) {
        perp_quat x = perp_q_axis_angle(perp_v3(1, 0, 0), in.euler.x),
                  y = perp_q_axis_angle(perp_v3(0, 1, 0), in.euler.y),
                  z = perp_q_axis_angle(perp_v3(0, 0, 1), in.euler.z);
        *out = perp_q_mul(z, perp_q_mul(y, x));
        return PERP_OK;
    }
    double most = fmax(fabs(in.axis.x), fmax(fabs(in.axis.y), fabs(in.axis.z)));
    if (!(most > 0)) {
        pp_push_key(r, "axis");
        return pp_wrong(r, PP_ITEM(&in, axis), "an axis of zeros", "a direction");
    }
    if (most < 1e-100 || most > 1e100) in.axis = perp_v3(in.axis.x / most, in.axis.y / most, in.axis.z / most);
    *out = perp_q_axis_angle(in.axis, in.angle);
    return PERP_OK;
}

static perp_status read_bool(pp_reader *r, pp_item at, const pp_key *k, bool *out) {
    if (!pp_is_scalar(at) || !pp_at(at)->plain) return pp_wrong_kind(r, at, k);
    const char *text = pp_text_of(at);
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0) return pp_wrong_kind(r, at, k);
    *out = text[0] == 't';
    return PERP_OK;
}

static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool pp_name_good(const char *name) {
    if (!letter(name[0])) return false;
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++)
        if (!letter(name[i]) && !(name[i] >= '0' && name[i] <= '9') && name[i] != '-' && name[i] != '_') return false;
    return n < PP_NAME_MAX;
}

/* The text with every ${expression} replaced by its value. */
static perp_status expand(pp_reader *r, pp_item at, const pp_key *k, pp_name *out) {
    const char *text = pp_text_of(at);
    size_t length = pp_at(at)->length, n = 0;
    if (strlen(text) != length) return pp_wrong_kind(r, at, k); /* a zero byte inside */
    for (size_t i = 0; i < length;) {
        if (text[i] != '$' || text[i + 1] != '{') {
            if (n + 1 >= PP_NAME_MAX) return pp_wrong_kind(r, at, k);
            out->text[n++] = text[i++];
            continue;
        }
        const char *end = memchr(text + i + 2, '}', length - i - 2);
        if (!end) return pp_wrong(r, at, "${ without }", "${expression}");
        double x;
        perp_status s = pp_evaluate_text(r, at, text + i + 2, (size_t)(end - text) - i - 2, &x);
        if (s) return s;
        char number[40];
        if (x == floor(x) && fabs(x) < 1e15)
            (void)snprintf(number, sizeof number, "%.0f", x + 0.0);
        else
            (void)snprintf(number, sizeof number, "%.17g", x);
        size_t add = strlen(number);
        if (n + add >= PP_NAME_MAX) return pp_wrong_kind(r, at, k);
        memcpy(out->text + n, number, add);
        n += add;
        i = (size_t)(end - text) + 1;
    }
    out->text[n] = 0;
    return PERP_OK;
}

perp_status pp_read_name(pp_reader *r, pp_item at, const pp_key *k, pp_name *out) {
    if (!pp_is_scalar(at) || pp_at(at)->length == 0) return pp_wrong_kind(r, at, k);
    perp_status s = expand(r, at, k, out);
    if (s) return s;
    if (k->type == PP_T_REF || pp_name_good(out->text)) return PERP_OK;
    char shown[2 * PP_NAME_MAX - 2], found[2 * PP_NAME_MAX], allowed[256];
    (void)snprintf(found, sizeof found, "\"%s\"", pp_printable(shown, sizeof shown, out->text, strlen(out->text)));
    return pp_wrong(r, at, found, pp_key_words(k, r->dim, allowed, sizeof allowed));
}

/* A text for people, on one line. */
static perp_status read_label(pp_reader *r, pp_item at, const pp_key *k, pp_name *out) {
    if (!pp_is_scalar(at) || pp_at(at)->length == 0) return pp_wrong_kind(r, at, k);
    perp_status s = expand(r, at, k, out);
    for (const char *c = out->text; !s && *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) return pp_wrong_kind(r, at, k);
    return s;
}

static perp_status read_colour(pp_reader *r, pp_item at, const pp_key *k, uint32_t *out) {
    if (!pp_is_scalar(at)) return pp_wrong_kind(r, at, k);
    *out = strlen(pp_text_of(at)) == pp_at(at)->length ? pp_colour_of(pp_text_of(at)) : 0;
    if (*out) return PERP_OK;
    const char *words[32] = {NULL};
    for (int i = 0; i < 31 && pp_colour_name(i); i++) words[i] = pp_colour_name(i);
    const char *near = pp_at(at)->length ? pp_suggest(pp_text_of(at), words) : NULL;
    char found[256], allowed[512], meant[576];
    pp_key_words(k, r->dim, allowed, sizeof allowed);
    (void)snprintf(meant, sizeof meant, near ? "%s; did you mean %s?" : "%s", allowed, near);
    return pp_wrong(r, at, pp_yaml_found(at.tree, at.node, found, sizeof found), meant);
}

static perp_status read_choice(pp_reader *r, pp_item at, const pp_key *k, int *out) {
    if (!pp_is_scalar(at) || pp_at(at)->length == 0) return pp_wrong_kind(r, at, k);
    for (int i = 0; k->choice[i]; i++)
        if (!strcmp(k->choice[i], pp_text_of(at))) {
            *out = i;
            return PERP_OK;
        }
    return pp_wrong_word(r, PERP_E_ARG, at, NULL, pp_text_of(at), k->choice);
}

static perp_status read_stage(pp_reader *r, pp_item at, const pp_key *k, const char **out) {
    if (!pp_is_scalar(at) || pp_at(at)->length == 0) return pp_wrong_kind(r, at, k);
    const char *words[64] = {NULL};
    for (int i = 0; i < 63 && k->list(i); i++) {
        words[i] = k->list(i);
        if (!strcmp(words[i], pp_text_of(at))) {
            *out = words[i];
            return PERP_OK;
        }
    }
    return pp_wrong_word(r, PERP_E_NAME, at, NULL, pp_text_of(at), words);
}

static perp_status read_text(pp_reader *r, pp_item at, const pp_key *k, const char **out) {
    if (!pp_is_scalar(at) || strlen(pp_text_of(at)) != pp_at(at)->length) return pp_wrong_kind(r, at, k);
    if (k->type == PP_T_FILE && pp_at(at)->length == 0) return pp_wrong_kind(r, at, k);
    *out = pp_text_of(at);
    return PERP_OK;
}

perp_status pp_read_value(pp_reader *r, pp_item at, const pp_key *k, void *out) {
    double x = 0;
    perp_status s;
    switch (k->type) {
    case PP_T_NUMBER: return pp_read_number(r, at, k, out);
    case PP_T_WHOLE:
        s = pp_read_number(r, at, k, &x);
        if (!s) *(int64_t *)out = (int64_t)x;
        return s;
    case PP_T_BOOL: return read_bool(r, at, k, out);
    case PP_T_CHOICE: return read_choice(r, at, k, out);
    case PP_T_STAGE: return read_stage(r, at, k, out);
    case PP_T_TEXT:
    case PP_T_FILE: return read_text(r, at, k, out);
    case PP_T_LABEL: return read_label(r, at, k, out);
    case PP_T_COLOUR: return read_colour(r, at, k, out);
    case PP_T_NAME:
    case PP_T_REF: return pp_read_name(r, at, k, out);
    case PP_T_VECTOR: return read_vector(r, at, k, out);
    case PP_T_ANGULAR: return read_angular(r, at, k, out);
    case PP_T_TURN: return pp_read_turn(r, at, k, out);
    case PP_T_NUMBERS: return read_numbers(r, at, k, out);
    case PP_T_TAG: return PERP_OK;
    case PP_T_MAP:
    case PP_T_TABLE:
    case PP_T_PARAMETERS:
    case PP_T_WATCH:
    case PP_T_SETTINGS:
        if (!pp_is_map(at)) return pp_wrong_kind(r, at, k);
        break;
    case PP_T_LIST:
    case PP_T_NAMES:
    case PP_T_STAGES:
    case PP_T_ROWS:
    case PP_T_WHOLES:
    case PP_T_SERIES:
    case PP_T_CURVE:
        if (!pp_is_list(at)) return pp_wrong_kind(r, at, k);
        break;
    default: break; /* read by their owners */
    }
    *(pp_item *)out = at;
    return PERP_OK;
}

perp_status pp_read_each(pp_reader *r, pp_item list, perp_status (*make)(pp_reader *r, pp_item entry)) {
    int i = 0;
    for (pp_item entry = pp_first(list); entry.node; entry = pp_next(entry), i++) {
        pp_push_index(r, i);
        perp_status s = make(r, entry);
        if (s) return s;
        pp_pop(r);
    }
    return PERP_OK;
}
