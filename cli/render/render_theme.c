/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_theme.c - colours of pictures
 *
 * Colours of bodies are those of Okabe and Ito (2008), which eyes of all kinds tell apart, in an order that keeps
 * neighbours apart in lightness too, and a little paler than in plots: they cover areas. */
#include "render/render.h"

#include <string.h>

#include "contact_state_colours.h"

render_rgb render_mix(render_rgb a, render_rgb b, double part) {
    return (render_rgb){a.r + part * (b.r - a.r), a.g + part * (b.g - a.g), a.b + part * (b.b - a.b)};
}

#define RGB(hex) \
    { ((hex) >> 16) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex)&255) / 255.0 }

static const render_theme theme[] = {
    {"light", RGB(0xfafbfc), RGB(0xeef1f5), RGB(0xe9edf1), RGB(0xb4bdc8), RGB(0xd5dae0), RGB(0x66707c), RGB(0xbfc5cc),
     RGB(0x8495a8), RGB(0x20262e), RGB(0xffffff), 0.62},
    {"dark", RGB(0x12151a), RGB(0x1b2027), RGB(0x23292f), RGB(0x4b5662), RGB(0x2f363f), RGB(0x8b96a3), RGB(0x646d78),
     RGB(0x6d86a3), RGB(0xe8ecf1), RGB(0x0c0e12), 0.70},
    {"paper", RGB(0xffffff), RGB(0xffffff), RGB(0xffffff), RGB(0xc9c9c9), RGB(0xe4e4e4), RGB(0x404040), RGB(0xd2d2d2),
     RGB(0x9aa7b5), RGB(0x000000), RGB(0xffffff), 0.85},
};
const char *const render_theme_names[] = {"light", "dark", "paper", NULL};
const char *const render_colour_ways[] = {"auto", "body", "family", NULL};

const render_theme *render_theme_find(const char *name) {
    for (int i = 0; i < 3; i++)
        if (!strcmp(theme[i].name, name)) return &theme[i];
    return &theme[0];
}

render_rgb render_state_colour(perp_contact_state s) {
    static const unsigned colour[3] = CONTACT_STATE_COLOURS;
    unsigned c = colour[s == PERP_CONTACT_STICKING ? 1 : s == PERP_CONTACT_SLIDING ? 2 : 0];
    return (render_rgb)RGB(c);
}

/* ---- bodies ---- */

static const render_rgb palette[] = {RGB(0x3f88c5), RGB(0xe9a72b), RGB(0x2f9e7c), RGB(0xd1623a),
                                     RGB(0x7cc0ea), RGB(0xc97ba6), RGB(0xd8cf5a), RGB(0x7a6bb0)};
enum { NCOLOUR = sizeof palette / sizeof *palette };

/* Length of a name without the numbers at its end: brick-2-0 and brick-3-1 are of one family. */
static size_t stem(const char *name) {
    size_t n = strlen(name);
    while (n > 0 && ((name[n - 1] >= '0' && name[n - 1] <= '9') || name[n - 1] == '-' || name[n - 1] == '_')) n--;
    return n;
}

static bool same_family(const render_body *a, const render_body *b) {
    size_t n = stem(a->name);
    return n == stem(b->name) && !memcmp(a->name, b->name, n);
}

/* The first dynamic body of the same family: itself if it begins one. */
static void find_heads(render_scene *s) {
    for (int i = 0; i < s->nbody; i++) {
        s->body[i].head = i;
        for (int k = 0; k < i && s->body[i].kind == PERP_BODY_DYNAMIC; k++)
            if (s->body[k].kind == PERP_BODY_DYNAMIC && s->body[k].head == k && same_family(&s->body[k], &s->body[i])) {
                s->body[i].head = k;
                break;
            }
    }
}

/* Members of a family are a little lighter or darker than their neighbours. */
static render_rgb shade(render_rgb c, int place) {
    static const double step[] = {0, 0.16, -0.10, 0.08, -0.05};
    double d = step[place % 5];
    return render_mix(c, d > 0 ? (render_rgb){1, 1, 1} : (render_rgb){0, 0, 0}, d > 0 ? d : -d);
}

void render_colour_bodies(render_scene *s, const render_theme *t, const char *way) {
    int families = 0, dynamic = 0, used = 0;
    find_heads(s);
    for (int i = 0; i < s->nbody; i++) {
        if (s->body[i].kind != PERP_BODY_DYNAMIC) continue;
        dynamic++;
        families += s->body[i].head == i;
    }
    bool by_family = !strcmp(way, "family") || (!strcmp(way, "auto") && families > 1 && families < dynamic);
    for (int i = 0; i < s->nbody; i++) {
        render_body *b = &s->body[i];
        if (b->kind != PERP_BODY_DYNAMIC) {
            b->colour = b->kind == PERP_BODY_KINEMATIC ? t->kinematic : t->obstacle;
            continue;
        }
        int head = by_family ? b->head : i, place = 0;
        if (head == i) {
            b->colour = shade(palette[used % NCOLOUR], used / NCOLOUR);
            used++;
            continue;
        }
        for (int k = head; k < i; k++) place += s->body[k].kind == PERP_BODY_DYNAMIC && s->body[k].head == head;
        b->colour = shade(s->body[head].colour, place);
    }
}

render_rgb render_shape_colour(const render_scene *s, int i) {
    uint32_t c = s->shape[i].colour;
    if (c == 0) return s->body[s->shape[i].body].colour;
    return (render_rgb){(c >> 16 & 255) / 255.0, (c >> 8 & 255) / 255.0, (c & 255) / 255.0};
}
