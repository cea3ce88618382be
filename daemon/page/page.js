// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* page.js - asks again when an event says so, and takes what the user does.
 *
 * Nothing about the fabric is computed here: the page shows answers of moored.  After each loss
 * of the connection everything is asked again, since events may have been missed. */
import { BUSIEST, choose, refreshLink, showOverview } from "./detail.js";
import { beside } from "./draw.js";
import { build, paint } from "./paint.js";
import { here, once, perhaps, state, valueOf } from "./state.js";
import { $, key } from "./text.js";
import { showStatus, showWiring } from "./wiring.js";

/* ---- what is asked ----------------------------------------------------------------- */

const readStatus = once(async () => {
	state.status = await perhaps("system.status");
	showStatus();
});

const readPlan = once(async () => {
	state.plan = (await perhaps("plan.get"))?.plan ?? null;
	state.cables = new Map((state.plan?.cables ?? []).flatMap(c =>
		[[key(c.a.switch, c.a.port), c], [key(c.b.switch, c.b.port), c]]));
	build();
});

const readFabric = once(async () => {
	const [switches, links] = await Promise.all([perhaps("fabric.switches", here()), perhaps("fabric.links", here())]);
	state.switches = switches?.switches ?? [];
	state.links = links?.links ?? [];
	state.sweep = links?.sweep;
	state.byLink = new Map(state.links.flatMap((l, i) =>
		[[key(l.a.switch, l.a.port), { i, back: false }], [key(l.b.switch, l.b.port), { i, back: true }]]));
	build();
	await readLoads();
});

const readLoads = once(async () => {
	const loads = await perhaps("fabric.loads", here());
	if (loads && loads.sweep !== state.sweep) {
		readFabric();
		return;
	}
	state.loads = loads;
	paint();
	if (state.chosen?.port)
		refreshLink();
	else if (!state.chosen)
		showOverview();
});

const readHot = once(async () => {
	state.hot = await perhaps("hotspots.list", { ...here(), limit: BUSIEST });
	showStatus();
	if (!state.chosen)
		showOverview();
});

const readWiring = once(async () => {
	state.check = await perhaps("wiring.check", here());
	state.missing = (state.check?.deviations ?? []).filter(d => d.verdict === "missing" && d.a?.switch && d.b?.switch);
	showWiring(null);
	paint();
	if (state.check && !state.check.ok)
		showWiring(await perhaps("wiring.repair", here()));
});

/* ---- input ------------------------------------------------------------------------- */

function moveTo(name) {
	const p = state.picture, to = p.switches.get(name);
	if (!to)
		return;
	p.switches.get(state.at)?.g.setAttribute("tabindex", -1);
	to.g.setAttribute("tabindex", 0);
	to.g.focus();
	state.at = name;
}

$("map").addEventListener("click", e => {
	const s = e.target.closest(".switch"), l = e.target.closest("[data-link]");
	if (s) {
		moveTo(s.dataset.name);
		choose(s.dataset.name);
	} else if (l) {
		const end = state.links[l.dataset.link];
		const back = (valueOf(l.dataset.link, true, "load") ?? 0) > (valueOf(l.dataset.link, false, "load") ?? 0);
		choose((back ? end.b : end.a).switch, (back ? end.b : end.a).port);
	}
});
$("map").addEventListener("keydown", e => {
	const s = e.target.closest(".switch");
	if (!s)
		return;
	if (e.key === "Enter" || e.key === " ") {
		choose(s.dataset.name);
		$("detail").focus();
	} else if (e.key.startsWith("Arrow")) {
		moveTo(beside(state.picture, s.dataset.name, e.key) ?? s.dataset.name);
	} else {
		return;
	}
	e.preventDefault();
});
document.addEventListener("keydown", e => {
	if (e.key !== "Escape" || !state.chosen)
		return;
	choose(null);
	state.picture.switches.get(state.at)?.g.focus();
});
$("controls").addEventListener("submit", e => e.preventDefault());
$("controls").addEventListener("change", e => {
	const { name, value } = e.target;
	if (name === "view") {
		state.view = value;
		build();
	} else if (name === "colour") {
		state.colour = value;
		paint();
		if (!state.chosen)
			showOverview();
	} else if (name === "plane") {
		state.plane = Number(value);
		state.chosen = null;
		readAll();
	} else if (name === "find" && state.picture?.switches.has(value)) {
		moveTo(value);
		choose(value);
	}
});

/* ---- events ------------------------------------------------------------------------ */

function readAll() {
	readStatus();
	readPlan();
	readFabric();
	readWiring();
	readHot();
}

/* What each event makes the page ask. */
const heard = {
	"poll": () => document.hidden || readLoads(),
	"event.sweep": () => { readFabric(); readStatus(); readWiring(); },
	"event.wiring": () => { readWiring(); readStatus(); },
	"event.hotspot": () => { readHot(); },
	"event.reload": () => readAll(),
	"event.state": () => readAll(),
	"event.problem": () => readStatus(),
	"event.manager": () => readStatus(),
};

function listen() {
	const events = new EventSource("events"), live = $("live");
	const says = (on, text) => {
		live.dataset.state = on ? "on" : "off";
		if (live.textContent !== text)
			live.textContent = text;
	};
	events.addEventListener("open", () => {
		says(true, "live");
		readAll();
	});
	events.addEventListener("error", () => {
		says(false, "connection lost: what is shown may be old");
		if (events.readyState === EventSource.CLOSED)	// refused: the browser does not try again
			setTimeout(listen, 5000);
	});
	events.addEventListener("message", m => {
		const { method } = JSON.parse(m.data);
		heard[method]?.();
	});
}
document.addEventListener("visibilitychange", () => document.hidden || readLoads());
listen();
