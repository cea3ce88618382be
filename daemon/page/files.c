// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* files.c - the page's own files, and the chart library.
 *
 * The files beside this one become part of the program, so the page and the methods that it asks
 * are always of one version, and no path can be wrong.  The chart library is another package's
 * and is read from where that installs it, on the worker. */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "log.h"
#include "page/page.h"

enum { LIBRARY_MAX = 1 << 20 };

/* name and name_end are where the assembler puts the file. */
#define HOLD(name, file) \
	extern const char name[], name##_end[]; \
	__asm__(".pushsection .rodata\n.global " #name "\n.hidden " #name "\n" #name ":\n" \
		".incbin \"daemon/page/" file "\"\n.global " #name "_end\n.hidden " #name "_end\n" \
		#name "_end:\n.byte 0\n.popsection\n")
HOLD(page_index_html, "index.html");
HOLD(page_style_css, "style.css");
HOLD(page_page_js, "page.js");
HOLD(page_text_js, "text.js");
HOLD(page_state_js, "state.js");
HOLD(page_draw_js, "draw.js");
HOLD(page_paint_js, "paint.js");
HOLD(page_detail_js, "detail.js");
HOLD(page_wiring_js, "wiring.js");
HOLD(page_icon_svg, "icon.svg");

#define SCRIPT "text/javascript; charset=utf-8"
static const struct {
	const char *path, *type, *text, *end;
} files[] = {
	{ "/", "text/html; charset=utf-8", page_index_html, page_index_html_end },
	{ "/style.css", "text/css; charset=utf-8", page_style_css, page_style_css_end },
	{ "/page.js", SCRIPT, page_page_js, page_page_js_end },
	{ "/text.js", SCRIPT, page_text_js, page_text_js_end },
	{ "/state.js", SCRIPT, page_state_js, page_state_js_end },
	{ "/draw.js", SCRIPT, page_draw_js, page_draw_js_end },
	{ "/paint.js", SCRIPT, page_paint_js, page_paint_js_end },
	{ "/detail.js", SCRIPT, page_detail_js, page_detail_js_end },
	{ "/wiring.js", SCRIPT, page_wiring_js, page_wiring_js_end },
	{ "/icon.svg", "image/svg+xml", page_icon_svg, page_icon_svg_end },
};

void
page_file(struct http_peer *p, const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (!strcmp(path, files[i].path)) {
			http_answer(p, files[i].type, (char *)(uintptr_t)files[i].text,
				    (size_t)(files[i].end - files[i].text), false);
			return;
		}
	http_refuse(p, "404 Not Found", "");
}

/* ---- the chart library ------------------------------------------------------------- */

struct reading {
	struct web *g;
	struct http_wait wait;
	char path[512];
	struct moore_buf text;
	struct moore_err err;
	int rc;
};

static void
reading_run(void *arg)
{
	struct reading *r = arg;

	r->rc = file_read(r->path, LIBRARY_MAX, &r->text, &r->err);
}

static void
reading_done(void *arg)
{
	struct reading *r = arg;
	struct http_peer *p = http_waited(&r->wait);

	r->g->n_jobs--;
	if (p && r->rc < 0) {
		log_gated(&r->g->unread, LOG_WARNING, "page_charts: %s: rates are shown without charts",
			r->err.text);
		http_refuse(p, "404 Not Found", "");
	} else if (p) {
		http_answer(p, SCRIPT, r->text.data, r->text.len, true);
		r->text = (struct moore_buf)MOORE_BUF_INIT;
	}
	moore_buf_free(&r->text);
	free(r);
}

void
page_library(struct web *g, struct http_peer *p)
{
	struct reading *r = g->n_jobs < PAGE_JOBS ? calloc(1, sizeof(*r)) : NULL;

	if (r) {
		r->g = g;
		snprintf(r->path, sizeof(r->path), "%s", g->d->conf.page_charts);
	}
	if (!r || worker_add(g->d->worker[WORK_SHORT], reading_run, reading_done, r) < 0) {
		free(r);
		http_refuse(p, "503 Service Unavailable", "Retry-After: 1\r\n");
		return;
	}
	g->n_jobs++;
	http_wait(p, &r->wait);
}
