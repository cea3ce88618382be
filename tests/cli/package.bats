# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# package.bats - what the packages say agrees with the Makefile.  Nothing is built here;
# tests/package builds, installs and purges them.
load lib

DEB=$ROOT/packaging/debian

setup() { unset MAKEFLAGS MAKELEVEL MFLAGS; }

# var NAME [SETTING...]: prints a variable of the Makefile, as recipes see it.
var() {
	local name=$1
	shift
	make -sC "$ROOT" --no-print-directory --eval="show: ; @printf '%s\n' \"\$\$SHOWN\"" \
		--eval="export SHOWN = \$($name)" show "$@"
}

@test "Build-Depends are the packages of the Makefile, without those that Debian always has" {
	sed -n '/^Build-Depends:/,/^$/p' "$DEB/control" | sed '1d;s/^ *//;s/[ ,].*//' |
		grep -v '^debhelper-compat$\|^dh-sequence-\|^$' | sort >"$T/control"
	# The package build-essential, which need not be named, requires these.
	var BUILD_DEPS | tr ' ' '\n' | grep -v '^gcc$\|^libc6-dev$\|^$' | sort >"$T/makefile"
	diff "$T/makefile" "$T/control"
}

@test "the version stands in the Makefile; CHANGELOG, man pages and spec follow" {
	version=$(var VERSION)
	[ "$(sed -n 's/^## \([0-9.]*\), .*/\1/p' "$ROOT/CHANGELOG" | head -n 1)" = "$version" ]
	grep -Eqx "Version: +$version" "$ROOT/packaging/rpm/moore.spec"
	for page in "$ROOT"/docs/man/*; do
		grep -q "^\.TH .*\"moore $version\"" "$page" || { echo "$page: not version $version"; false; }
	done
	run -0 $M --version
	[ "$output" = "moorectl $version" ]
	grep -qx "Package: libmoore$(var SOVERSION)" "$DEB/control"
}

@test "the packages' changelog is made from CHANGELOG" {
	cat >"$T/CHANGELOG" <<-'END'
		# Changes

		- an item of the introduction is left out

		## 0.2.0, 2027-01-02

		- First item, which
		  goes on.
		- Second item.

		## 0.1.0, 2026-11-23

		- First version.
	END
	run -0 "$ROOT/packaging/changelog" -v revision=3 -v by='A B <a@b.org>' "$T/CHANGELOG"
	diff - <(echo "$output") <<-'END'
		moore (0.2.0-3) unstable; urgency=medium

		  * First item, which
		    goes on.
		  * Second item.

		 -- A B <a@b.org>  Sat, 02 Jan 2027 00:00:00 +0000

		moore (0.1.0-1) unstable; urgency=medium

		  * First version.

		 -- A B <a@b.org>  Mon, 23 Nov 2026 00:00:00 +0000
	END
	echo '## 0.3.0, soon' >"$T/CHANGELOG"
	run -1 "$ROOT/packaging/changelog" -v revision=1 -v by=x "$T/CHANGELOG"
	[[ $output == *"line 1: no date: ## 0.3.0, soon"* ]]
	# Lines of a Debian changelog have at most 80 columns.
	! "$ROOT/packaging/changelog" -v revision=1 -v by=x "$ROOT/CHANGELOG" | grep -E '.{81}'
}

@test "every file that make install copies is in one package, or is left out for a reason" {
	var INSTALLED PREFIX=/usr LIBDIR=/usr/lib/triplet SYSCONFDIR=/etc UNITDIR=/lib/systemd/system |
		while read -r mode target files; do
			for f in $files; do
				case $target in */) echo "$target${f##*/}" ;; *) echo "$target" ;; esac
			done
		done >"$T/installed"
	[ "$(wc -l <"$T/installed")" -gt 50 ]
	while read -r file; do
		n=0
		while read -r pattern _; do
			[[ $file != /$pattern && $file != /$pattern/* ]] || n=$((n + 1))
		done < <(cat "$DEB"/*.install "$DEB/not-installed" | grep -v '^#')
		[ $n = 1 ] || echo "$file: $n packages"
	done <"$T/installed" | tee "$T/wrong"
	[ ! -s "$T/wrong" ]
}

@test "the RPM spec names every file that make install copies" {
	var INSTALLED PREFIX=%{_prefix} LIBDIR=%{_libdir} SYSCONFDIR=%{_sysconfdir} UNITDIR=%{_unitdir} |
		while read -r mode target files; do
			for f in $files; do
				case $target in */) echo "$target${f##*/}" ;; *) echo "$target" ;; esac
			done
		done | sed -e 's|%{_prefix}/bin|%{_bindir}|' -e 's|%{_prefix}/sbin|%{_sbindir}|' \
			-e 's|%{_prefix}/include|%{_includedir}|' -e 's|%{_prefix}/share/man|%{_mandir}|' \
			-e 's|%{_prefix}/share/doc|%{_docdir}|' -e 's|%{_prefix}/share|%{_datadir}|' \
			-e 's|%{_prefix}/lib/udev/rules.d|%{_udevrulesdir}|' \
			-e 's|%{_prefix}/lib/sysusers.d|%{_sysusersdir}|' >"$T/installed"
	sed -n '/^%files/,/^%changelog/p' "$ROOT/packaging/rpm/moore.spec" | grep -v '^%dir' | grep -o '%{.*' >"$T/spec"
	while read -r file; do
		n=0
		while read -r pattern; do
			[[ $file != $pattern && $file != $pattern/* ]] || n=$((n + 1))
		done <"$T/spec"
		[ $n = 1 ] || echo "$file: $n packages"
	done <"$T/installed" | tee "$T/wrong"
	[ ! -s "$T/wrong" ]
}

@test "no script of the packages writes opensm.conf" {
	for f in "$DEB"/*.p*st* "$DEB"/*.pre* "$ROOT/packaging/make-deb"; do
		[ ! -e "$f" ] || sh -n "$f"
	done
	# A line that names the file prints a sentence about it, is a comment, or searches it.
	! grep -n 'opensm\.conf' "$DEB"/*.p*st* "$DEB"/*.pre* | grep -vE ":[0-9]+:(#|[[:blank:]]*echo '[^']*'$|if .*grep -qs)"
}
