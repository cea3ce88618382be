// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* pings.c - sends a packet from every host to every address of every other host, from within
 * their network namespaces, and tells which arrived, over how many hops and with which DSCP.
 *
 *     pings [--seconds S] [--dscp D] [--size BYTES] [--port N] <hosts
 *
 * Each line of input is a host: its name, the path of its namespace, its addresses (tests/ether/lab
 * hosts).  One process holds a socket in each namespace, so it knows exactly which packet is
 * missing.  Without --seconds each pair is tried once, and again up to five times if it is lost;
 * with it, packets are sent all the time and each loss counts.  Packets go from and to UDP port N,
 * by default that of RoCE; where routes have several next hops, it decides which is taken.  Prints
 * JSON; exits with 1 when a packet was lost. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ROCE_PORT 4791
#define HOSTS_MAX 4096
#define ADDRESSES_MAX 512
#define LINE_MAX_ 65536
#define TTL 64
#define TRIES 5
#define QUIET_MS 300	/* a packet that has not arrived for so long is lost */

struct host {
	char *name;
	int fd;
	unsigned n;
	struct sockaddr_in6 *to;	/* IPv4 addresses are mapped */
};

struct probe {			/* one address of one host, as seen from another */
	uint32_t sent, got;
	uint8_t hops, dscp;
};

static struct host host[HOSTS_MAX];
static unsigned n_hosts, widest;
static struct probe *probe;	/* [(from * n_hosts + to) * widest + address] */
static unsigned long n_sent, n_got, n_refused;
static int dscp = 26;
static size_t size = 64;
static uint16_t port = ROCE_PORT;

struct packet {
	uint32_t from, to, address;
};

