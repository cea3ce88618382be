// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* draw.js - the picture: cabinets on the floor, or the graph by its groups, as SVG.
 *
 * A picture is built once for a fabric and a view; afterwards only classes change, which name a
 * colour of style.css.  Names are other people's text: they become text nodes, never markup. */

const NS = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, ...children) {
	const e = document.createElementNS(NS, name);
	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	e.append(...children);
	return e;
}

/* The switches by the box they stand in: their cabinets, or their groups.  Families name switches by
 * group (s0-3-1 is in group s0-3), so a name without its last number is the group's. */
export function boxes(switches, by) {
	const all = new Map();
	for (const s of switches) {
		const name = by === "floor" && s.cabinet !== null ? s.cabinet : group(s.name);
		if (!all.has(name))
			all.set(name, []);
		all.get(name).push(s);
	}
	for (const list of all.values())
		if (by === "floor")
			list.sort((a, b) => (b.unit ?? 0) - (a.unit ?? 0));
	return all;
}

export function group(name) {
	const at = name.lastIndexOf("-");
	return at > 0 ? name.slice(0, at) : "";
}

function switchAt(s, shape, x, y, text) {
	const g = svg("g", { class: "switch vx", tabindex: -1, role: "button" }, shape, svg("title"));
	g.dataset.name = s.name;
	g.setAttribute("aria-label", s.name);
	if (text) {
		const t = svg("text", { x, y });
		t.textContent = text.length > 14 ? text.slice(0, 13) + "\u2026" : text;
		g.append(t);
	}
	if (s.absent)
		g.classList.add("absent");
	return { g, x, y };
}


/* A picture that would be drawn with fewer CSS pixels than `least` for one of its own scrolls.
 * Returns { root, switches: Map name -> {g, x, y}, links: [element of links[i]], over }. */
function picture(width, height, least, label) {
	const lines = svg("g"), nodes = svg("g"), over = svg("g");
	const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label });
	root.style.minWidth = `${least * width}px`;
	root.style.minHeight = `${least * height}px`;
	return { root, lines, nodes, over, switches: new Map(), links: [], racks: new Map() };
}

const RACK = 84, CELL = 13, GAP = 22, HEAD = 16;

export function drawFloor(switches, floor) {
	const all = boxes(switches, "floor"), where = new Map();
	const across = Math.max(1, Math.ceil(Math.sqrt(all.size * 1.6)));
	let i = 0;
	for (const c of floor?.cabinets ?? [])
		where.set(c.name, [c.row, c.column]);
	const extra = where.size ? 1 + Math.max(...[...where.values()].map(w => w[0])) : 0;
	for (const name of all.keys())
		if (!where.has(name))
			where.set(name, [extra + Math.floor(i / across), i++ % across]);
	const rows = 1 + Math.max(0, ...[...where.values()].map(w => w[0]));
	const columns = 1 + Math.max(0, ...[...where.values()].map(w => w[1]));
	const most = Math.max(1, ...[...all.values()].map(l => l.length));
	const deep = HEAD + most * CELL + 6 + GAP;
	const p = picture(columns * (RACK + 12) + 12, rows * deep + 6, 1.15, "Cabinets on the floor");
	p.bow = true;
	for (const [name, [row, column]] of where) {
		const x = 12 + column * (RACK + 12), y = 6 + row * deep, list = all.get(name) ?? [];
		const rack = svg("rect", { class: "rack", x, y: y + HEAD - 3, width: RACK, height: most * CELL + 6, rx: 3 });
		const label = svg("text", { class: "label", x: x + RACK / 2, y: y + 9 });
		label.textContent = name.length > 16 ? name.slice(0, 15) + "\u2026" : name;
		p.nodes.append(rack, label);
		p.racks.set(name, rack);
		list.forEach((s, k) => {
			const top = y + HEAD + (most - list.length + k) * CELL;
			const shape = svg("rect", { x: x + 3, y: top, width: RACK - 6, height: CELL - 1.5, rx: 1.5 });
			const at = switchAt(s, shape, x + RACK / 2, top + 8.5, s.name);
			p.switches.set(s.name, at);
			p.nodes.append(at.g);
		});
	}
	p.root.append(p.lines, p.nodes, p.over);
	return p;
}

/* Groups stand on a circle, and the switches of each on a circle of their own. */
export function drawGraph(switches, links) {
	const all = boxes(switches, "graph"), n = all.size;
	const most = Math.max(1, ...[...all.values()].map(l => l.length));
	const small = most === 1 ? 0 : Math.max(16, most * 14 / (2 * Math.PI));
	const big = n === 1 ? 0 : Math.max(120, n * (2 * small + 26) / (2 * Math.PI));
	const middle = big + small + 34;
	const p = picture(2 * middle, 2 * middle, 0.6, "Switches by groups, and their links");
	let k = 0;
	for (const [name, list] of all) {
		const a = 2 * Math.PI * k++ / n - Math.PI / 2, x = middle + big * Math.cos(a), y = middle + big * Math.sin(a);
		const far = big + small + 20;
		const label = svg("text", { class: "label", x: n === 1 ? middle : middle + far * Math.cos(a),
			y: (n === 1 ? middle : middle + far * Math.sin(a)) + 3 });
		label.textContent = name;
		if (n < 200)
			p.nodes.append(label);
		list.forEach((s, j) => {
			const b = a + 2 * Math.PI * j / list.length;
			const cx = x + small * Math.cos(b), cy = y + small * Math.sin(b);
			const at = switchAt(s, svg("circle", { cx, cy, r: 5 }), cx, cy, "");
			p.switches.set(s.name, at);
			p.nodes.append(at.g);
		});
	}
	p.root.classList.toggle("dense", links.length > 600);
	links.forEach((l, i) => {
		const line = lineOf(p, l.a.switch, l.b.switch, "link vx");
		if (line) {
			line.dataset.link = i;
			line.append(svg("title"));
			p.lines.append(line);
		}
		p.links[i] = line;
	});
	p.root.append(p.lines, p.over, p.nodes);
	return p;
}

/* A line between two switches, on the floor a bow beside the names; null when the picture has not
 * both. */
export function lineOf(p, from, to, cls) {
	const a = p.switches.get(from), b = p.switches.get(to);
	if (!a || !b)
		return null;
	const bend = p.bow ? 0.15 * Math.hypot(b.x - a.x, b.y - a.y) + 25 : 0, steep = Math.abs(b.y - a.y) >= Math.abs(b.x - a.x);
	const x = (a.x + b.x) / 2 + (steep ? bend : 0), y = (a.y + b.y) / 2 - (steep ? 0 : bend);
	return svg("path", { class: cls, d: `M${a.x} ${a.y}Q${x} ${y} ${b.x} ${b.y}` });
}

/* The switch beside one, in the direction of an arrow key. */
export function beside(p, name, key) {
	const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
	const from = p.switches.get(name);
	let best = null, least = Infinity;
	for (const [other, at] of p.switches) {
		const x = at.x - from.x, y = at.y - from.y, along = x * dx + y * dy, off = Math.abs(x * dy) + Math.abs(y * dx);
		if (other !== name && along > 0.5 && along + 3 * off < least) {
			least = along + 3 * off;
			best = other;
		}
	}
	return best;
}
