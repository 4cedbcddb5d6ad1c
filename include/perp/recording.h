/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file recording.h
 *  Recordings: HDF5 files with a run and everything that is needed to show or continue it. docs/recording.md describes the
 *  layout for other programs.
 *
 *  At any moment the file is in the state of its last commit. perp_recorder_commit() is atomic: it takes effect completely or
 *  not at all, also if the process is killed or the disk becomes full during it. Every block has a checksum, so a damaged file
 *  is refused.
 *
 *  HDF5 is not thread-safe: only one thread at a time may use recordings. */
#ifndef PERP_RECORDING_H
#define PERP_RECORDING_H

#include "perp/scene.h"
#include "perp/sensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the layout that this library writes. It reads this and older ones. */
#define PERP_RECORDING_VERSION 6

/** @name Writing
 *
 *      perp_recorder *r;
 *      perp_recorder_create("out.h5", scene, NULL, &r, &why);        // holds the initial state as frame 0
 *      while (... && !perp_world_step(w, &c)) perp_recorder_step(r, &c, &why);
 *      perp_recorder_close(r, true, &why);
 *  @{ */
typedef struct perp_recorder perp_recorder;

/** Starts a recording of the scene's world in its present state, and commits it. PERP_E_IO if the file exists (existing files
 *  are never overwritten; remove it first) or cannot be written.
 *  @param scene   borrowed until the recorder is closed
 *  @param choice  NULL: the choice of the scene */
PERP_API perp_status perp_recorder_create(const char *path, const perp_scene *scene, const perp_record_choice *choice,
                                          perp_recorder **out, perp_refusal *why);
/** Starts a recording of a world made by a program, in its present state, and commits it. The recording contains the world as a
 *  scene (perp_scene_of_world()), so it can be viewed, plotted and rendered like that of a scene. If no function of the program
 *  moves bodies or applies forces, perp_recording_scene() and `perp run --resume` accept it too.
 *
 *      perp_recorder *r;
 *      perp_recorder_create_world("arm.h5", w, NULL, &r, &why);
 *      while (perp_world_time(w) < 2 && !perp_world_step(w, &c)) perp_recorder_step(r, &c, &why);
 *      perp_recorder_close(r, true, &why);                                              // then: perp view arm.h5
 *  @param w      borrowed until the recorder is closed. Bodies, shapes and joints may not be added or removed meanwhile
 *  @param words  title, units, duration, and what is recorded; NULL: defaults. Strings borrowed until the call returns
 *  @param out    owned by the caller, see perp_recorder_close(); NULL on failure
 *  @return as perp_recorder_create(), and PERP_E_ARG as perp_scene_of_world() */
PERP_API perp_status perp_recorder_create_world(const char *path, perp_world *w, const perp_scene_words *words,
                                                perp_recorder **out, perp_refusal *why);
/** Continues a recording made by perp_recorder_create_world(), as perp_recorder_resume() does. The program must make the same
 *  world again, including its functions, in the state in which the recording began. The state of the last commit is then
 *  restored. PERP_E_ARG if the world differs: the message shows the first difference. Functions cannot be compared.
 *  @param w    borrowed until the recorder is closed
 *  @param out  owned by the caller; NULL on failure */
PERP_API perp_status perp_recorder_resume_world(const char *path, perp_world *w, perp_recorder **out,
                                                perp_refusal *why);
/** Continues a recording: restores the state of its last commit into the scene's world and drops everything recorded after it.
 *  The scene must have been opened from the files in the recording (see perp_recording_scene()). Later frames are bitwise
 *  identical to those of an uninterrupted run. */
PERP_API perp_status perp_recorder_resume(const char *path, const perp_scene *scene, perp_recorder **out,
                                          perp_refusal *why);
/** Call this after each successful step. Every `every`-th step becomes a frame; its certificate and ledger cover all steps since
 *  the previous frame. Commits automatically a little more than once a second of wall time. */
PERP_API perp_status perp_recorder_step(perp_recorder *r, const perp_certificate *cert, perp_refusal *why);
/** Commits now. A resumed run continues after the last step, even if that step is not a frame. */
PERP_API perp_status perp_recorder_commit(perp_recorder *r, perp_refusal *why);
/** Commits and closes the file, also after an error; returns the first error. NULL is allowed.
 *  @param finished  the run reached its end; stored in the file */
PERP_API perp_status perp_recorder_close(perp_recorder *r, bool finished, perp_refusal *why);
/** Stores another duration than the scene's in the file; a resumed run uses it. PERP_E_ARG if it is not a finite time. */
PERP_API perp_status perp_recorder_set_duration(perp_recorder *r, double duration, perp_refusal *why);
/** Frames so far, including those before a resume. */
PERP_API uint64_t perp_recorder_frames(const perp_recorder *r);
/** Sum of the certificates of all these frames, as by perp_certificate_add(). Borrowed until the recorder is closed. */
PERP_API const perp_certificate *perp_recorder_total(const perp_recorder *r);
/** @} */

