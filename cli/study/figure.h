/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* figure.h - figures of studies. */
#ifndef CLI_STUDY_FIGURE_H
#define CLI_STUDY_FIGURE_H

#include "study/design_run.h"
#include "study/report.h"

/* The history of a search: objective over evaluations, best so far; of drawn designs which pass, over pairs of
 * parameters. Files history.svg, designs.svg in the folder. */
perp_status design_figures(const pp_design_search *h, const char *folder, perp_refusal *why);
/* Makes a folder and those above it. */
perp_status figure_folder(const char *folder, perp_refusal *why);

#endif
