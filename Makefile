# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# moore - one build.  Sources are found by folder, so a new file needs no line here.
# `make help` lists the targets; each of them has its line of help after two #.

VERSION   := 0.1.0
SOVERSION := 0
PREFIX    ?= /usr/local
DESTDIR   ?=
LIBDIR    ?= $(PREFIX)/lib
SYSCONFDIR ?= $(if $(filter /usr,$(PREFIX)),/etc,$(PREFIX)/etc)
UNITDIR   ?= $(PREFIX)/lib/systemd/system

Q       := $(if $(V),,@)
say      = @$(if $(V),:,echo '  $(1)')
CC      ?= cc
AR      ?= ar
OBJCOPY ?= objcopy
# OPENSM=PREFIX: another OpenSM than Debian's; its build goes into a folder of its own.
OPENSM_AT := $(abspath $(or $(OPENSM),/usr))
B       := build$(if $(OPENSM),-opensm)$(if $(SAN),-san)$(if $(TSAN),-tsan)
OPT     ?= -O2 -g
WARN    := -Wall -Wextra -Wconversion -Werror
CFLAGS  ?= $(OPT)
ifdef SAN
SANCC   := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
SANLD   := -fsanitize=address,undefined -static-libasan
else ifdef TSAN
SANCC   := -fsanitize=thread -fno-omit-frame-pointer
SANLD   := -fsanitize=thread
else
NO_UNDEFINED := -Wl,--no-undefined	# a sanitized library finds its runtime in the program
endif
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE $(WARN) -fPIC -fvisibility=hidden -MMD -MP \
	$(CFLAGS) $(SANCC) -DMOORE_VERSION='"$(VERSION)"' -Ilib/include
OPENSM_CFLAGS := -isystem $(OPENSM_AT)/include/infiniband
OPENSM_LIBS := $(if $(OPENSM),$(foreach d,lib lib64,-L$(OPENSM_AT)/$d -Wl,-rpath,$(OPENSM_AT)/$d)) -losmcomp
ifneq ($(OPENSM),)
ifeq ($(wildcard $(OPENSM_AT)/include/infiniband/opensm/osm_version.h),)
$(error OPENSM=$(OPENSM): no OpenSM is installed there: include/infiniband/opensm/osm_version.h is missing)
endif
endif

LIB_SRC    := $(wildcard lib/*/*.c lib/*/*/*.c)
PLUGIN_SRC := $(wildcard opensm-plugin/*.c)
CLI_SRC    := $(wildcard cli/*.c cli/*/*.c)
DAEMON_SRC := $(wildcard daemon/*.c daemon/*/*.c)
UNIT_SRC   := $(wildcard tests/unit/test_*.c)
FUZZ_SRC   := $(wildcard tests/fuzz/fuzz_*.c)
BENCH_SRC  := $(wildcard tests/bench/*.c)
SIM_SRC    := $(wildcard tests/sim/*.c)

LIB_OBJ    := $(LIB_SRC:%.c=$(B)/%.o)
PLUGIN_OBJ := $(PLUGIN_SRC:%.c=$(B)/%.o)
SHARED_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard threads/*.c))	# by the adapters
CLI_OBJ    := $(CLI_SRC:%.c=$(B)/%.o)
DAEMON_OBJ := $(DAEMON_SRC:%.c=$(B)/%.o)
# moored-still: moored without devices, on a fabric that does not change, for tests.
SCAN_OBJ   := $(filter $(B)/daemon/scan/%,$(DAEMON_OBJ))
STILL_OBJ  := $(filter-out $(filter-out %/ether_net.o,$(SCAN_OBJ)),$(DAEMON_OBJ)) $(B)/tests/daemon/still.o
# These name folders of the installation.
CONF_SRC   := $(shell grep -rlE 'MOORE_(SYSCONF|LIB)DIR' --include='*.c' cli daemon opensm-plugin tests/unit)
CONF_OBJ   := $(patsubst %.c,$(B)/%.o,$(filter-out tests/%,$(CONF_SRC))) \
	$(patsubst %.c,$(B)/%,$(filter tests/%,$(CONF_SRC)))
UNIT_BIN   := $(UNIT_SRC:%.c=$(B)/%)
FUZZ_BIN   := $(FUZZ_SRC:%.c=$(B)/%)
BENCH_BIN  := $(BENCH_SRC:%.c=$(B)/%)
SIM_BIN    := $(B)/tests/sim/creditsim
PINGS_BIN  := $(B)/tests/ether/pings

PROGRAMS  := $(B)/export/libmoore.a $(B)/libmoore.so $(B)/libosmmoore.so $(B)/moorectl $(B)/moored
# Texts in which folders are named: @PREFIX@, @LIBDIR@, @SYSCONFDIR@, @VERSION@.
TEMPLATES := $(addprefix $(B)/,lib/moore.pc etc/opensm.conf systemd/moored.service \
	systemd/opensm.service.d/moore.conf)
DEFAULTS  := $(B)/etc/moore.conf $(B)/etc/moored.conf

.PHONY: all help packages test-packages deps test-deps tests-bin test quick check soak golden reproduce coverage mutants words demo demo-ethernet \
	install uninstall dist deb deb-packages soak-packages clean FORCE
.DELETE_ON_ERROR:

all: $(PROGRAMS) $(TEMPLATES) $(DEFAULTS) $(B)/opensm	## build the library, the OpenSM plugin and the tools

help:		## list the targets
	@awk -F'## ' '/^[a-z-]+:.*## / { sub(/:.*/, "", $$1); printf "  make %-16s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo '  PREFIX= ($(PREFIX))  LIBDIR= ($(LIBDIR))  SYSCONFDIR= ($(SYSCONFDIR))  DESTDIR=  CC=  CFLAGS='
	@echo '  SAN=1 builds with AddressSanitizer and UBSan into build-san, TSAN=1 with ThreadSanitizer'
	@echo '  into build-tsan; V=1 shows the commands'
	@echo '  OPENSM=PREFIX builds and tests with the OpenSM installed there, into build-opensm'

