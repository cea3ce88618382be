// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* buf.c - a growing text and its formatter.
 *
 * The library has a formatter of its own since it links no stdio and knows no locale.  It
 * makes the few conversions that names, numbers and GUIDs need. */
#include <stdlib.h>
#include <string.h>

#include "moore/base.h"

void
moore_buf_add(struct moore_buf *b, const void *data, size_t len)
{
	if (b->oom)
		return;
	if (b->drain && b->len + len >= MOORE_BUF_WINDOW)
		moore_buf_drain(b);
	if (b->len + len + 1 > b->cap) {
		size_t cap = b->cap ? b->cap : 256;
		char *p;

		while (cap < b->len + len + 1)
			cap *= 2;
		if (!(p = realloc(b->data, cap))) {
			b->oom = true;
			return;
		}
		b->data = p;
		b->cap = cap;
	}
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void
moore_buf_drain(struct moore_buf *b)
{
	if (!b->oom && b->len && !b->drain(b->drain_arg, b->data, b->len))
		b->oom = true;
	b->len = 0;
}

void
moore_buf_free(struct moore_buf *b)
{
	free(b->data);
	*b = (struct moore_buf)MOORE_BUF_INIT;
}

struct spec {			/* one conversion of a format */
	bool left, zero;
	int width, prec;	/* prec -1: none */
	int size;		/* 0 int, 1 long, 2 long long, 3 size_t */
};

static void
pad(struct moore_buf *b, char c, int n)
{
	while (n-- > 0)
		moore_buf_add(b, &c, 1);
}

static void
put_field(struct moore_buf *b, const struct spec *s, const char *text, size_t len)
{
	int gap = s->width - (int)len;

	if (!s->left)
		pad(b, s->zero ? '0' : ' ', gap);
	moore_buf_add(b, text, len);
	if (s->left)
		pad(b, ' ', gap);
}

static void
put_number(struct moore_buf *b, const struct spec *s, uint64_t v, unsigned base,
	   bool upper, bool negative)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char t[24], *p = t + sizeof(t);

	do
		*--p = digits[v % base];
	while (v /= base);
	if (negative)
		*--p = '-';
	put_field(b, s, p, (size_t)(t + sizeof(t) - p));
}

static const char *
read_spec(struct spec *s, const char *f, va_list *ap)
{
	*s = (struct spec){ .prec = -1 };
	for (;; f++) {
		if (*f == '-')
			s->left = true;
		else if (*f == '0')
			s->zero = true;
		else
			break;
	}
	if (*f == '*') {
		s->width = va_arg(*ap, int);
		f++;
	} else {
		for (; *f >= '0' && *f <= '9'; f++)
			s->width = s->width * 10 + (*f - '0');
	}
	if (*f == '.') {
		s->prec = 0;
		if (*++f == '*') {
			s->prec = va_arg(*ap, int);
			f++;
		} else {
			for (; *f >= '0' && *f <= '9'; f++)
				s->prec = s->prec * 10 + (*f - '0');
		}
	}
	for (; *f == 'l'; f++)
		s->size++;
	if (*f == 'z') {
		s->size = 3;
		f++;
	}
	return f;
}

static uint64_t
arg_unsigned(const struct spec *s, va_list *ap)
{
	switch (s->size) {
	case 0: return va_arg(*ap, unsigned int);
	case 1: return va_arg(*ap, unsigned long);
	case 2: return va_arg(*ap, unsigned long long);
	default: return va_arg(*ap, size_t);
	}
}

static int64_t
arg_signed(const struct spec *s, va_list *ap)
{
	switch (s->size) {
	case 0: return va_arg(*ap, int);
	case 1: return va_arg(*ap, long);
	default: return va_arg(*ap, long long);
	}
}

static void
put_string(struct moore_buf *b, const struct spec *s, const char *text)
{
	size_t n;

	if (!text)
		text = "(null)";
	n = s->prec >= 0 ? strnlen(text, (size_t)s->prec) : strlen(text);
	put_field(b, s, text, n);
}

void
moore_buf_vfmt(struct moore_buf *b, const char *f, va_list args)
{
	struct spec s;
	va_list ap;
	int64_t v;
	char c;

	va_copy(ap, args);
	for (; *f; f++) {
		size_t plain = strcspn(f, "%");

		moore_buf_add(b, f, plain);
		f += plain;
		if (!*f)
			break;
		f = read_spec(&s, f + 1, &ap);
		switch (*f) {
		case 's':
			put_string(b, &s, va_arg(ap, const char *));
			break;
		case 'c':
			c = (char)va_arg(ap, int);
			put_field(b, &s, &c, 1);
			break;
		case 'd':
		case 'i':
			v = arg_signed(&s, &ap);
			put_number(b, &s, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10, false, v < 0);
			break;
		case 'u':
			put_number(b, &s, arg_unsigned(&s, &ap), 10, false, false);
			break;
		case 'x':
		case 'X':
			put_number(b, &s, arg_unsigned(&s, &ap), 16, *f == 'X', false);
			break;
		default:
			moore_buf_add(b, f, 1);
			break;
		}
		if (!*f)
			break;
	}
	va_end(ap);
}

