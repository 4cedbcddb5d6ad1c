/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* synonym.c - words of MuJoCo, URDF, SDF, Box2D and everyday language for keys and values of scenes.
 *
 * They are not accepted instead of the scene's own words, so that a scene has one spelling; the error message names the right word. A
 * synonym may have several meanings: the first one that is allowed at that place is used. Case, - and _ are ignored. */
#include <string.h>

#include "scene/scene_internal.h"

static const struct {
    const char *written, *meant; /* meant: separated by blanks, the most likely first */
} synonyms[] = {
    /* places and velocities */
    {"pos", "at"},
    {"position", "at"},
    {"xyz", "at"},
    {"origin", "at"},
    {"location", "at"},
    {"center", "at"},
    {"centre", "at"},
    {"anchor", "at"},
    {"localanchora", "at_a"},
    {"localanchorb", "at_b"},
    {"rot", "turn"},
    {"rotation", "turn"},
    {"orientation", "turn"},
    {"quat", "turn"},
    {"quaternion", "turn"},
    {"rpy", "turn"},
    {"euler", "turn"},
    {"angle", "turn"},
    {"axisangle", "turn"},
    {"vel", "velocity"},
    {"linearvelocity", "velocity"},
    {"v", "velocity"},
    {"angularvelocity", "spin"},
    {"angvel", "spin"},
    {"omega", "spin"},
    {"w", "spin"},
    /* kinds of body */
    {"type", "kind"},
    {"static", "obstacle kind"},
    {"fixed", "obstacle kind"},
    {"immovable", "obstacle kind"},
    {"isstatic", "kind"},
    {"ground", "obstacle halfspace"},
    {"mocap", "kinematic"},
    {"driven", "kinematic"},
    {"moving", "dynamic"},
    {"movable", "dynamic"},
    {"free", "dynamic"},
    {"weight", "mass"},
    {"inertial", "mass"},
    {"gravityscale", "gravity"},
    {"gravcomp", "gravity"},
    /* shapes */
    {"geom", "shape"},
    {"geoms", "shapes"},
    {"geometry", "shape"},
    {"collision", "shape"},
    {"fixture", "shape"},
    {"fixtures", "shapes"},
    {"circle", "sphere"},
    {"disc", "sphere"},
    {"disk", "sphere"},
    {"ball", "spherical sphere"},
    {"cube", "box"},
    {"cuboid", "box"},
    {"rectangle", "box"},
    {"square", "box"},
    {"plane", "halfspace"},
    {"edge", "halfspace polygon"},
    {"floor", "halfspace"},
    {"hfield", "mesh"},
    {"convex", "polyhedron polygon"},
    {"hull", "polyhedron polygon"},
    {"stadium", "capsule"},
    {"vertices", "points"},
    {"halfsize", "half_edges size"},
    {"halfextents", "half_edges size"},
    {"extents", "size"},
    {"dimensions", "size"},
    {"fromto", "length"},
    {"filename", "file"},
    {"diameter", "radius"},
    {"semiaxes", "axes"},
    {"color", "colour"},
    {"rgba", "colour"},
    {"rgb", "colour"},
    {"paint", "colour"},
    {"text", "label"},
    {"ghost", "visual"},
    {"sensor", "visual"},
    {"issensor", "visual"},
    {"belt", "surface_velocity"},
    {"conveyor", "surface_velocity"},
    {"surfacespeed", "surface_velocity"},
    {"tangentspeed", "surface_velocity"},
    {"surfacemotion", "surface_velocity"},
    {"contype", "group"},
    {"category", "group"},
    {"categorybits", "group"},
    {"collisiongroup", "group"},
    {"conaffinity", "mask"},
    {"maskbits", "mask"},
    {"collisionmask", "mask"},
    /* contact laws */
    {"friction", "mu law material"},
    {"mu", "law material"},
    {"restitution", "law material"},
    {"mu1", "mu"},
    {"frictioncoefficient", "mu"},
    {"slidingfriction", "mu"},
    {"torsionalfriction", "e_r"},
    {"rollingfriction", "e_roll"},
    {"rollingresistance", "e_roll"},
    {"bounce", "restitution"},
    {"bounciness", "restitution"},
    {"elasticity", "restitution"},
    {"e", "restitution"},
    {"k", "stiffness"},
    {"kn", "stiffness"},
    {"solref", "compliance"},
    {"contact", "law"},
    {"pairs", "laws"},
    /* joints */
    {"hinge", "revolute"},
    {"pin", "revolute"},
    {"continuous", "revolute"},
    {"slide", "prismatic"},
    {"slider", "prismatic"},
    {"linear", "prismatic"},
    {"weld", "fixed"},
    {"rigid", "fixed"},
    {"ballsocket", "spherical"},
    {"cardan", "universal"},
    {"floating", "planar"},
    {"parent", "a"},
    {"bodya", "a"},
    {"body1", "a"},
    {"child", "b"},
    {"bodyb", "b"},
    {"body2", "b"},
    {"range", "limits"},
    {"limit", "limits"},
    {"lower", "limits"},
    {"upper", "limits"},
    {"actuator", "motor pd"},
    {"position_servo", "pd"},
    {"servo", "pd"},
    {"springref", "rest"},
    {"restlength", "rest_length"},
    {"damper", "damping spring"},
    {"string", "spring"},
    {"rope", "spring"},
    {"tendon", "spring"},
    {"maxforce", "max_force force"},
    {"collideconnected", "collide"},
    /* the run */
    {"dt", "h"},
    {"timestep", "h"},
    {"step", "h"},
    {"g", "gravity"},
    {"time", "duration"},
    {"tend", "duration"},
    {"end", "duration"},
    {"steps", "duration"},
    {"dimension", "dim"},
    {"variables", "parameters"},
    {"constants", "parameters"},
    {"links", "bodies"},
    {"objects", "bodies"},
    {"worldbody", "bodies"},
    {"constraints", "joints"},
    {"actuators", "forces"},
    {"springs", "forces"},
    {"defaults", "templates"},
    {"default", "templates"},
    {"prefabs", "templates"},
    {"output", "record"},
    {"integrator", "stepper stages"},
    {"options", "stages"},
    {"option", "stages"},
    {"print", "watch"},
};

static char fold(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Whether two words are equal except for case, - and _. */
static bool alike(const char *a, const char *b) {
    for (;;) {
        while (*a == '_' || *a == '-') a++;
        while (*b == '_' || *b == '-') b++;
        if (fold(*a) != fold(*b)) return false;
        if (!*a) return true;
        a++, b++;
    }
}

const char *pp_synonym(const char *written, const char *const *words) {
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        if (!alike(written, synonyms[i].written)) continue;
        for (const char *m = synonyms[i].meant; *m;) {
            size_t n = strcspn(m, " ");
            for (int k = 0; words[k]; k++)
                if (strlen(words[k]) == n && !strncmp(words[k], m, n)) return words[k];
            m += n;
            while (*m == ' ') m++;
        }
    }
    return NULL;
}
