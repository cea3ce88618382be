# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# rpm.bats - the syntax of the RPM spec.  Nothing is built, since this runs on Debian.
bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
T=$BATS_TEST_TMPDIR
SPEC=$ROOT/packaging/rpm/moore.spec

@test "rpmspec and rpmbuild read the spec, and the plugin requires the OpenSM of the headers" {
	command -v rpmspec || skip "rpm is not installed"
	run -0 rpmspec -P "$SPEC"
	version=$(sed -n 's/^#define OSM_VERSION "OpenSM \(.*\)"/\1/p' /usr/include/infiniband/opensm/osm_version.h)
	grep -Eqx "Requires: +opensm = $version" <<<"$output"
	mkdir -p "$T/SOURCES"
	unset MAKEFLAGS MAKELEVEL MFLAGS
	tar=$(make -sC "$ROOT" dist | tail -n 1)
	cp "$ROOT/$tar" "$T/SOURCES"
	run -0 rpmbuild --nobuild --nodeps -D "_topdir $T" "$SPEC"
}

@test "rpmlint finds nothing that has no reason" {
	command -v rpmlint || skip "rpmlint is not installed"
	run -0 rpmlint -c "$ROOT/packaging/rpm/rpmlint.toml" "$SPEC"
	[[ $output == *"0 errors, 0 warnings"* ]]
}