void
moore_buf_fmt(struct moore_buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	moore_buf_vfmt(b, fmt, ap);
	va_end(ap);
}

static int
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

bool
moore_text_u64(const char **s, const char *end, unsigned base, uint64_t max, uint64_t *out)
{
	const char *p = *s;
	uint64_t v = 0;
	int d;

	if ((base == 0 || base == 16) && end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x') {
		p += 2;
		base = 16;
	} else if (base == 0) {
		base = 10;
	}
	if (p == end || (unsigned)digit_value(*p) >= base)
		return false;
	for (; p < end && (unsigned)(d = digit_value(*p)) < base; p++) {
		if ((unsigned)d > max || v > (max - (unsigned)d) / base)
			return false;
		v = v * base + (unsigned)d;
	}
	*out = v;
	*s = p;
	return true;
}

size_t
moore_utf8_len(const char *s, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *u = (const unsigned char *)s;
	size_t n = u[0] < 0x80 ? 1 : u[0] < 0xc0 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 :
		   u[0] < 0xf8 ? 4 : 0;
	uint32_t c;

	if (n < 2 || n > len)
		return n < 2 ? n : 0;
	c = u[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	/* refuse overlong forms, surrogates, and what is above U+10FFFF */
	return c < least[n] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ? 0 : n;
}

size_t
moore_text_hidden(const char *s, size_t len)
{
	static const struct {
		const char *lead;	/* its bytes in UTF-8 but the last, */
		unsigned char from, to;	/* which is in this range */
	} T[] = {
		{ "", 0, 0x1f }, { "", 0x7f, 0x7f }, { "\xc2", 0x80, 0x9f },
		{ "\xd8", 0x9c, 0x9c },		/* U+061C */
		{ "\xe2\x80", 0x8e, 0x8f },	/* U+200E..200F */
		{ "\xe2\x80", 0xa8, 0xae },	/* U+2028..202E */
		{ "\xe2\x81", 0xa6, 0xa9 },	/* U+2066..2069 */
		{ "\xef\xbb", 0xbf, 0xbf },	/* U+FEFF */
	};

	if ((unsigned char)*s >= ' ' && (unsigned char)*s < 0x7f)
		return 0;		/* most text */
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		size_t n = strlen(T[i].lead);

		if (n < len && !memcmp(s, T[i].lead, n) && (unsigned char)s[n] >= T[i].from &&
		    (unsigned char)s[n] <= T[i].to)
			return n + 1;
	}
	return 0;
}

void
moore_text_hide(char *s)
{
	const char *end = s + strlen(s);
	char *to = s;

	while (s < end) {
		const size_t len = (size_t)(end - s), hidden = moore_text_hidden(s, len);
		const size_t shown = hidden ? 0 : moore_utf8_len(s, len);

		if (shown) {
			memmove(to, s, shown);
			to += shown;
		} else {
			*to++ = '?';
		}
		s += shown + hidden ? shown + hidden : 1;
	}
	*to = '\0';
}

void
moore_text_put_u(struct moore_buf *b, const char *s, size_t n)
{
	uint32_t c = (unsigned char)*s & (n > 1 ? 0x7fu >> n : 0x7f);

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3f);
	moore_buf_fmt(b, "\\u%04x", c);
}

void
moore_buf_comment(struct moore_buf *b, const char *words)
{
	size_t col = 0;

	while (*words) {
		size_t word = strcspn(words, " ");

		if (col && col + 1 + word > 76) {
			moore_buf_add(b, "\n", 1);
			col = 0;
		}
		moore_buf_add(b, col ? " " : "# ", col ? 1 : 2);
		moore_buf_add(b, words, word);
		col += word + (col ? 1 : 2);
		words += word;
		words += *words == ' ';
	}
	moore_buf_add(b, "\n", 1);
}

void
moore_buf_xml(struct moore_buf *b, const char *s)
{
	size_t n;

	for (; *s; s += n) {
		const size_t hidden = moore_text_hidden(s, strlen(s));
		const char *as = *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : *s == '&' ? "&amp;" :
				 *s == '"' ? "&quot;" : hidden ? "&#xfffd;" : NULL;

		n = hidden ? hidden : 1;
		if (as)
			moore_buf_add(b, as, strlen(as));
		else
			moore_buf_add(b, s, 1);
	}
}
