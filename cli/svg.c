// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* svg.c - parts of pictures. */
#include "cli.h"
#include "svg.h"

void
cli_svg_title(struct moore_buf *b, const char *text)
{
	cli_putf(b, "<title>");
	moore_buf_xml(b, text);
	cli_putf(b, "</title>");
}

void
cli_svg_begin(struct moore_buf *b, int width, int height, const char *title)
{
	cli_putf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		 "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n",
		 width, height, width, height);
	cli_svg_title(b, title);
	cli_putf(b, "\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
}

void
cli_svg_end(struct moore_buf *b)
{
	cli_putf(b, "</svg>\n");
}

void
cli_svg_text(struct moore_buf *b, double x, double y, const char *anchor, const char *text)
{
	cli_putf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	moore_buf_xml(b, text);
	cli_putf(b, "</text>\n");
}

void
cli_svg_bold(struct moore_buf *b, double x, double y, const char *text)
{
	cli_putf(b, "<g font-weight=\"bold\">");
	cli_svg_text(b, x, y, "start", text);
	cli_putf(b, "</g>\n");
}

void
cli_svg_rect(struct moore_buf *b, double x, double y, double width, double height, const char *fill)
{
	cli_putf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y,
		 width, height, fill);
}
