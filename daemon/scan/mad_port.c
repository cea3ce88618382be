// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mad_port.c - the umad port: opened, closed, and what sysfs tells of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/mad_impl.h"

static int
places_new(struct mad_port *m, unsigned n)
{
	m->n_places = n < 1u << PLACE_BITS ? n : 1u << PLACE_BITS;
	m->place = calloc(m->n_places, sizeof(*m->place));
	m->free_place = calloc(m->n_places, sizeof(*m->free_place));
	m->umad = calloc(1, umad_size() + IB_MAD_SIZE);
	if (!m->place || !m->free_place || !m->umad)
		return -1;
	for (unsigned i = 0; i < m->n_places; i++) {
		m->place[i].entry = NOTHING;
		m->free_place[i] = i;
	}
	return 0;
}

int
mad_open(struct mad_port **out, const char *ca, int port, unsigned outstanding, char name[64],
	 struct moore_err *err)
{
	struct mad_port *m = calloc(1, sizeof(*m));
	umad_port_t info;

	*out = NULL;
	if (!m)
		return moore_fail_nomem(err);
	m->fd = -1;
	if (umad_init() < 0 || umad_get_port(ca[0] ? ca : NULL, port, &info) < 0) {
		mad_close(m);
		return moore_fail(err, MOORE_EPRECOND, 0, "there is no umad port %s%s: is ib_umad "
				  "loaded, and /dev/infiniband/umad* readable?", ca, ca[0] ? "" :
				  "at all");
	}
	memcpy(m->ca, info.ca_name, sizeof(m->ca));
	m->num = info.portnum;
	umad_release_port(&info);
	snprintf(name, 64, "%s:%d", m->ca, m->num);
	m->fd = umad_open_port(m->ca, m->num);
	for (int i = 0; i < N_MAD_CLASSES && m->fd >= 0; i++)
		if ((m->agent[i] = umad_register(m->fd, mad_class_id[i].class, mad_class_id[i].version, 0,
						 NULL)) < 0) {
			umad_close_port(m->fd);
			m->fd = -1;
		}
	if (m->fd < 0 || places_new(m, outstanding) < 0) {
		mad_close(m);
		return moore_fail(err, MOORE_EPRECOND, 0, "%.60s cannot be opened for MADs: may this "
				  "user open /dev/infiniband/umad*?", name);
	}
	*out = m;
	return 0;
}

void
mad_close(struct mad_port *m)
{
	if (!m)
		return;
	if (m->fd >= 0)
		umad_close_port(m->fd);
	free(m->place);
	free(m->free_place);
	free(m->umad);
	free(m);
}

bool
mad_there(const struct mad_port *m)
{
	umad_port_t info;

	if (umad_get_port(m->ca, m->num, &info) < 0)
		return false;
	umad_release_port(&info);
	return true;
}

bool
mad_active(const struct mad_port *m)
{
	umad_port_t info;
	bool up;

	if (umad_get_port(m->ca, m->num, &info) < 0)
		return false;
	up = info.phys_state == 5;	/* LinkUp: SMPs pass, whatever the SM has done so far */
	umad_release_port(&info);
	return up;
}

uint64_t
mad_sent(const struct mad_port *m)
{
	return m->sent;
}
