# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# moore - one build.  Sources are found by folder: a new file needs no line here.
#
#   make            build the library, the OpenSM plugin and the tools
#   make demo       a Slim Fly on ibsim under the real OpenSM, as a story
#   make check      every test, bounded (make soak: the long campaigns)
#   make install    DESTDIR= PREFIX=
#
# SAN=1 builds with AddressSanitizer and UBSan, beside the plain build.

VERSION   := 0.1.0
SOVERSION := 0
PREFIX    ?= /usr/local
DESTDIR   ?=
LIBDIR    ?= $(PREFIX)/lib
SYSCONFDIR ?= $(if $(filter /usr,$(PREFIX)),/etc,$(PREFIX)/etc)
UNITDIR   ?= $(PREFIX)/lib/systemd/system

# make V=1 shows the commands.
Q       := $(if $(V),,@)
say      = @$(if $(V),:,echo '  $(1)')
CC      ?= cc
AR      ?= ar
B       := build$(if $(SAN),-san)
OPT     ?= -O2 -g
WARN    := -Wall -Wextra -Wconversion -Werror
CFLAGS  ?= $(OPT)
ifdef SAN
SANCC   := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
SANLD   := -fsanitize=address,undefined -static-libasan
endif
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE $(WARN) -fPIC -fvisibility=hidden -MMD -MP \
	$(CFLAGS) $(SANCC) \
	-DMOORE_VERSION='"$(VERSION)"' -DMOORE_SYSCONFDIR='"$(SYSCONFDIR)"' -Ilib/include -Ilib
OPENSM_CFLAGS := -isystem /usr/include/infiniband

