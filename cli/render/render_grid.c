/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_grid.c - panels of a picture: how many rows draw the scene largest, and where each panel is */
#include "render/render.h"

/* Rows of unequal numbers of panels are chosen only if they draw everything larger than equal rows by more than 1/UNEVEN. */
#define UNEVEN 0.9

render_grid render_grid_for(int width, int height, render_way way, int n, int rows) {
    if (way != RENDER_PANELS || n < 2) return (render_grid){{width, height}, 1, 1, width, height, 0};
    int gap = (width < height ? width : height) / 90 + 1;
    rows = rows < 1 ? 1 : rows > n ? n : rows;
    int columns = (n + rows - 1) / rows;
    return (render_grid){{width, height}, n, rows, (width + gap) / columns - gap, (height + gap) / rows - gap, gap};
}

render_panel render_grid_panel(const render_grid *g, int i) {
    int least = g->n / g->rows, more = g->n % g->rows; /* the first `more` rows have one panel more */
    int in_longer = more * (least + 1), columns = i < in_longer ? least + 1 : least;
    int row = i < in_longer ? i / columns : more + (i - in_longer) / columns;
    int column = i < in_longer ? i % columns : (i - in_longer) % columns;
    /* the last panels end where the picture does */
    long across = g->whole[0] + g->gap, down = g->whole[1] + g->gap;
    int x[2] = {(int)(across * column / columns), (int)(across * (column + 1) / columns)};
    int y[2] = {(int)(down * row / g->rows), (int)(down * (row + 1) / g->rows)};
    return (render_panel){x[0], y[0], x[1] - x[0] - g->gap, y[1] - y[0] - g->gap};
}

int render_choose_rows(int dim, const render_view *v, const render_ball *ball, long nball, int width, int height,
                       int n) {
    int best = 1;
    double largest = 0;
    for (int rows = 1; rows <= n; rows++) {
        render_grid g = render_grid_for(width, height, RENDER_PANELS, n, rows);
        if (g.width < 1 || g.height < 1) continue;
        render_aim aim;
        render_camera c = render_camera_fit(dim, v, ball, nball, g.width, g.height, &aim);
        double scale = c.parallel ? c.focal : c.focal / aim.distance; /* pixels of a unit of length at the target */
        if (n % rows) scale *= UNEVEN;
        if (scale > largest) largest = scale, best = rows;
    }
    return best;
}