static void
die(const char *what)
{
	fprintf(stderr, "pings: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void
set(int fd, int level, int name, int value)
{
	if (setsockopt(fd, level, name, &value, sizeof(value)) < 0)
		die("setsockopt");
}

/* Opens a socket in the namespace at path. */
static int
open_in(const char *path)
{
	int space = open(path, O_RDONLY | O_CLOEXEC), fd;
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	if (space < 0 || setns(space, CLONE_NEWNET) < 0)
		die(path);
	close(space);
	if ((fd = socket(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) < 0)
		die("socket");
	set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	set(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
	set(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
	set(fd, IPPROTO_IP, IP_RECVTTL, 1);
	set(fd, IPPROTO_IP, IP_RECVTOS, 1);
	set(fd, IPPROTO_IP, IP_TTL, TTL);
	set(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, TTL);
	set(fd, IPPROTO_IP, IP_TOS, dscp << 2);
	set(fd, IPPROTO_IPV6, IPV6_TCLASS, dscp << 2);
	if (bind(fd, (struct sockaddr *)&any, sizeof(any)) < 0)
		die("bind");
	return fd;
}

static void
read_hosts(void)
{
	static char line[LINE_MAX_];

	while (fgets(line, sizeof(line), stdin)) {
		struct host *h = &host[n_hosts];
		char *save = NULL, *word = strtok_r(line, " \n", &save), *path = strtok_r(NULL, " \n", &save);

		if (!word || !path || n_hosts == HOSTS_MAX)
			continue;
		h->name = strdup(word);
		h->to = calloc(ADDRESSES_MAX, sizeof(*h->to));
		while ((word = strtok_r(NULL, " \n", &save)) && h->n < ADDRESSES_MAX) {
			struct sockaddr_in6 *a = &h->to[h->n++];
			char mapped[64];

			snprintf(mapped, sizeof(mapped), "%s%s", strchr(word, ':') ? "" : "::ffff:", word);
			a->sin6_family = AF_INET6;
			a->sin6_port = htons(port);
			if (inet_pton(AF_INET6, mapped, &a->sin6_addr) != 1)
				die(word);
		}
		widest = h->n > widest ? h->n : widest;
		h->fd = open_in(path);
		n_hosts++;
	}
	if (!(probe = calloc((size_t)n_hosts * n_hosts * widest + 1, sizeof(*probe))))
		die("memory");
}

static struct probe *
probe_of(const struct packet *p)
{
	return &probe[((size_t)p->from * n_hosts + p->to) * widest + p->address];
}

static long
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Takes one packet from a socket. */
static bool
take(const struct host *h)
{
	union { struct packet p; char bytes[9216]; } in;
	char control[256];
	struct iovec v = { &in, sizeof(in) };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control) };
	struct probe *x;
	ssize_t n = recvmsg(h->fd, &m, 0);

	if (n < 0)
		return false;
	if ((size_t)n < sizeof(in.p) || in.p.from >= n_hosts || in.p.to != (uint32_t)(h - host) ||
	    in.p.address >= h->n)
		return true;
	x = probe_of(&in.p);
	x->got++;
	n_got++;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		int value = 0;

		memcpy(&value, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0) < sizeof(value) ?
		       c->cmsg_len - CMSG_LEN(0) : sizeof(value));
		if (c->cmsg_type == IP_TTL || c->cmsg_type == IPV6_HOPLIMIT)
			x->hops = (uint8_t)(TTL - value);
		else if (c->cmsg_type == IP_TOS || c->cmsg_type == IPV6_TCLASS)
			x->dscp = (uint8_t)(value >> 2);
	}
	return true;
}

static void
take_all(void)
{
	for (unsigned i = 0; i < n_hosts; i++)
		while (take(&host[i]))
			;
}

/* Sends to every address once, or only to those from which nothing has come. */
static void
send_round(bool only_lost)
{
	static char out[9216];
	struct packet *p = (struct packet *)out;
	unsigned since = 0;

	for (p->address = 0; p->address < widest; p->address++)
		for (p->from = 0; p->from < n_hosts; p->from++)
			for (p->to = 0; p->to < n_hosts; p->to++) {
				const struct host *to = &host[p->to];

				if (p->from == p->to || p->address >= to->n || (only_lost && probe_of(p)->got))
					continue;
				probe_of(p)->sent++;
				n_sent++;
				if (sendto(host[p->from].fd, out, size, 0, (struct sockaddr *)&to->to[p->address],
					   sizeof(*to->to)) < 0)
					n_refused++;
				if (++since % 32 == 0)
					take_all();
			}
}

static void
settle(void)
{
	long quiet = now_ms();
	unsigned long before = n_got;

	while (now_ms() - quiet < QUIET_MS && n_got < n_sent) {
		take_all();
		if (n_got != before)
			quiet = now_ms();
		before = n_got;
		usleep(2000);
	}
}

/* Prints a count of probes by a byte of theirs. */
static void
print_by(const char *key, size_t field)
{
	unsigned long n[256] = { 0 };
	const char *comma = "";

	for (size_t i = 0; i < (size_t)n_hosts * n_hosts * widest; i++)
		if (probe[i].got)
			n[((const uint8_t *)&probe[i])[field]]++;
	printf(", \"%s\": {", key);
	for (unsigned v = 0; v < 256; v++)
		if (n[v]) {
			printf("%s\"%u\": %lu", comma, v, n[v]);
			comma = ", ";
		}
	printf("}");
}

static bool
is_lost(const struct probe *x, bool each)
{
	return each ? x->got < x->sent : x->sent && !x->got;
}

static unsigned long
print_lost(bool each)
{
	unsigned long pairs = 0, packets = 0;
	const char *comma = "";
	struct packet p;

	printf(", \"lost_list\": [");
	for (p.from = 0; p.from < n_hosts; p.from++)
		for (p.to = 0; p.to < n_hosts; p.to++)
			for (p.address = 0; p.address < widest; p.address++) {
				const struct probe *x = probe_of(&p);

				if (!is_lost(x, each))
					continue;
				packets += each ? x->sent - x->got : 1;
				if (pairs++ >= 1000)
					continue;
				printf("%s{\"from\": \"%s\", \"to\": \"%s\", \"address\": %u, \"packets\": %u}", comma,
				       host[p.from].name, host[p.to].name, p.address, x->sent - x->got);
				comma = ", ";
			}
	printf("], \"lost_pairs\": %lu, \"lost\": %lu", pairs, packets);
	return pairs;
}

int
main(int argc, char **argv)
{
	double seconds = 0;
	unsigned long rounds = 0, lost;
	long start;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seconds"))
			seconds = strtod(argv[i + 1], NULL);
		else if (!strcmp(argv[i], "--dscp"))
			dscp = atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--size"))
			size = strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--port"))
			port = (uint16_t)strtoul(argv[i + 1], NULL, 10);
	}
	if (size < sizeof(struct packet) || size > 9000)
		size = 64;
	read_hosts();
	start = now_ms();
	do {
		send_round(false);
		rounds++;
		if (!(rounds % 8))
			take_all();
	} while (seconds > 0 && now_ms() - start < (long)(seconds * 1000));
	settle();
	for (unsigned i = 1; !seconds && i < TRIES && n_got < n_sent; i++) {
		send_round(true);
		settle();
	}
	printf("{\"hosts\": %u, \"rounds\": %lu, \"sent\": %lu, \"received\": %lu, \"refused\": %lu", n_hosts,
	       rounds, n_sent, n_got, n_refused);
	print_by("hops", offsetof(struct probe, hops));
	print_by("dscp", offsetof(struct probe, dscp));
	lost = print_lost(seconds > 0);
	printf(", \"ms\": %ld}\n", now_ms() - start);
	return lost > 0;
}
