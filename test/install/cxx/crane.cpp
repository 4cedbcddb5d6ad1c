/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// crane.cpp - perp from C++: a rod that falls, made body by body, and a load that swings on a hinge, from a scene in memory. Objects of perp are
// held by std::unique_ptr, errors are thrown.
#include <perp/perp.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

struct close_world {
    void operator()(perp_world *w) const { perp_world_destroy(w); }
};
struct close_scene {
    void operator()(perp_scene *s) const { perp_scene_close(s); }
};
using world = std::unique_ptr<perp_world, close_world>;
using scene = std::unique_ptr<perp_scene, close_scene>;

// A rod after half a second of falling.
world drop_rod() {
    perp_world_def def = perp_world_def_default(2);
    def.h = 0.005;
    perp_world *made = nullptr;
    if (perp_world_create(&def, &made)) throw std::runtime_error("no world");
    world w(made);
    perp_body_def rod = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_shape_def box = perp_shape_box(0.5, 0.05, 0);
    if (perp_body_def_mass(&rod, &box, 2, 200)) throw std::runtime_error("no mass");
    rod.X_WB = perp_pose_at(0.5, 0, 0);
    perp_body_id id;
    if (perp_body_add(w.get(), &rod, &id)) throw std::runtime_error(perp_world_why(w.get()));
    for (int i = 0; i < 100; i++)
        if (perp_world_step(w.get(), nullptr)) throw std::runtime_error(perp_world_why(w.get()));
    return w;
}

// Runs a scene; the largest error of its joints.
double swing(const std::string &text) {
    const perp_source_file file = {"crane.yaml", text.data(), text.size()};
    perp_scene_options options = {};
    options.file = &file;
    options.nfile = 1;
    perp_scene *opened = nullptr;
    perp_refusal why;
    if (perp_scene_open("crane.yaml", &options, &opened, &why)) throw std::runtime_error(why.text);
    scene s(opened);
    perp_world *w = perp_scene_world(s.get());
    double worst = 0;
    for (auto n = perp_scene_steps(s.get()); n > 0; n--) {
        perp_certificate c;
        if (perp_world_step(w, &c)) throw std::runtime_error(perp_world_why(w));
        if (c.joint_error > worst) worst = c.joint_error;
    }
    return worst;
}

} // namespace

int main() try {
    world w = drop_rod();
    if (std::fabs(perp_world_time(w.get()) - 0.5) > 1e-12) return 1;
    const double worst = swing("perp: 1\ndim: 2\nh: 0.005\nduration: 2\nbodies:\n"
                               "  - {name: load, density: 200, at: [0.5, 0], shape: {type: box, size: [1, 0.1]}}\n"
                               "joints: [{type: revolute, a: world, b: load, at: [0, 0]}]\n");
    std::printf("perp %s: joint error %.1e m\n", perp_version(), worst);
    return worst < 1e-9 ? 0 : 2;
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 3;
}
