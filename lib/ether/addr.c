// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* addr.c - IPv4 and IPv6 addresses and prefixes as text, and which lies within which. */
#include <arpa/inet.h>
#include <string.h>

#include "ether_impl.h"

static const struct {
	int af;
	uint8_t bits;
} family[MOORE_N_IP] = {
	[MOORE_IP4] = { AF_INET, 32 }, [MOORE_IP6] = { AF_INET6, 128 },
};

uint8_t
moore_addr_bits(uint8_t ip)
{
	return family[ip].bits;
}

static bool
bit_is_set(const struct moore_addr *a, unsigned bit)
{
	return a->byte[bit / 8] & 0x80u >> bit % 8;
}

int
moore_addr_parse(struct moore_addr *out, const char *text, size_t len, struct moore_err *err)
{
	const char *slash = memchr(text, '/', len), *digits, *end = text + len;
	size_t n = slash ? (size_t)(slash - text) : len;
	char name[INET6_ADDRSTRLEN];
	struct moore_addr a = { .is_set = true };
	uint64_t bits;

	if (n >= sizeof(name))
		return moore_fail(err, MOORE_ESYNTAX, 0, "this is no IP address: it is too long");
	memcpy(name, text, n);
	name[n] = '\0';
	a.ip = strchr(name, ':') ? MOORE_IP6 : MOORE_IP4;
	if (inet_pton(family[a.ip].af, name, a.byte) != 1)
		return moore_fail(err, MOORE_ESYNTAX, 0, "\"%s\" is no IP address: write one such as "
				  "10.1.0.0/16 or fd00::/48", name);
	bits = family[a.ip].bits;
	digits = slash ? slash + 1 : end;
	if (slash && (!moore_text_u64(&digits, end, 10, family[a.ip].bits, &bits) || digits != end))
		return moore_fail(err, MOORE_ESYNTAX, 0, "%.*s: the length of the prefix is no number "
				  "from 0 to %u", (int)len, text, family[a.ip].bits);
	a.len = (uint8_t)bits;
	for (unsigned i = a.len; i < family[a.ip].bits; i++)
		if (bit_is_set(&a, i))
			return moore_fail(err, MOORE_ESYNTAX, 0, "%.*s: bits after the first %u are set: "
					  "write the first address of the prefix", (int)len, text, a.len);
	*out = a;
	return 0;
}

void
moore_addr_put(struct moore_buf *b, const struct moore_addr *a)
{
	char name[INET6_ADDRSTRLEN];

	if (!inet_ntop(family[a->ip].af, a->byte, name, sizeof(name)))
		return;
	moore_buf_fmt(b, "%s", name);
	if (a->len < family[a->ip].bits)
		moore_buf_fmt(b, "/%u", a->len);
}

bool
moore_addr_within(const struct moore_addr *a, const struct moore_addr *prefix)
{
	unsigned whole = prefix->len / 8, rest = prefix->len % 8;

	return a->ip == prefix->ip && a->len >= prefix->len &&
		!memcmp(a->byte, prefix->byte, whole) &&
		(!rest || !((a->byte[whole] ^ prefix->byte[whole]) >> (8 - rest)));
}

bool
moore_addr_equal(const struct moore_addr *a, const struct moore_addr *b)
{
	return a->is_set == b->is_set &&
		(!a->is_set || (a->ip == b->ip && a->len == b->len && !memcmp(a->byte, b->byte, 16)));
}

int
moore_addr_order(const struct moore_addr *a, const struct moore_addr *b)
{
	int d;

	if (a->ip != b->ip)
		return a->ip < b->ip ? -1 : 1;
	if ((d = memcmp(a->byte, b->byte, sizeof(a->byte))))
		return d;
	return (a->len > b->len) - (a->len < b->len);
}

/* Returns the n-th prefix of that length within a range. */
struct moore_addr
moore_addr_part(const struct moore_addr *range, uint8_t len, uint64_t n)
{
	struct moore_addr a = *range;

	a.len = len;
	for (unsigned bit = len; n; n >>= 1) {
		bit--;
		if (n & 1)
			a.byte[bit / 8] = (uint8_t)(a.byte[bit / 8] | 0x80u >> bit % 8);
	}
	return a;
}