LIB_SRC    := $(wildcard lib/*/*.c)
PLUGIN_SRC := $(wildcard opensm-plugin/*.c)
CLI_SRC    := $(wildcard cli/*.c)
DAEMON_SRC := $(wildcard daemon/*.c daemon/*/*.c)
UNIT_SRC   := $(wildcard tests/unit/test_*.c)
FUZZ_SRC   := $(wildcard tests/fuzz/fuzz_*.c)
SIM_SRC    := $(wildcard tests/sim/*.c)

LIB_OBJ    := $(LIB_SRC:%.c=$(B)/%.o)
PLUGIN_OBJ := $(PLUGIN_SRC:%.c=$(B)/%.o)
CLI_OBJ    := $(CLI_SRC:%.c=$(B)/%.o)
DAEMON_OBJ := $(DAEMON_SRC:%.c=$(B)/%.o)
# moored-still: moored with a fabric that stands still, for tests without one.
SCAN_OBJ   := $(filter $(B)/daemon/scan/%,$(DAEMON_OBJ))
STILL_OBJ  := $(filter-out $(SCAN_OBJ),$(DAEMON_OBJ)) $(B)/tests/daemon/still.o
UNIT_BIN   := $(UNIT_SRC:%.c=$(B)/%)
FUZZ_BIN   := $(FUZZ_SRC:%.c=$(B)/%)
SIM_BIN    := $(B)/tests/sim/creditsim

TARGETS := $(B)/libmoore.a $(B)/libmoore.so $(B)/libosmmoore.so $(B)/moorectl $(B)/moored

.PHONY: all deps demo check quick soak golden bench-scan bench-route bench-layers bench-stability bench-permute bench-isomorph bench-wire bench-rpc bench-place install clean
all: deps $(TARGETS)

# ---- packages: nothing happens when they are there --------------------------
BUILD_DEPS := gcc libc6-dev pkg-config libjansson-dev libopensm-dev libibumad-dev \
	libibmad-dev libibnetdisc-dev libibverbs-dev libevent-dev libsystemd-dev
TEST_DEPS  := opensm ibsim-utils infiniband-diags ibutils libcmocka-dev bats jq graphviz \
	python3 python3-jsonschema prometheus curl man-db systemd procps zsh libigraph-dev g++
deps:
	@etc/deps $(BUILD_DEPS)
test-deps:
	@etc/deps $(BUILD_DEPS) $(TEST_DEPS)

# ---- build -------------------------------------------------------------------
$(B)/opensm-plugin/%.o: opensm-plugin/%.c | deps
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(OPENSM_CFLAGS) -c -o $@ $<
$(B)/%.o: %.c | deps
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(B)/libmoore.a: $(LIB_OBJ)
	$(call say,AR $@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^
$(B)/libmoore.so: $(LIB_OBJ) lib/libmoore.map
	$(call say,LD $@)
	$(Q)$(CC) -shared $(SANLD) $(LDFLAGS) -Wl,-soname,libmoore.so.$(SOVERSION) \
		-Wl,--version-script=lib/libmoore.map -Wl,--no-undefined -o $@.$(VERSION) $(LIB_OBJ) -ljansson
	@ln -sf libmoore.so.$(VERSION) $(B)/libmoore.so.$(SOVERSION)
	@ln -sf libmoore.so.$(SOVERSION) $@
$(B)/libosmmoore.so: $(PLUGIN_OBJ) $(B)/libmoore.a opensm-plugin/libosmmoore.map
	$(call say,LD $@)
	$(Q)$(CC) -shared $(SANLD) $(LDFLAGS) -Wl,--version-script=opensm-plugin/libosmmoore.map \
		-o $@ $(PLUGIN_OBJ) $(B)/libmoore.a -ljansson
$(B)/moorectl: $(CLI_OBJ) $(B)/libmoore.a
	$(call say,LD $@)
	$(Q)$(CC) $(SANLD) $(LDFLAGS) -o $@ $^ -ljansson -ldl
DAEMON_LIBS := -levent -ljansson -lsystemd -libnetdisc -libmad -libumad -libverbs -lpthread -lm
$(DAEMON_OBJ) $(B)/tests/daemon/still.o $(B)/tests/bench/ports: private ALL_CFLAGS += -Idaemon
$(B)/moored: $(DAEMON_OBJ) $(B)/libmoore.a
	$(call say,LD $@)
	$(Q)$(CC) $(SANLD) $(LDFLAGS) -o $@ $^ $(DAEMON_LIBS)
$(B)/moored-still: $(STILL_OBJ) $(B)/libmoore.a
	$(call say,LD $@)
	$(Q)$(CC) $(SANLD) $(LDFLAGS) -o $@ $^ $(DAEMON_LIBS)

# ---- tests -------------------------------------------------------------------
$(B)/tests/unit/%: tests/unit/%.c $(B)/libmoore.a
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Ilib -Itests $(SANLD) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free -o $@ $< $(B)/libmoore.a -lcmocka -ljansson -lm $(LDLIBS)
$(B)/tests/fuzz/%: tests/fuzz/%.c tests/fuzz/driver.h $(B)/libmoore.a
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests $(SANLD) -o $@ $< $(B)/libmoore.a -ljansson -lm

# What of the daemon needs no loop, for its tests.
RPC_OBJ := $(addprefix $(B)/daemon/,rpc/rpc.o rpc/schema.o conf.o file.o watch/store.o)
# The daemon without its main() and without the threads that read the fabric.
$(B)/libmoored.a: $(filter-out $(B)/daemon/main.o $(SCAN_OBJ),$(DAEMON_OBJ))
	$(call say,AR $@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^
DAEMON_TESTS := $(addprefix $(B)/tests/unit/,test_log test_daemon)
$(DAEMON_TESTS): $(B)/tests/unit/%: tests/unit/%.c $(B)/libmoored.a $(B)/libmoore.a
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -I. -Idaemon -Itests $(SANLD) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free -o $@ $< $(B)/libmoored.a $(B)/libmoore.a -lcmocka $(DAEMON_LIBS)
$(B)/tests/unit/test_rpc $(B)/tests/unit/test_schema $(B)/tests/unit/test_store: $(B)/tests/unit/%: tests/unit/%.c $(RPC_OBJ) $(B)/libmoore.a
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -I. -Idaemon -Itests $(SANLD) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free -o $@ $< $(RPC_OBJ) $(B)/libmoore.a -lcmocka -ljansson -lm
# The plugin's objects with a fake of OpenSM's structures (tests/fake_opensm.h).
$(B)/tests/unit/test_plugin: tests/unit/test_plugin.c $(PLUGIN_OBJ) $(B)/libmoore.a
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(OPENSM_CFLAGS) -Itests $(SANLD) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free -o $@ $< $(PLUGIN_OBJ) $(B)/libmoore.a -lcmocka -ljansson -lm -losmcomp
$(B)/tests/fuzz/fuzz_rpc: tests/fuzz/fuzz_rpc.c tests/fuzz/driver.h $(RPC_OBJ) $(B)/libmoore.a
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -I. -Idaemon -Itests $(SANLD) -o $@ $< $(RPC_OBJ) $(B)/libmoore.a -ljansson -lm
# Parts of the scanner without a fabric: test_mad.c has a clock and a libibumad of its own.
$(B)/tests/unit/test_due: $(B)/daemon/scan/due.o
$(B)/tests/unit/test_mad: $(addprefix $(B)/daemon/scan/mad,.o _batch.o _packet.o _port.o)
$(B)/tests/unit/test_due $(B)/tests/unit/test_mad: $(B)/tests/unit/%: tests/unit/%.c $(B)/libmoore.a
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Idaemon -Itests $(SANLD) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free -o $@ $(filter %.c %.o,$^) $(B)/libmoore.a -lcmocka

# igraph as an outside judge: in tests, never in what is installed.
$(B)/tests/unit/test_isomorph $(B)/tests/unit/test_spectra $(B)/tests/bench/isomorph: private LDLIBS := -ligraph
$(B)/tests/bench/%: tests/bench/%.c $(B)/libmoore.a
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests $(SANLD) -o $@ $< $(B)/libmoore.a -ljansson -lm $(LDLIBS)

# The hashes of all tables, for tests/golden/compare.
$(B)/tests/golden/tables: tests/golden/tables.c tests/fabrics.h $(B)/libmoore.a
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests $(SANLD) -o $@ $< $(B)/libmoore.a -ljansson -lm

$(SIM_BIN): $(SIM_SRC) tests/sim/sim.h	# not linked to the library: it judges it
	$(call say,CC $(SIM_SRC))
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANLD) -o $@ $(SIM_SRC)

$(B)/tests/bench/ports: tests/bench/ports.c $(filter-out $(B)/daemon/main.o,$(DAEMON_OBJ)) $(B)/libmoore.a
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANLD) -o $@ $^ $(DAEMON_LIBS)

tests-bin: $(UNIT_BIN) $(FUZZ_BIN) $(SIM_BIN) $(B)/moored-still $(B)/tests/golden/tables

demo: test-deps all
	@tests/demo
check: test-deps all tests-bin
	@$(MAKE) --no-print-directory SAN=1 $(patsubst build/%,build-san/%,$(B)/moorectl $(B)/moored $(B)/libosmmoore.so) tests-bin
	@tests/run check
quick: test-deps all tests-bin	# the tests that need no fabric
	@tests/run quick
soak: test-deps all tests-bin
	@$(MAKE) --no-print-directory SAN=1 tests-bin
	@tests/run soak
golden:		# every answer and all tables, of -O0 and -O2, against the record
	@$(MAKE) --no-print-directory B=build-O0 OPT="-O0 -g" build-O0/tests/golden/tables
	@$(MAKE) --no-print-directory all tests-bin
	@tests/golden/both
bench-route: test-deps all $(B)/tests/bench/engine
	@$(B)/tests/bench/engine
	@tests/bench/route
bench-layers: test-deps all $(B)/tests/bench/layers
	@$(B)/tests/bench/layers
bench-stability: test-deps all $(B)/tests/bench/stability
	@$(B)/tests/bench/stability
	@tests/bench/cut
bench-rpc: test-deps all $(B)/moored-still
	@tests/bench/rpc
bench-scan: test-deps all $(B)/tests/bench/ports
	@tests/bench/scan
bench-permute: deps $(B)/tests/bench/permute
	@$(B)/tests/bench/permute
bench-place: test-deps all
	@tests/bench/place

bench-isomorph: test-deps $(B)/tests/bench/isomorph
	@$(B)/tests/bench/isomorph
bench-wire: all $(B)/tests/bench/wire
	@$(B)/tests/bench/wire

# ---- install -------------------------------------------------------------------
install: all
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/bin \
		$(DESTDIR)$(PREFIX)/include/moore $(DESTDIR)$(SYSCONFDIR)/moore \
		$(DESTDIR)$(UNITDIR)/opensm.service.d $(DESTDIR)$(UNITDIR)/opensm@.service.d \
		$(DESTDIR)$(PREFIX)/sbin $(DESTDIR)$(PREFIX)/lib/udev/rules.d \
		$(DESTDIR)$(PREFIX)/lib/sysusers.d $(DESTDIR)$(PREFIX)/share/man/man1 \
		$(DESTDIR)$(PREFIX)/share/man/man5 $(DESTDIR)$(PREFIX)/share/man/man8 \
		$(DESTDIR)$(PREFIX)/share/doc/moore
	install -m 644 $(B)/libmoore.a $(DESTDIR)$(LIBDIR)
	install -m 755 $(B)/libmoore.so.$(VERSION) $(B)/libosmmoore.so $(DESTDIR)$(LIBDIR)
	ln -sf libmoore.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libmoore.so.$(SOVERSION)
	ln -sf libmoore.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libmoore.so
	install -m 755 $(B)/moorectl $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(B)/moored $(DESTDIR)$(PREFIX)/sbin
	install -m 644 lib/include/moore/*.h $(DESTDIR)$(PREFIX)/include/moore
	sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@LIBDIR@|$(LIBDIR)|g' -e 's|@VERSION@|$(VERSION)|g' \
		lib/moore.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/moore.pc
	$(B)/moorectl conf > $(DESTDIR)$(SYSCONFDIR)/moore/moore.conf.default
	test -e $(DESTDIR)$(SYSCONFDIR)/moore/moore.conf || \
		cp $(DESTDIR)$(SYSCONFDIR)/moore/moore.conf.default $(DESTDIR)$(SYSCONFDIR)/moore/moore.conf
	sed -e 's|@SYSCONFDIR@|$(SYSCONFDIR)|g' etc/opensm.conf > $(DESTDIR)$(SYSCONFDIR)/moore/opensm.conf
	sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@LIBDIR@|$(LIBDIR)|g' systemd/opensm.service.d/moore.conf \
		> $(DESTDIR)$(UNITDIR)/opensm.service.d/moore.conf
	cp $(DESTDIR)$(UNITDIR)/opensm.service.d/moore.conf $(DESTDIR)$(UNITDIR)/opensm@.service.d/
	$(B)/moored --print-config > $(DESTDIR)$(SYSCONFDIR)/moore/moored.conf.default
	test -e $(DESTDIR)$(SYSCONFDIR)/moore/moored.conf || \
		cp $(DESTDIR)$(SYSCONFDIR)/moore/moored.conf.default $(DESTDIR)$(SYSCONFDIR)/moore/moored.conf
	sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@SYSCONFDIR@|$(SYSCONFDIR)|g' systemd/moored.service \
		> $(DESTDIR)$(UNITDIR)/moored.service
	install -m 644 systemd/moored.socket systemd/moored-sweep.socket $(DESTDIR)$(UNITDIR)
	install -m 644 systemd/90-moored.rules $(DESTDIR)$(PREFIX)/lib/udev/rules.d
	install -m 644 systemd/moored.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/moored.conf
	install -m 644 docs/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 docs/man/*.5 $(DESTDIR)$(PREFIX)/share/man/man5
	install -m 644 docs/man/*.8 $(DESTDIR)$(PREFIX)/share/man/man8
	install -m 644 etc/moore.rules.yml $(DESTDIR)$(SYSCONFDIR)/moore
	install -D -m 644 etc/moorectl.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/moorectl
	install -D -m 644 etc/moorectl.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_moorectl
	install -m 644 README.md LICENSE docs/*.md docs/*.json $(DESTDIR)$(PREFIX)/share/doc/moore

clean:
	rm -rf build build-san

-include $(LIB_OBJ:.o=.d) $(PLUGIN_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(DAEMON_OBJ:.o=.d) $(STILL_OBJ:.o=.d) $(UNIT_BIN:=.d) $(FUZZ_BIN:=.d) $(SIM_BIN:=.d)
