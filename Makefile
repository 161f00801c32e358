# make help   shows what there is to make

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
UNITDIR = $(PREFIX)/lib/systemd
SYSUSERSDIR = $(PREFIX)/lib/sysusers.d
UDEVRULESDIR = $(PREFIX)/lib/udev/rules.d

SHELL = /bin/bash
SWIFT ?= swift
export SWIFT
# GStreamer's pkg-config file says -pthread, which SwiftPM doesn't pass on and needn't: the message is noise.
QUIETLY = 2> >(sed -u '/prohibited flag(s): -pthread/d' >&2)
CHECKED = -Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error
# The Swift runtime is linked in: the programs run where there is no toolchain.
RELEASE = -c release --static-swift-stdlib $(CHECKED)
SCRIPTS = .ci/run $(filter-out %.md,$(wildcard Tests/Rig/*))

# The independent client's package is in an environment of its own where the system has none.
export PATH := $(CURDIR)/build/python/bin:$(PATH)

.PHONY: build help dependencies demo test test-devices bench lint install clean
.DEFAULT_GOAL := build

build: ## the daemon and its client, in .build/release
	@Tests/Rig/dependencies --check build
	$(SWIFT) build $(RELEASE) --product camd $(QUIETLY)
	$(SWIFT) build $(RELEASE) --product camctl $(QUIETLY)
	$(SWIFT) build $(RELEASE) --product camd-gpsd $(QUIETLY)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1 \t/p' Makefile | expand -t 16

dependencies: ## install what building and testing need
	@Tests/Rig/dependencies test

demo: ## a photo and a movie with sound, taken by the daemon, in build/demo
	@Tests/Rig/dependencies demo
	@$(MAKE) --no-print-directory build
	@Tests/Rig/demo

# One after the other: side by side, tests that wait for a tool or a socket would take each other's threads.
TESTS = $(patsubst Tests/%/,%,$(wildcard Tests/*Tests/))

test: ## all tests
	@Tests/Rig/dependencies test
	$(SWIFT) build --build-tests $(CHECKED) $(QUIETLY)
	@failed=; for target in $(TESTS); do echo "== $$target"; \
	  $(SWIFT) test --skip-build --disable-xctest --filter "^$$target\\." $(CHECKED) $(QUIETLY) || failed+=" $$target"; done; \
	  [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

# Steps of Tests/Rig/hotplug; all where none are named.
HOTPLUG ?=
test-devices: ## the installed service with real cameras and microphones, in a virtual machine; a desktop's (HOTPLUG="...")
	@Tests/Rig/dependencies devices
	@$(MAKE) --no-print-directory build
	@Tests/Rig/pipewire
	@Tests/Rig/devices
	@Tests/Rig/hotplug $(HOTPLUG)

bench: ## the figures to reach, measured here (BENCH_SECONDS=60)
	@Tests/Rig/dependencies test
	@$(MAKE) --no-print-directory build
	@Tests/Rig/bench

lint: ## the form of sources and scripts
	@Tests/Rig/dependencies lint
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests
	@for script in $(SCRIPTS); do \
	  if [[ $$script == *.py ]] || head -1 $$script | grep -q python; then python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' $$script; \
	  else bash -n $$script; fi || exit 1; done

install: build ## into PREFIX (/usr/local), below DESTDIR
	install -D -m 755 .build/release/camd $(DESTDIR)$(BINDIR)/camd
	install -D -m 755 .build/release/camctl $(DESTDIR)$(BINDIR)/camctl
	install -D -m 755 .build/release/camd-gpsd $(DESTDIR)$(BINDIR)/camd-gpsd
	for page in docs/*.[1-8]; do \
	  install -D -m 644 $$page $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/} || exit 1; done
	for unit in system/camd.socket user/camd.socket system/camd.service user/camd.service \
	  system/camd-gpsd.service user/camd-gpsd.service; do \
	  install -D -m 644 systemd/$${unit#system/} $(DESTDIR)$(UNITDIR)/$$unit && \
	  sed -i 's|/usr/bin/camd|$(BINDIR)/camd|' $(DESTDIR)$(UNITDIR)/$$unit || exit 1; done
	install -D -m 644 systemd/sysusers.d/camd.conf $(DESTDIR)$(SYSUSERSDIR)/camd.conf
	install -D -m 644 systemd/udev/60-camd.rules $(DESTDIR)$(UDEVRULESDIR)/60-camd.rules
	install -D -m 644 systemd/camd.conf $(DESTDIR)$(PREFIX)/share/doc/camd/camd.conf

clean: ## away with everything that was made
	rm -rf .build build
