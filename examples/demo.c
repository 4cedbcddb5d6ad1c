/* demo.c - a heavy ball flies into a pyramid of bricks: contact-rich, with friction, every step certified.
 *
 *     demo [FOLDER]        writes FOLDER/demo.csv (all poses, every 10 ms) and FOLDER/demo.svg (a picture); default:
 * out
 *
 * Expect: every step accepted, no law violated by more than 1e-8 of the speeds, the energy account closed to rounding.
 * What overlap there is comes from turning bodies (half the square of the turn in a step, times their size): below 1
 * mm, and less for smaller steps. */
#define _POSIX_C_SOURCE 200809L /* mkdir */
#include "perp/perp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "svg.h"

#define ROWS   4
#define BODIES (ROWS * (ROWS + 1) / 2 + 2 * ROWS)
#define FRAMES 5 /* of the picture */
#define H      0.005
#define STEPS  300

typedef struct scene {
    perp_world *w;
    perp_body_id body[BODIES];
    svg_solid solid[BODIES]; /* shapes and colours; poses are filled in for each frame */
    int n;                   /* of BODIES in the end */
} scene;

static void must(const perp_world *w, perp_status s) {
    if (!s) return;
    fprintf(stderr, "%s: %s\n", perp_status_name(s), w ? perp_world_why(w) : perp_status_text(s));
    exit(1);
}

static void add(scene *s, svg_solid solid, double density, perp_vec3 v) {
    perp_shape_def sd =
        solid.radius > 0 ? perp_shape_sphere(solid.radius) : perp_shape_box(solid.half.x, solid.half.y, solid.half.z);
    perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
    must(s->w, perp_body_def_mass(&bd, &sd, 3, density));
    bd.X_WB = solid.X;
    bd.v_W = v;
    must(s->w, perp_body_add(s->w, &bd, &s->body[s->n]));
    must(s->w, perp_shape_add(s->w, s->body[s->n], &sd, NULL));
    s->solid[s->n++] = solid;
}

static scene build(void) {
    static const int colour[ROWS] = {0x4f8fcf, 0x59b08a, 0xe8b04a, 0xdd6b55};
    scene s = {0};
    perp_world_def wd = perp_world_def_default(3);
    wd.h = H;
    wd.friction_directions = 4;
    must(NULL, perp_world_create(&wd, &s.w));
    must(s.w, perp_world_set(s.w, "lemke.max_pivots", 1500)); /* 300 are usual; give up early, try again */
    must(s.w, perp_pair_set_all(s.w, (perp_pair_law){.mu = 0.5}));
    perp_body_def fd = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_shape_def ground = perp_shape_halfspace(perp_v3(0, 0, 1), 0);
    must(s.w, perp_body_add(s.w, &fd, &s.body[0])); /* its id is not needed later */
    must(s.w, perp_shape_add(s.w, s.body[0], &ground, NULL));
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < ROWS - row; i++) {
            double x = 0.42 * (i - 0.5 * (ROWS - 1 - row));
            add(&s, (svg_solid){.X = perp_pose_at(x, 0, 0.1 + 0.2 * row), .half = {0.2, 0.1, 0.1}, .rgb = colour[row]},
                600, perp_v3(0, 0, 0));
        }
    for (int row = 0; row < ROWS; row++) /* small balls on the ledges, and one on top */
        for (int side = -1; side < 2; side += 2) {
            if (row == ROWS - 1 && side > 0) continue;
            double x = row == ROWS - 1 ? 0 : side * (0.21 * (ROWS - row) - 0.1);
            add(&s, (svg_solid){.X = perp_pose_at(x, 0, 0.2 * (row + 1) + 0.07), .radius = 0.07, .rgb = 0x9a7fd1}, 600,
                perp_v3(0, 0, 0));
        }
    add(&s, (svg_solid){.X = perp_pose_at(-0.25, -1.6, 0.42), .radius = 0.17, .rgb = 0x555b66}, 4000,
        perp_v3(0.5, 5.5, 1));
    return s;
}