/** @name Reading
 *  @{ */
typedef struct perp_recording perp_recording;

/** Opens a recording for reading; another process may still be writing it. PERP_E_IO: cannot be read; PERP_E_ARG: not a
 *  recording, damaged, truncated, or of a newer version. The file is never changed. */
PERP_API perp_status perp_recording_open(const char *path, perp_recording **out, perp_refusal *why);
/** The same from memory; `data` borrowed until close. `path` is for messages. */
PERP_API perp_status perp_recording_open_memory(const char *path, const void *data, size_t size, perp_recording **out,
                                                perp_refusal *why);
/** Closes a recording; borrowed pointers become invalid. NULL is allowed. */
PERP_API void perp_recording_close(perp_recording *r);

/** Description of a recording. Strings and arrays borrowed until close. */
typedef struct perp_recording_info {
    int version;         /**< of the layout */
    const char *program; /**< "perp 0.3.0" */
    const char *title;
    perp_units units; /**< units of the scene, "" where it gives none */
    int dim;
    double h;
    bool finished; /**< the run reached its end */
    perp_record_choice choice;
    uint64_t frames;
    double t0, t1; /**< times of the first and last frame [T] */
    uint64_t step0, step1;
    double duration; /**< intended end of the run [T] */
    int nbody, nshape, njoint, nspring, nsensor, nmaterial;
    uint64_t ncontact;            /**< rows of contacts, over all frames */
    uint64_t file_size, raw_size; /**< bytes on disk; bytes of its uncompressed arrays */
} perp_recording_info;
/** The description. Borrowed until close. */
PERP_API const perp_recording_info *perp_recording_about(const perp_recording *r);

/** A recorded body. Its texts are borrowed until close. */
typedef struct perp_recorded_body {
    const char *name;
    perp_body_kind kind;
    bool particle;
    double mass;
    perp_mat3 I_B;
    const char *label; /**< text to draw beside it; "" for none */
} perp_recorded_body;
/** A recorded shape. Its arrays are borrowed until close. */
typedef struct perp_recorded_shape {
    int body; /**< index of the body */
    perp_shape_kind kind;
    perp_pose X_BS;
    double radius, half_length; /**< sphere, capsule, cylinder; capsule (along x), cylinder (along z) */
    perp_vec3 half_size, normal;
    double offset;
    int material;
    const double *vertex; /**< nvertex x 3: corners in S of box, polygon, polyhedron, and of the mesh of the kinds after
                               capsule; NULL for the others */
    int nvertex;
    const int *face_start; /**< nface + 1, into face; polyhedron and box in 3D */
    const int *face;       /**< vertices of each face, counter-clockwise from outside */
    int nface;
    bool visual;                /**< only drawn; it has no contacts */
    uint32_t colour;            /**< PERP_COLOUR(); 0: not set, the drawing program chooses */
    perp_vec3 surface_velocity; /**< of the surface when the recording began, body axes [L/T] */
} perp_recorded_shape;
/** A recorded joint. Its name is borrowed until close. */
typedef struct perp_recorded_joint {
    const char *name;
    perp_joint_kind kind;
    int a, b; /**< indices of bodies; a = -1: the world */
    perp_pose X_AJ, X_BJ;
    int ncoord, first_coord; /**< its columns among the joint coordinates */
} perp_recorded_joint;
/** A recorded spring between points: a force element of kind PERP_FORCE_SPRING. */
typedef struct perp_recorded_spring {
    int a, b;                   /**< indices of bodies; a = -1: the world */
    perp_vec3 point_A, point_B; /**< its ends in the frames of the bodies [L] */
    double rest_length;         /**< [L] */
} perp_recorded_spring;
/** A recorded sensor. Its texts are borrowed until close. Series: sensor(NAME).value, or sensor(NAME).x, .y and .z. */
typedef struct perp_recorded_sensor {
    const char *name;
    perp_sensor_kind kind;
    const char *unit; /**< of its numbers, in L, M, T and rad */
    int first, size;  /**< its columns among the readings */
} perp_recorded_sensor;
/** The i-th body, 0 <= i < nbody. */
PERP_API perp_recorded_body perp_recording_body(const perp_recording *r, int i);
/** The i-th shape, 0 <= i < nshape. */
PERP_API perp_recorded_shape perp_recording_shape(const perp_recording *r, int i);
/** The i-th spring, 0 <= i < nspring. Recordings of layouts 1 to 5 have none. */
PERP_API perp_recorded_spring perp_recording_spring(const perp_recording *r, int i);
/** The i-th joint, 0 <= i < njoint. */
PERP_API perp_recorded_joint perp_recording_joint(const perp_recording *r, int i);
/** The i-th sensor, 0 <= i < nsensor. */
PERP_API perp_recorded_sensor perp_recording_sensor(const perp_recording *r, int i);
/** Index of the body of that name, -1 if there is none. One without a name is called body-3 by its index. */
PERP_API int perp_recording_find_body(const perp_recording *r, const char *name);
/** Index of the joint of that name, -1 if there is none. One without a name is called joint-1 by its index. */
PERP_API int perp_recording_find_joint(const perp_recording *r, const char *name);

