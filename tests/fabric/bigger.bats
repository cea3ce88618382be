#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Fabrics of the sizes in the papers.
load lib.bash
DEADLINE=${MOORE_DEADLINE:-240}	# OpenSM sends 300,000 MADs, which a busy ibsim answers in minutes

@test "Slim Fly q=13 p=9: 338 switches, 3042 endpoints" { planned slimfly q=13 p=9; sound; }
@test "OFT k=12" { planned oft k=12; sound; }
@test "MLFM h=15" { planned mlfm h=15; sound; }
