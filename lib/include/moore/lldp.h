/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/lldp.h - what Ethernet switches report of their neighbours (LLDP, IEEE 802.1AB), and
 * the fabric that follows from it.
 *
 * Each switch gives three documents in JSON: its own chassis, its neighbours, and the counters
 * of its interfaces.  A link counts when both of its ends report it, or when the one end that
 * could be asked does.  Everything else is a finding.
 *
 * Port n of a switch is interface swp<n>, or Ethernet<4(n-1)> as SONiC names it; port n of a
 * host is eth<n-1>.  Other interfaces of a switch are left alone. */
#ifndef MOORE_LLDP_H
#define MOORE_LLDP_H

#include "base.h"
#include "plan.h"

MOORE_BEGIN

/* ---- what one switch reports -------------------------------------------------------- */

enum moore_lldp_doc {
	MOORE_LLDP_CHASSIS,	/* lldpcli -f json0 show chassis */
	MOORE_LLDP_NEIGHBOURS,	/* lldpcli -f json0 show neighbors details */
	MOORE_LLDP_LINKS,	/* ip -json -statistics link show; may be missing */
	MOORE_LLDP_DOCS
};
/* "chassis", "neighbors", "links": with .json the name of the document's file. */
MOORE_API const char *moore_lldp_doc_name(enum moore_lldp_doc doc);

#define MOORE_LLDP_BYTES_MAX ((size_t)16 << 20)		/* of a document */
#define MOORE_LLDP_NEIGHBOURS_MAX 4096			/* of a switch, and its interfaces */
#define MOORE_LLDP_TEXT_MAX 255				/* bytes of a name (802.1AB 8.5.6.3) */

struct moore_lldp_neighbour {
	char *name;		/* of its chassis; NULL when it gives none */
	char *port;		/* its interface, "swp3" or "eth0"; NULL when it gives none */
	uint64_t mac;		/* of its chassis; 0 when it gives another kind of id */
	uint32_t frame;		/* greatest frame that its port takes; 0 when not given */
	uint32_t mbits;		/* speed of its port in Mbit/s; 0 when not given */
	uint8_t autoneg;	/* its port negotiates the speed: 2 yes, 1 no; 0 when not given */
	bool forwards;		/* its capabilities say that it is a bridge or a router */
};

struct moore_lldp_port {
	char *name;		/* of the interface */
	moore_portnum number;	/* 0: an interface that is no port of the fabric */
	bool has_link;		/* the fields from here to tx_drops come from the links document */
	bool down;		/* no carrier, or set down */
	uint32_t mtu;		/* 0 when not given */
	uint64_t rx_bytes, tx_bytes, rx_drops, tx_drops;
	uint32_t n_neighbours;
	struct moore_lldp_neighbour *neighbour;	/* without those that are listed twice */
};

struct moore_lldp_switch {
	char *asked;		/* the name by which it was asked: of its directory, or in a command */
	char *name;		/* of its chassis, if that is a good name; else a copy of asked */
	uint64_t mac;		/* of its chassis; 0 when unknown */
	bool unnamed;		/* its chassis gives no name, or one that is not good */
	char *silent;		/* why it did not answer; NULL when it did.  Owned, set by the caller */
	uint32_t n_ports, cap_ports;
	struct moore_lldp_port *port;	/* sorted by number, then by name, after reading */
};

/* Says whether a name can be used as it stands in files and command lines: 1..63 letters,
 * digits and any of . _ : + -, the first a letter or digit. */
MOORE_API bool moore_lldp_good_name(const char *name);

/* Says whether a neighbour is a switch, as far as it tells itself: a bridge, a router, or a
 * device whose port has the name of a switch's port. */
MOORE_API bool moore_lldp_is_switch(const struct moore_lldp_neighbour *nb);

/* Makes a switch that has not been read yet.  asked is copied; it must be a good name. */
MOORE_API int moore_lldp_new(struct moore_lldp_switch **out, const char *asked,
			     struct moore_err *err);
/* Adds what a document says; each document is read once.  -MOORE_ESYNTAX with err->line when
 * the text is no JSON; -MOORE_EPLAN names the place, and the option of lldpcli when it printed
 * another form; -MOORE_EINVAL when it is too long.  After a failure the switch can only be
 * freed.  O(len). */
MOORE_API int moore_lldp_read(struct moore_lldp_switch *s, enum moore_lldp_doc doc,
			      const char *text, size_t len, struct moore_err *err);
MOORE_API void moore_lldp_free(struct moore_lldp_switch *s);	/* NULL is fine */

/* The port of that number; NULL when the switch has none. */
MOORE_API const struct moore_lldp_port *moore_lldp_port(const struct moore_lldp_switch *s,
							moore_portnum number);

/* ---- the fabric --------------------------------------------------------------------- */

