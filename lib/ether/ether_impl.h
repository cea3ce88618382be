/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* ether_impl.h - what the files of lib/ether share. */
#ifndef MOORE_ETHER_IMPL_H
#define MOORE_ETHER_IMPL_H

#include "moore/ether.h"

/* The bits of an address of that family: 32 or 128. */
uint8_t moore_addr_bits(uint8_t ip);
/* Returns the n-th prefix of that length within a range, which must have room for it. */
struct moore_addr moore_addr_part(const struct moore_addr *range, uint8_t len, uint64_t n);

/* -MOORE_EINVAL when options contradict each other. */
int moore_ether_check_opts(const struct moore_ether_opts *o, struct moore_err *err);

/* Makes a network without addresses, which takes the plan over, also when it fails. */
int moore_ether_new(struct moore_ether **out, struct moore_plan *p,
		    const struct moore_ether_opts *o, struct moore_err *err);

/* Sets the classes of switch s as the router assumes them. */
int moore_ether_set_classes(struct moore_ether_config *c, const struct moore_ether *x,
			    moore_swid s, struct moore_err *err);

/* The number of backups of the prefix whose last next hop is before i.  O(that). */
uint32_t moore_ether_config_backups(const struct moore_ether_config *c, uint32_t i);

/* The administrative distance of backups in FRR, which SONiC runs, too; static routes have 1. */
#define MOORE_FRR_BACKUP_DISTANCE "20"

#define MOORE_PORT_PREFIX "swp"		/* port n of a switch is interface swp<n> */
/* Reads such a name.  -MOORE_ESYNTAX, without a message. */
int moore_ether_read_port(const char *text, size_t len, moore_portnum *out);
struct moore_ether_line {		/* what is left of one */
	const char *at, *end;
	unsigned line;
	struct moore_err *err;
};
struct moore_ether_word {
	const char *at;
	size_t len;
};
/* Takes the next word; false at the end of the line, or at a comment (#). */
bool moore_ether_next_word(struct moore_ether_line *w, struct moore_ether_word *out);
/* Fails with the line and the word. */
int moore_ether_fail_at(const struct moore_ether_line *w, const struct moore_ether_word *at,
			const char *why);
/* Reads a word as an address. */
int moore_ether_take_addr(const struct moore_ether_line *w, const struct moore_ether_word *at,
			  struct moore_addr *out);

/* Whether a line of `ip -batch` takes back what the line `want` has set before it (undone.c). */
bool moore_ether_undoes(const char *line, size_t len, const char *want, size_t want_len);
/* Whether it makes a route to addresses of the network, on a switch or host, or gives it one of them; and whether
 * a route has the next hop and port of the one that the line `want` makes. */
bool moore_ether_leads_into(const struct moore_ether *x, bool is_host, const char *line, size_t len);
bool moore_ether_same_way(const char *line, size_t len, const char *want, size_t want_len);
/* Whether an address or prefix is a prefix of the network or a part of one, but for those of switch s, which may
 * be MOORE_NONE.  O(prefixes). */
bool moore_ether_is_part(const struct moore_ether *x, moore_swid s, const struct moore_addr *a);

/* The functions of the table in formats.c. */
#define MOORE_ETHER_WRITER(name) \
	int moore_ether_##name(const struct moore_ether *x, moore_swid s, \
			       const struct moore_ether_config *c, struct moore_buf *b, \
			       struct moore_err *err)
#define MOORE_ETHER_READER(name) \
	int moore_ether_##name(const struct moore_ether *x, moore_swid s, const char *text, \
			       size_t len, struct moore_ether_config *c, struct moore_err *err)
MOORE_ETHER_WRITER(put_interfaces);
MOORE_ETHER_WRITER(put_neighbours);
MOORE_ETHER_WRITER(put_routes);
MOORE_ETHER_WRITER(put_sysctl);
MOORE_ETHER_WRITER(put_nft);
MOORE_ETHER_WRITER(put_frr);
MOORE_ETHER_READER(read_routes);
MOORE_ETHER_READER(read_frr);
MOORE_ETHER_WRITER(put_sonic);
MOORE_ETHER_READER(read_sonic);
MOORE_ETHER_READER(read_sonic_routes);
MOORE_ETHER_READER(read_nft);

#endif
