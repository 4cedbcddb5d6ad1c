/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_layers.c - light in each pixel: moments over each other, and the picture that cairo takes
 * Method   moving bodies are drawn over the earlier moments, by their coverage and opacity. Shadows of a moment darken the empty scene to the
 *          part of its light that the moment leaves, weighted by the opacity.
 * Cost     proportional to the pixels. */
#include "render/render.h"

#include <string.h>

#include "input/input.h"

perp_status render_layers_make(pp_arena *arena, int width, int height, render_layers *out, perp_refusal *why) {
    long n = (long)width * height;
    *out = (render_layers){.width = width, .height = height};
    out->moving = PP_ARENA_ARRAY(arena, float, 4 * n);
    out->rest = PP_ARENA_ARRAY(arena, float, 4 * n);
    out->close = PP_ARENA_ARRAY(arena, float, n);
    if (out->moving && out->rest && out->close) return PERP_OK;
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "",
                           "not enough memory for a picture of %d x %d pixels", width, height);
}

/* ---- moments over each other ---- */

void render_overlay_begin(const render_layers *empty, render_layers *sum) {
    size_t n = (size_t)sum->width * (size_t)sum->height;
    memcpy(sum->rest, empty->rest, 4 * n * sizeof *sum->rest);
    memset(sum->moving, 0, 4 * n * sizeof *sum->moving);
}

void render_overlay_add(const render_layers *empty, const render_layers *moment, double opacity, render_layers *sum) {
    long pixels = (long)sum->width * sum->height;
    float part = (float)opacity;
    for (long i = 0; i < 4 * pixels; i += 4) {
        const float *moving = moment->moving + i, *own = moment->rest + i, *none = empty->rest + i;
        float *rest = sum->rest + i, *over = sum->moving + i, open = 1 - moving[3], cover = part * moving[3];
        /* shadows: part of the empty scene's light that is left, where no moving body covers it */
        for (int j = 0; j < 3 && open > 0.02f; j++) {
            float left = none[j] > 0 ? own[j] / (open * none[j]) : 1;
            if (left < 1) rest[j] *= 1 - part * (1 - left);
        }
        if (open > 0.02f && own[3] / open > rest[3]) rest[3] += part * (own[3] / open - rest[3]);
        for (int j = 0; j < 4; j++) over[j] = over[j] * (1 - cover) + part * moving[j];
    }
    memcpy(sum->close, moment->close, (size_t)pixels * sizeof *sum->close);
}

void render_overlay_end(render_layers *sum) {
    long pixels = (long)sum->width * sum->height;
    for (long i = 0; i < 4 * pixels; i++) sum->rest[i] *= 1 - sum->moving[i / 4 * 4 + 3];
}

/* ---- the picture ---- */

enum { STEPS = 4096 };

void render_develop(const render_layers *l, unsigned char *argb, int stride) {
    unsigned char code[STEPS + 1]; /* of linear light */
    for (int i = 0; i <= STEPS; i++) {
        double x = (double)i / STEPS, s = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
        code[i] = (unsigned char)(255 * s + 0.5);
    }
    for (int y = 0; y < l->height; y++)
        for (int x = 0; x < l->width; x++) {
            long i = 4 * ((long)y * l->width + x);
            float cover = l->moving[i + 3] + l->rest[i + 3];
            if (cover > 1) cover = 1;
            uint32_t a = (uint32_t)(255 * cover + 0.5f), pixel = a << 24;
            for (int j = 0; j < 3; j++) {
                float v = cover > 0 ? (l->moving[i + j] + l->rest[i + j]) / cover : 0;
                uint32_t s = code[v >= 1 ? STEPS : v > 0 ? (int)(v * STEPS + 0.5f) : 0];
                pixel |= (s * a + 127) / 255 << (16 - 8 * j);
            }
            memcpy(argb + (long)y * stride + 4 * x, &pixel, 4); /* cairo stores whole words, in the machine's order */
        }
}