static FILE *create(const char *folder, const char *name) {
    char path[4096];
    if (mkdir(folder, 0777) && errno != EEXIST) perror(folder), exit(1);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f) perror(path), exit(1);
    return f;
}

/* Keeps the worst and the sums of all certificates in the first. */
static void book(perp_certificate *all, const perp_certificate *c) {
    double law = fmax(fmax(c->law.momentum, c->law.normal), fmax(c->law.cone, c->law.dissipation));
    const perp_ledger *l = &c->ledger;
    all->residual = fmax(all->residual, law / fmax(c->law.scale, 9.81 * H)); /* of the speeds at hand */
    all->overlap = fmax(all->overlap, c->overlap);
    if (all->t == 0) all->ledger.kinetic_before = l->kinetic_before;
    all->ledger.kinetic_after = l->kinetic_after;
    all->ledger.gravity += l->gravity, all->ledger.turning += l->turning, all->ledger.remainder += l->remainder;
    all->ledger.normal += l->normal, all->ledger.friction += l->friction;
    all->t = c->t;
}

static void report(const perp_certificate *all, double seconds, const char *folder) {
    const perp_ledger *l = &all->ledger;
    printf("\n%d steps of %g ms in %.1f s, every one accepted:\n", STEPS, 1e3 * H, seconds);
    printf("  the laws of contact and friction hold to %.0e of the speeds at hand\n", all->residual);
    printf("  deepest overlap of any two bodies at the end of a step: %.2f mm\n", 1e3 * all->overlap);
    printf("  energy: the ball brought %.1f J and gravity gave %.1f J; impacts took %.1f J and friction %.1f J;\n",
           l->kinetic_before, l->gravity, -l->normal, -l->friction);
    printf("          turning within steps left %+.1f J; still in motion %.1f J; unaccounted for %.0e J\n", l->turning,
           l->kinetic_after, fabs(l->remainder));
    printf("\nposes    %s/demo.csv\npicture  %s/demo.svg, to be opened in any browser\n", folder, folder);
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "out";
    static const int shot[FRAMES] = {0, 60, 80, 110, STEPS};
    static svg_solid frame[FRAMES][BODIES];
    double t[FRAMES] = {0};
    perp_certificate all = {0};
    scene s = build();
    FILE *csv = create(folder, "demo.csv"), *svg = create(folder, "demo.svg");
    fprintf(csv, "t,body,x,y,z,qw,qx,qy,qz\n");
    clock_t start = clock();
    for (int k = 0, taken = 0; k <= STEPS; k++) {
        for (int i = 0; i < s.n; i++) must(s.w, perp_body_pose(s.w, s.body[i], &s.solid[i].X));
        if (k == shot[taken]) memcpy(frame[taken], s.solid, sizeof s.solid), t[taken++] = perp_world_time(s.w);
        for (int i = 0; k % 2 == 0 && i < s.n; i++) {
            perp_pose X = s.solid[i].X;
            fprintf(csv, "%.3f,%d,%.9f,%.9f,%.9f,%.9f,%.9f,%.9f,%.9f\n", k * H, i, X.p.x, X.p.y, X.p.z, X.q.w, X.q.x,
                    X.q.y, X.q.z);
        }
        if (k == STEPS) break;
        perp_certificate c;
        must(s.w, perp_world_step(s.w, &c));
        book(&all, &c);
        if ((k + 1) % 50 == 0)
            printf("t = %.2f s: %3d contacts, %d pressed\n", c.t, c.contacts, c.sticking + c.sliding);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    svg_sheet(svg, &frame[0][0], BODIES, t, FRAMES);
    perp_world_destroy(s.w);
    bool bad = ferror(csv) || ferror(svg);
    if (fclose(csv) || fclose(svg) || bad) perror(folder), exit(1);
    report(&all, seconds, folder);
    bool good = all.residual < 1e-8 && all.overlap < 1e-3 && fabs(all.ledger.remainder) < 1e-9;
    return good ? 0 : (printf("not as expected\n"), 1);
}