/** Opens the scene in the recording, with the parameters of the run. */
PERP_API perp_status perp_recording_scene(perp_recording *r, perp_scene **out, perp_refusal *why);

/** Poses of a frame. Pointers that are NULL are skipped; arrays have room for nbody entries. PERP_E_ARG if the frame does not
 *  exist or poses were not recorded. */
PERP_API perp_status perp_recording_poses(perp_recording *r, uint64_t frame, perp_pose *X_WB, perp_refusal *why);
/** Velocities of the centres of mass and angular velocities, world axes; likewise. */
PERP_API perp_status perp_recording_twists(perp_recording *r, uint64_t frame, perp_vec3 *v_W, perp_vec3 *w_W,
                                           perp_refusal *why);
/** Certificate of the steps since the previous frame, with the ledger if it was recorded. Its `solver` is borrowed until
 *  close. */
PERP_API perp_status perp_recording_certificate(perp_recording *r, uint64_t frame, perp_certificate *out,
                                                perp_refusal *why);
/** Sum of the certificates of all frames, and the frame of each worst figure. */
typedef struct perp_recording_worst {
    perp_certificate total;
    uint64_t overlap_frame, joint_frame,
        law_frame;       /**< frames with the deepest overlap, largest joint error, largest law residual / scale */
    uint64_t gain_frame; /**< frame with the largest energy gain of an island's contacts */
    double law;          /**< largest law residual, as a fraction of the speeds in its step */
} perp_recording_worst;
/** Computes the sum of the certificates of all frames. PERP_E_ARG if the recording has none. */
PERP_API perp_status perp_recording_total(perp_recording *r, perp_recording_worst *out, perp_refusal *why);

/** Hash of all frames, without the wall time: two runs with the same digest are bitwise identical. Reads the whole file. */
PERP_API perp_status perp_recording_digest(perp_recording *r, uint64_t *out, perp_refusal *why);

/** A recorded contact: bodies and shapes by index. */
typedef struct perp_recorded_contact {
    int body[2], shape[2];
    uint64_t feature;
    perp_vec3 a_W, b_W, n_W, t_W;
    double gap, gap_end, mu;
    double impulse_C[3];    /**< on the second body along n, t, o = n x t [M L/T] */
    double spin_impulse;    /**< on the second body about n [M L^2/T]; 0 without torsional friction */
    double roll_impulse[2]; /**< on the second body about t and o [M L^2/T]; 0 without rolling friction */
    perp_contact_state state;
} perp_recorded_contact;
/** Contacts of the last step of a frame. @param out borrowed until the next call or close */
PERP_API perp_status perp_recording_contacts(perp_recording *r, uint64_t frame, const perp_recorded_contact **out,
                                             int *n, perp_refusal *why);

/** A quantity over all frames by its name, such as "block.x", "A.angle", "hinge.rate", "certificate.overlap",
 *  "ledger.friction", "energy.total", "contacts.count", "contact(block,floor).normal"; docs/recording.md lists them.
 *  PERP_E_NAME, with similar names in the message, if there is none.
 *  @param values  room for as many numbers as there are frames */
PERP_API perp_status perp_recording_series(perp_recording *r, const char *name, double *values, perp_refusal *why);
/** Unit of a quantity in terms of L, M, T: "L", "rad/T", "M L^2/T^2"; "" if it has none. A torque has "M L/T^2 L", to
 *  distinguish it from an energy. The string stays valid. */
PERP_API const char *perp_recording_unit(const perp_recording *r, const char *name);
/** Writes a unit given in L, M, T with the names of the scene's units, if it has them: "M L^2/T^2" as "g mm^2/s^2". Energies,
 *  forces and torques in kg, m and s are written as "J", "N" and "N m".
 *  Returns the length without the final zero, as snprintf does. */
PERP_API size_t perp_unit_text(const char *unit, perp_units units, char *out, size_t size);
/** The i-th name that perp_recording_series() accepts in this recording, NULL past the last. Borrowed until close. */
PERP_API const char *perp_recording_series_name(const perp_recording *r, int i);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