# ---- Debian packages: missing ones are named, and installed only for the goals below ----------
BUILD_DEPS := gcc libc6-dev pkg-config libjansson-dev libopensm-dev libibumad-dev \
	libibmad-dev libibnetdisc-dev libibverbs-dev libevent-dev libsystemd-dev \
	libarpack2-dev libmetis-dev
TEST_DEPS  := opensm ibsim-utils infiniband-diags ibutils libcmocka-dev bats jq graphviz \
	python3 python3-jsonschema python3-yaml prometheus curl man-db systemd procps zsh libigraph-dev g++ \
	iproute2 lldpd nftables traceroute frr chromium libjs-chart.js poppler-utils \
	slurmctld slurmd slurm-client munge mmdebstrap systemd-container
DEB_DEPS   := debhelper dpkg-dev
SOAK_DEPS  := $(DEB_DEPS) lintian rpm rpmlint
MAY_INSTALL := $(filter deps test-deps demo demo-ethernet quick check soak,$(MAKECMDGOALS))

packages:
	@etc/deps $(if $(MAY_INSTALL),install,name) $(BUILD_DEPS)
test-packages: packages
	@etc/deps $(if $(MAY_INSTALL),install,name) $(TEST_DEPS)
deb-packages: packages
	@etc/deps name $(DEB_DEPS)
soak-packages: test-packages
	@etc/deps $(if $(MAY_INSTALL),install,name) $(SOAK_DEPS)
deps: packages			## install the Debian packages that the build needs (as root)
test-deps: test-packages	## install what the tests need, too

# ---- build ------------------------------------------------------------------------------------
# Three files hold settings.  Each is written when its text changes, and what depends on it
# is then built again: after another CFLAGS, for instance, or another PREFIX.  The tests read
# from the file opensm which OpenSM to run.
FLAGS := $(strip $(CC) : $(AR) : $(ALL_CFLAGS) : $(OPENSM_CFLAGS) : $(SANLD) $(LDFLAGS))
PATHS := $(PREFIX) $(LIBDIR) $(SYSCONFDIR)
ifneq ($(FLAGS),$(file <$(B)/flags))
$(B)/flags: FORCE
endif
ifneq ($(PATHS),$(file <$(B)/paths))
$(B)/paths: FORCE
endif
ifneq ($(OPENSM_AT),$(file <$(B)/opensm))
$(B)/opensm: FORCE
endif
$(B)/flags: TEXT = $(FLAGS)
$(B)/paths: TEXT = $(PATHS)
$(B)/opensm: TEXT = $(OPENSM_AT)
$(B)/flags $(B)/paths $(B)/opensm: | packages
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(TEXT))' >$@

