/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* svg.h - parts of pictures.  An SVG needs no script, font or style sheet from elsewhere. */
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include "moore/base.h"

/* Begins a picture of this size in pixels with a white ground; title is what screen readers say. */
void cli_svg_begin(struct moore_buf *b, int width, int height, const char *title);
void cli_svg_end(struct moore_buf *b);

/* Writes what a viewer shows of the picture, or of the part of it that is open. */
void cli_svg_title(struct moore_buf *b, const char *text);

/* Writes text with its special characters quoted; anchor is start, middle or end. */
void cli_svg_text(struct moore_buf *b, double x, double y, const char *anchor, const char *text);
void cli_svg_bold(struct moore_buf *b, double x, double y, const char *text);	/* from x on */

void cli_svg_rect(struct moore_buf *b, double x, double y, double width, double height, const char *fill);

#endif