enum moore_lldp_kind {
	/* About a switch. */
	MOORE_LLDP_SILENT,	/* it did not answer */
	MOORE_LLDP_NOT_ASKED,	/* neighbours report it, but nobody asked it */
	MOORE_LLDP_UNNAMED,	/* it gives no good name: it has the name that it was asked by */
	MOORE_LLDP_OTHER_NAME,	/* it gives another name than it was asked by */
	MOORE_LLDP_SAME_NAME,	/* another switch gives its name: it has that it was asked by */
	MOORE_LLDP_LEFT_OUT,	/* a switch that was asked before has its name, and perhaps is it */
	MOORE_LLDP_SAME_MAC,	/* another switch has its MAC */
	/* About what a port reports. */
	MOORE_LLDP_LEFT_ALONE,	/* an interface with a neighbour that is no port of the fabric */
	MOORE_LLDP_BAD_NAME,	/* the neighbour has no good name */
	MOORE_LLDP_NO_NUMBER,	/* the neighbour's port has no number */
	MOORE_LLDP_OLD_NAME,	/* the neighbour has the MAC of a switch of another name: it is that */
	MOORE_LLDP_OTHER_MAC,	/* the neighbour reports another MAC than the switch of that name */
	MOORE_LLDP_ITSELF,	/* the neighbour is the switch itself */
	MOORE_LLDP_CHOSEN,	/* of several neighbours the planned one counts */
	MOORE_LLDP_SEVERAL,	/* several neighbours, none of them planned: none counts */
	MOORE_LLDP_STALE,	/* another neighbour counts, or the port is down */
	MOORE_LLDP_ONE_SIDED,	/* the neighbour reports nothing at that port */
	MOORE_LLDP_DISAGREES,	/* the neighbour reports another switch or port there */
	MOORE_LLDP_TWICE,	/* another port already has this neighbour */
	/* About a link. */
	MOORE_LLDP_MTU,		/* its ends differ in MTU or greatest frame: value[] */
	MOORE_LLDP_ODD_MTU,	/* its MTU value[0] is not that of most links, value[1] */
	MOORE_LLDP_ODD_FRAME,	/* a host's greatest frame is value[0]; most have value[1] */
	MOORE_LLDP_LARGE_FRAME,	/* a host may send value[0] bytes, more than the MTU of its port, value[1], takes */
	MOORE_LLDP_AUTONEG,	/* only one of its ends negotiates the speed */
	MOORE_LLDP_SPEED,	/* its ends report different speeds, in Mbit/s: value[] */
	MOORE_LLDP_KINDS
};

struct moore_lldp_text {
	const char *name;	/* "one-sided" */
	bool is_note;		/* nothing is wrong: it is only said */
};
MOORE_API const struct moore_lldp_text *moore_lldp_text(enum moore_lldp_kind kind);

struct moore_lldp_finding {
	uint8_t kind;		/* enum moore_lldp_kind */
	/* Names of a switch and its interface, and of the neighbour and its interface or of the
	 * other switch; NULL where none applies.  They belong to the switches. */
	const char *sw, *port, *peer, *peer_port;
	const char *other, *other_port;		/* of DISAGREES: what the neighbour reports */
	const char *why;	/* of SILENT */
	uint32_t value[2];
};

struct moore_lldp_fabric {
	struct moore_plan *plan;	/* moore_plan_check() accepts it; rates are unknown */
	uint32_t n_answered;		/* switches */
	uint32_t n_findings, cap_findings, n_notes;	/* notes are findings, too */
	struct moore_lldp_finding *finding;
};

/* Makes the fabric that n switches report, in their order; switches that were not asked come
 * behind them, with the links that others report.  intended may be NULL: a plan tells hosts
 * from switches, decides where a port has several neighbours, and gives a host's port its
 * number if the host gives none.  A switch has the GUID that is made of its MAC (EUI-64).
 * The caller ends *out with moore_lldp_fabric_free(), and keeps the switches until then.
 * O(reports * log reports + plan * log plan). */
MOORE_API int moore_lldp_join(struct moore_lldp_fabric **out, struct moore_lldp_switch *const *sw,
			      uint32_t n, const struct moore_plan *intended, struct moore_err *err);
MOORE_API void moore_lldp_fabric_free(struct moore_lldp_fabric *f);	/* NULL is fine */

/* ---- one switch against the plan ---------------------------------------------------- */

enum moore_lldp_status { MOORE_LLDP_PASS, MOORE_LLDP_FAIL, MOORE_LLDP_NOT_PLANNED, MOORE_LLDP_STATUSES };

struct moore_lldp_cable {	/* a port with a planned neighbour, or with any */
	const struct moore_lldp_switch *sw;
	moore_portnum number;
	const struct moore_lldp_port *has;	/* NULL: the switch reports no such interface */
	const char *want;	/* the planned neighbour; NULL: none.  Belongs to the plan */
	moore_portnum want_port;
	bool want_host;
	uint8_t status;		/* PASS: the planned neighbour is among those that it reports */
};

struct moore_lldp_cables {
	struct moore_lldp_cable *cable;	/* by switch, then by port number */
	uint32_t n, cap;
	uint32_t n_of[MOORE_LLDP_STATUSES];
};

/* Compares what each switch itself reports with the plan; *out borrows both.  The caller ends it
 * with moore_lldp_cables_fini().  O(ports * log plan). */
MOORE_API int moore_lldp_compare(struct moore_lldp_cables *out, struct moore_lldp_switch *const *sw,
				 uint32_t n, const struct moore_plan *plan, struct moore_err *err);
MOORE_API void moore_lldp_cables_fini(struct moore_lldp_cables *c);

MOORE_END

#endif