$(B)/daemon/page/files.o: $(filter-out %.c %.h,$(wildcard daemon/page/*))	# which it holds
$(B)/%.o: %.c $(B)/flags
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(CONF_OBJ): $(B)/paths
$(CONF_OBJ): private ALL_CFLAGS += -DMOORE_SYSCONFDIR='"$(SYSCONFDIR)"' -DMOORE_LIBDIR='"$(LIBDIR)"'
$(PLUGIN_OBJ): private ALL_CFLAGS += $(OPENSM_CFLAGS)
$(DAEMON_OBJ) $(B)/tests/daemon/still.o $(B)/tests/bench/ports: private ALL_CFLAGS += -Idaemon
# Adapters include the public headers alone, and that of threads/.
$(LIB_OBJ): private ALL_CFLAGS += -Ilib
$(CLI_OBJ): private ALL_CFLAGS += -Icli
$(PLUGIN_OBJ) $(CLI_OBJ) $(DAEMON_OBJ) $(B)/tests/daemon/still.o: private ALL_CFLAGS += -Ithreads

$(B)/libmoore.a: $(LIB_OBJ)
$(B)/libshared.a: $(SHARED_OBJ)
$(B)/libmoored.a: $(filter-out $(B)/daemon/main.o $(SCAN_OBJ),$(DAEMON_OBJ))	# for tests
$(B)/libmoore.a $(B)/libshared.a $(B)/libmoored.a:
	$(call say,AR $@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^
# As installed: one object, in which the functions that no public header declares are local.
$(B)/export/libmoore.a: $(LIB_OBJ)
	$(call say,AR $@)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(LD) -r -o $(@D)/moore.o $^ && $(OBJCOPY) --localize-hidden $(@D)/moore.o
	$(Q)$(AR) rcs $@ $(@D)/moore.o
$(B)/libmoore.so: $(LIB_OBJ) lib/libmoore.map
	$(call say,LD $@)
	$(Q)$(CC) -shared $(SANLD) $(LDFLAGS) -Wl,-soname,libmoore.so.$(SOVERSION) \
		-Wl,--version-script=lib/libmoore.map $(NO_UNDEFINED) -o $@.$(VERSION) $(LIB_OBJ) -ljansson
	@ln -sf libmoore.so.$(VERSION) $(B)/libmoore.so.$(SOVERSION)
	@ln -sf libmoore.so.$(SOVERSION) $@
$(B)/libosmmoore.so: $(PLUGIN_OBJ) $(B)/libshared.a $(B)/libmoore.a opensm-plugin/libosmmoore.map
	$(call say,LD $@)
	$(Q)$(CC) -shared $(SANLD) $(LDFLAGS) -Wl,--version-script=opensm-plugin/libosmmoore.map \
		-o $@ $(PLUGIN_OBJ) $(B)/libshared.a $(B)/libmoore.a -ljansson
$(B)/moorectl: $(CLI_OBJ) $(B)/libshared.a $(B)/libmoore.a
	$(call say,LD $@)
	$(Q)$(CC) $(SANLD) $(LDFLAGS) -o $@ $^ -ljansson -larpack -lmetis -lm -ldl
DAEMON_LIBS := -levent -ljansson -lsystemd -libnetdisc -libmad -libumad -libverbs -lpthread -lm
$(B)/moored: $(DAEMON_OBJ) $(B)/libshared.a $(B)/libmoore.a
$(B)/moored-still: $(STILL_OBJ) $(B)/libshared.a $(B)/libmoore.a
$(B)/moored $(B)/moored-still:
	$(call say,LD $@)
	$(Q)$(CC) $(SANLD) $(LDFLAGS) -o $@ $^ $(DAEMON_LIBS)

$(TEMPLATES): $(B)/%: % $(B)/paths
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@LIBDIR@|$(LIBDIR)|g' -e 's|@VERSION@|$(VERSION)|g' \
		-e 's|@SYSCONFDIR@|$(SYSCONFDIR)|g' $< >$@
$(B)/etc/moore.conf: $(B)/moorectl
	@mkdir -p $(@D)
	@$< conf >$@
$(B)/etc/moored.conf: $(B)/moored
	@mkdir -p $(@D)
	@$< --print-config >$@

# ---- tests ------------------------------------------------------------------------------------
# A test program is one file; it is linked with the objects and libraries that a line adds.
$(B)/tests/%: tests/%.c $(B)/flags $(B)/libshared.a $(B)/libmoore.a | test-packages
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Ilib -Itests -Ithreads $(SANLD) -o $@ $< $(filter %.o %moored.a,$^) \
		$(B)/libshared.a $(B)/libmoore.a $(LDLIBS) -ljansson -lm
# Memory that runs out on demand (tests/harness.h), and cmocka.
$(UNIT_BIN): private ALL_CFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
$(UNIT_BIN): private LDLIBS += -lcmocka
# igraph judges from outside: only tests link it, nothing that is installed.
$(B)/tests/unit/test_isomorph $(B)/tests/unit/test_spectra $(B)/tests/bench/isomorph: private LDLIBS += -ligraph
# The daemon without main() and without the threads that read the fabric.
DAEMON_TESTS := $(addprefix $(B)/tests/,unit/test_rpc unit/test_schema unit/test_store unit/test_log \
	unit/test_daemon unit/test_loop unit/test_state \
	fuzz/fuzz_rpc)
$(DAEMON_TESTS): $(B)/libmoored.a
$(DAEMON_TESTS): private LDLIBS += $(DAEMON_LIBS)
# Parts of the scanner without a fabric: test_mad.c has a clock and a libibumad of its own.
SCAN_TESTS := $(addprefix $(B)/tests/unit/,test_due test_mad test_observed test_managers)
# moorectl without main().
CLI_TESTS := $(B)/tests/fuzz/fuzz_campaign
$(CLI_TESTS): $(filter-out $(B)/cli/main.o,$(CLI_OBJ))
$(CLI_TESTS): private ALL_CFLAGS += -Icli
$(CLI_TESTS): private LDLIBS += -larpack -lmetis -ldl
HTTP_TESTS := $(addprefix $(B)/tests/,unit/test_http fuzz/fuzz_http)
$(HTTP_TESTS): $(B)/daemon/http/head.o
$(B)/tests/unit/test_due: $(B)/daemon/scan/due.o
$(B)/tests/unit/test_managers: $(B)/daemon/watch/managers.o
$(B)/tests/unit/test_mad: $(addprefix $(B)/daemon/scan/mad,.o _batch.o _packet.o _port.o)
$(B)/tests/unit/test_observed: $(addprefix $(B)/daemon/,scan/seen.o scan/observed.o scan/attr.o snapshot.o)
$(B)/tests/unit/test_observed: private LDLIBS += -libmad
$(DAEMON_TESTS) $(SCAN_TESTS) $(HTTP_TESTS): private ALL_CFLAGS += -I. -Idaemon
# The plugin, with a fake of OpenSM's structures (tests/fake_opensm.h).
PLUGIN_TESTS := $(addprefix $(B)/tests/unit/,test_plugin test_held test_held_lanes test_kept test_sequence)
$(PLUGIN_TESTS): $(PLUGIN_OBJ)
$(PLUGIN_TESTS): private ALL_CFLAGS += $(OPENSM_CFLAGS)
$(PLUGIN_TESTS): private LDLIBS += $(OPENSM_LIBS)
$(B)/tests/unit/test_lastgood: $(addprefix $(B)/opensm-plugin/,guid.o lastgood.o)
$(B)/tests/bench/ports: $(filter-out $(B)/daemon/main.o,$(DAEMON_OBJ))
# In test_drain a person writes between any two steps.
$(B)/tests/unit/test_drain: private ALL_CFLAGS += -Wl,--wrap=renameat2
# Real threads; in test_threads their creation fails on demand.
$(B)/tests/unit/test_threads: private ALL_CFLAGS += -Wl,--wrap=pthread_create
$(B)/tests/bench/ports: private LDLIBS += $(DAEMON_LIBS)
$(SIM_BIN): $(SIM_SRC) $(B)/flags | test-packages	# judges the library, so it is not linked with it
	$(call say,CC $(SIM_SRC))
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANLD) -o $@ $(SIM_SRC)

$(PINGS_BIN): tests/ether/pings.c $(B)/flags
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANLD) -o $@ $<

BATS_BIN := $(SIM_BIN) $(PINGS_BIN) $(B)/moored-still $(B)/tests/golden/tables	# .bats files call them
tests-bin: $(UNIT_BIN) $(FUZZ_BIN) $(BATS_BIN)

# The program that T names, or all that a .bats file may call.
T_NAME := $(firstword $(subst :, ,$(T)))
T_NEEDS := $(or $(patsubst %,$(B)/tests/unit/%,$(filter test_%,$(T_NAME))),\
	$(patsubst %,$(B)/tests/fuzz/%,$(filter fuzz_%,$(T_NAME))),all $(BATS_BIN))
test: test-packages $(T_NEEDS)	## one test: T=test_route, T=test_route:layers, T=tests/cli/topo.bats
	@MOORE_BUILD=$(abspath $(B)) tests/run one '$(T)'
quick: test-packages all tests-bin	## the tests that need no fabric
	@MOORE_BUILD=$(abspath $(B)) tests/run quick
# Without -j the builds with sanitizers take all processors, as the tests do.
ALL_CORES = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))
check: test-packages all tests-bin	## every test, bounded
	@$(MAKE) --no-print-directory $(ALL_CORES) SAN=1 $(addprefix $(B)-san/,moorectl moored libosmmoore.so opensm) tests-bin
	@$(MAKE) --no-print-directory $(ALL_CORES) TSAN=1 $(addprefix $(B)-tsan/tests/unit/,test_jobs test_threads)
	@MOORE_BUILD=$(abspath $(B)) tests/run check
soak: soak-packages all tests-bin	## the long campaigns
	@$(MAKE) --no-print-directory $(ALL_CORES) SAN=1 tests-bin
	@MOORE_BUILD=$(abspath $(B)) tests/run soak
golden:		## every answer and all tables, of -O0 and -O2, against the record
	@$(MAKE) --no-print-directory B=build-O0 OPT="-O0 -g" build-O0/tests/golden/tables
	@$(MAKE) --no-print-directory all tests-bin
	@tests/golden/both
coverage:	## the share of lines and branches that the tests run, file by file
	@$(MAKE) --no-print-directory B=build-cov OPT="-O0 -g" CC="$(CC) --coverage" all tests-bin
	@tests/coverage
mutants: all tests-bin	## do the tests notice a changed line? goes on where it was
	@for d in lib/lane lib/motion lib/engine opensm-plugin; do tests/mutants $$d $(MUTANTS) || exit 1; done
reproduce: all		## the papers' values beside ours, into docs/reproduction.md; goes on where it was
	@MOORE_BUILD=$(abspath $(B)) tests/reproduce/reproduce
words:		## comments without a verb, and those that call a thing who
	@tests/words
demo-ethernet: test-packages all $(PINGS_BIN)	## a Slim Fly of Ethernet switches in network namespaces, as a story
	@MOORE_BUILD=$(abspath $(B)) tests/demo-ethernet
demo: test-packages all		## a Slim Fly on ibsim under the real OpenSM, as a story
	@tests/demo

# ---- measurements: a program of tests/bench, a script of tests/bench, or both ------------------
BENCHES := route layers stability rpc page scan permute place isomorph wire ether lldp detect booksim
.PHONY: $(BENCHES:%=bench-%)
$(BENCHES:%=bench-%): bench-%: test-packages all
bench-route: $(B)/tests/bench/engine	## the engine beside OpenSM's own
	@$(B)/tests/bench/engine
	@tests/bench/route
bench-motion: $(B)/tests/bench/motion	## the steps of cuts and repairs
	@tests/bench/motion-all
bench-layers: $(B)/tests/bench/layers	## what the paths of LMC 2 are worth (long)
	@$(B)/tests/bench/layers
bench-stability: $(B)/tests/bench/stability	## what one lost link changes
	@$(B)/tests/bench/stability
	@tests/bench/cut
bench-rpc: $(B)/moored-still	## answers of moored: how many, how fast
	@tests/bench/rpc
bench-page: $(B)/moored-still	## the web page: first paint, and the cost of updates
	@tests/bench/page
bench-scan: $(B)/tests/bench/ports	## moored's scan of a large fabric
	@tests/bench/scan
bench-permute: $(B)/tests/bench/permute	## permuted links: the curves of the paper's figures
	@$(B)/tests/bench/permute
bench-place:			## lengths of cable beside the bounds
	@tests/bench/place
bench-isomorph: $(B)/tests/bench/isomorph	## matching of graphs beside igraph
	@$(B)/tests/bench/isomorph
bench-detect:			## how long a cut Ethernet cable goes unnoticed
	@tests/bench/detect
bench-ether:			## an Ethernet network of a million hosts (long)
	@tests/bench/ether
bench-lldp:			## finding a fabric of 1,058 switches from what they report
	@tests/bench/lldp
bench-booksim:			## simulate beside BookSim2, whose source tree is BOOKSIM
	@MOORE_BUILD=$(abspath $(B)) tests/bench/booksim $(BOOKSIM)
bench-wire: $(B)/tests/bench/wire	## checking 40,000 cables
	@$(B)/tests/bench/wire

# ---- install ----------------------------------------------------------------------------------
# Lines "MODE TARGET FILE..."; a TARGET that ends in / is a folder.  MODE link copies a
# symbolic link; conf keeps a file that is there, and writes FILE beside it as TARGET.default.
DOC := $(PREFIX)/share/doc/moore
MAN := $(PREFIX)/share/man
define INSTALLED
755 $(PREFIX)/bin/ $(B)/moorectl
755 $(PREFIX)/sbin/ $(B)/moored
755 $(LIBDIR)/ $(B)/libmoore.so.$(VERSION) $(B)/libosmmoore.so
link $(LIBDIR)/ $(B)/libmoore.so.$(SOVERSION) $(B)/libmoore.so
644 $(LIBDIR)/ $(B)/export/libmoore.a
644 $(LIBDIR)/pkgconfig/ $(B)/lib/moore.pc
644 $(PREFIX)/include/moore/ $(wildcard lib/include/moore/*.h)
conf $(SYSCONFDIR)/moore/moore.conf $(B)/etc/moore.conf
conf $(SYSCONFDIR)/moore/moored.conf $(B)/etc/moored.conf
644 $(SYSCONFDIR)/moore/ $(B)/etc/opensm.conf etc/moore.rules.yml etc/moore.dashboard.json
644 $(UNITDIR)/ $(B)/systemd/moored.service systemd/moored.socket systemd/moored-sweep.socket
644 $(UNITDIR)/opensm.service.d/ $(B)/systemd/opensm.service.d/moore.conf
644 $(UNITDIR)/opensm@.service.d/ $(B)/systemd/opensm.service.d/moore.conf
644 $(PREFIX)/lib/udev/rules.d/ systemd/90-moored.rules
644 $(PREFIX)/lib/sysusers.d/moored.conf systemd/moored.sysusers
644 $(PREFIX)/share/bash-completion/completions/moorectl etc/moorectl.bash
644 $(PREFIX)/share/zsh/site-functions/_moorectl etc/moorectl.zsh
644 $(MAN)/man1/ $(wildcard docs/man/*.1)
644 $(MAN)/man5/ $(wildcard docs/man/*.5)
644 $(MAN)/man8/ $(wildcard docs/man/*.8)
644 $(DOC)/ README.md LICENSE $(wildcard docs/*.md docs/*.json)
644 $(DOC)/guide/ $(wildcard docs/guide/*.md)
644 $(DOC)/measurements/ $(wildcard docs/measurements/*.md)
endef
export INSTALLED

install: all	## copy to DESTDIR/PREFIX, and say what to run next
	@DESTDIR='$(DESTDIR)' etc/install install
uninstall:	## remove what install put there, except configurations that were changed
	@DESTDIR='$(DESTDIR)' etc/install uninstall

dist:		## the last commit as build/moore-VERSION.tar.gz, the same bytes each time
	@mkdir -p build
	@git diff --quiet HEAD || echo 'dist: changes that are not committed are left out'
	@git -c tar.umask=0022 archive --prefix=moore-$(VERSION)/ HEAD | gzip -9n >build/moore-$(VERSION).tar.gz
	@echo build/moore-$(VERSION).tar.gz

deb: deb-packages dist	## build the Debian packages of the last commit, into build/deb
	@CC='$(CC)' packaging/make-deb build/moore-$(VERSION).tar.gz $(VERSION) build/deb

clean:		## remove what was built
	rm -rf build build-*

-include $(LIB_OBJ:.o=.d) $(PLUGIN_OBJ:.o=.d) $(SHARED_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(DAEMON_OBJ:.o=.d) $(STILL_OBJ:.o=.d) \
	$(UNIT_BIN:=.d) $(FUZZ_BIN:=.d) $(BENCH_BIN:=.d) $(SIM_BIN:=.d) $(B)/tests/golden/tables.d
