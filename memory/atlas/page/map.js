"use strict";
// The map's behaviour. Every text of the data is shown as text and never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { nodes, memories } = data;
  const FILE = 0, FOLDER = 1, REST = 2;
  // In an editor's panel there is somebody to open files and memories.
  const editor = typeof acquireVsCodeApi === "function" ? acquireVsCodeApi() : undefined;
  const $ = (id) => document.getElementById(id);
  const number = new Intl.NumberFormat("en");
  const many = (n, one, more = one + "s") => `${number.format(n)} ${n === 1 ? one : more}`;
  const bytes = (n) => (n < 1024 ? `${n} B` : n < 1048576 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / 1048576).toFixed(1)} MiB`);

  /** Makes an element with a class, a text and children. */
  function el(name, cls, text, ...children) {
    const e = document.createElement(name);
    if (cls) e.className = cls;
    if (text !== undefined && text !== "") e.textContent = text;
    e.append(...children);
    return e;
  }
  function link(text, act) {
    const e = el("button", "link", text);
    e.type = "button";
    e.onclick = act;
    return e;
  }
  function svg(name, attributes) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    return e;
  }

  // A node stands after its folder, so one pass forwards and one backwards are enough.
  const states = ["", "fresh", "followed", "drifted", "stale", "orphaned"];
  const stateOf = memories.map((m) => Math.max(0, states.indexOf(m.state ?? "")));
  const children = nodes.map(() => []);
  const above = new Int32Array(nodes.length); // memories about the node through its folders
  const below = new Int32Array(nodes.length); // and about parts of it, each place once
  const worst = new Int8Array(nodes.length);
  nodes.forEach((n, i) => {
    n.m ??= [];
    if (n.p >= 0) children[n.p].push(i);
    above[i] = i === 0 ? 0 : above[n.p] + n.m.length;
    worst[i] = i === 0 ? 0 : n.m.reduce((w, m) => Math.max(w, stateOf[m]), worst[n.p]);
  });
  const inside = new Int8Array(nodes.length);
  for (let i = nodes.length - 1; i > 0; i--) {
    const n = nodes[i];
    inside[i] = Math.max(inside[i], ...n.m.map((m) => stateOf[m]));
    below[n.p] += below[i] + n.m.length;
    inside[n.p] = Math.max(inside[n.p], inside[i]);
  }
  const heats = nodes.filter((n, i) => n.k !== FOLDER && (n.h ?? 0) > 0).map((n) => n.h / Math.max(1, n.f ?? 0)).sort((a, b) => a - b);
  const limits = [0.4, 0.7, 0.85, 0.95].map((q) => heats[Math.floor(q * heats.length)] ?? Infinity);

  const kind = (i) => nodes[i].k ?? FILE;
  const path = (i) => {
    const parts = [];
    for (let at = i; at > 0; at = nodes[at].p) parts.unshift(nameOf(at));
    return parts.join("/");
  };
  const nameOf = (i) => (kind(i) === REST ? `${many(nodes[i].f, "smaller file")}` : nodes[i].n);
  const countOf = (i) => above[i] + below[i];
  const byPath = new Map();
  const find = (p) => {
    if (byPath.size === 0) nodes.forEach((_, i) => byPath.set(path(i), i));
    return byPath.get(p);
  };

  let at = 0; // the folder that is shown
  let chosen = 0; // the node whose memories are listed
  let focused = -1; // the tile that is focused next
  let opening = false;
  const colour = $("colour"), size = $("size"), map = $("map");

  function classOf(i) {
    const n = nodes[i];
    if (colour.value === "state") {
      if (countOf(i) === 0) return "step0";
      return states[Math.max(worst[i], inside[i])] || "unanchored";
    }
    if (colour.value === "memories") {
      const k = countOf(i);
      return k === 0 ? "step0" : "few" + (k === 1 ? 1 : k < 4 ? 2 : k < 10 ? 3 : k < 30 ? 4 : 5);
    }
    const h = (n.h ?? 0) / Math.max(1, n.f ?? 0);
    return h === 0 ? "step0" : "step" + (1 + limits.filter((l) => h > l).length);
  }

  function legend() {
    const items = {
      heat: [["step0", "none"], ["step1", "low"], ["step2", ""], ["step3", ""], ["step4", ""], ["step5", "the hottest 5 %"]],
      state: [["step0", "no memory"], ["unanchored", "not tied to code"], ["fresh", "matches"], ["followed", "followed"], ["drifted", "drifted"], ["stale", "stale"], ["orphaned", "code is gone"]],
      memories: [["step0", "0"], ["few1", "1"], ["few2", "2 to 3"], ["few3", "4 to 9"], ["few4", "10 to 29"], ["few5", "30 and more"]],
    }[colour.value];
    $("legend").replaceChildren(...items.map(([cls, text]) => el("span", "", "", el("i", cls), text)));
  }

  const valueOf = (i) => {
    const n = nodes[i];
    if (size.value === "c") return n.c ?? 0;
    return size.value === "f" ? Math.max(1, n.f ?? 0) : Math.max(n.b, 1);
  };
  const says = (i) => {
    const n = nodes[i];
    const parts = [nameOf(i) + (kind(i) === FOLDER ? ", folder" : ""), bytes(n.b)];
    if (kind(i) === FOLDER) parts.push(many(n.f, "file"));
    parts.push(many(n.c ?? 0, "change"));
    if (n.x) parts.push(many(n.x, "failure"));
    parts.push(many(countOf(i), "memory", "memories"), `heat ${n.h ?? 0}`);
    return parts.join(", ");
  };

  const DEPTH = 3, TITLE = 17, MOST = 2500;
  function draw() {
    const width = map.clientWidth, height = map.clientHeight;
    const grow = (i, depth) => ({ i, depth, children: depth < DEPTH && kind(i) === FOLDER ? children[i].map((c) => grow(c, depth + 1)) : undefined });
    const root = d3.hierarchy(grow(at, 0)).sum((x) => (x.children?.length ? 0 : valueOf(x.i))).sort((a, b) => b.value - a.value || a.data.i - b.data.i);
    d3.treemap().size([width, height]).paddingInner(1).paddingTop((x) => (x.depth > 0 && x.y1 - x.y0 > 2 * TITLE ? TITLE : 0)).round(true)(root);
    const tiles = [];
    let drawn = 0;
    root.eachBefore((x) => {
      const w = x.x1 - x.x0, h = x.y1 - x.y0, i = x.data.i;
      if (x.depth === 0 || w < 3 || h < 3 || drawn >= MOST) return;
      if (x.depth > 1 && (x.parent.y1 - x.parent.y0 <= 2 * TITLE || x.parent.x1 - x.parent.x0 < 12)) return;
      drawn++;
      const nested = x.children && h > 2 * TITLE && w >= 12;
      const tile = el(x.depth === 1 ? "button" : "span", "tile " + (nested ? "folder" : classOf(i)), w > 26 && h > 13 ? nameOf(i) + (kind(i) === FOLDER ? "/" : "") : "");
      tile.dataset.i = i;
      tile.title = `${path(i)}\n${says(i)}`;
      Object.assign(tile.style, { left: x.x0 + "px", top: x.y0 + "px", width: w + "px", height: h + "px" });
      if (x.depth === 1) {
        tile.type = "button";
        tile.tabIndex = -1;
        tile.setAttribute("aria-label", says(i));
      } else tile.setAttribute("aria-hidden", "true");
      if (i === chosen) tile.classList.add("chosen");
      tiles.push(tile);
    });
    const had = map.contains(document.activeElement);
    if (had && !opening) focused = Number(document.activeElement.dataset.i);
    map.replaceChildren(...tiles);
    map.setAttribute("aria-label", `Map of ${path(at) || data.name}. Arrow keys move, Enter opens, Escape goes up.`);
    const first = map.querySelector(`button[data-i="${focused}"]`) ?? map.querySelector("button");
    if (first) first.tabIndex = 0;
    if (first && had) first.focus({ preventScroll: true });
  }

  function crumbs() {
    const trail = [];
    for (let i = at; i >= 0; i = nodes[i].p) trail.unshift(i);
    $("crumbs").replaceChildren(...trail.map((i) => {
      const b = el("button", "link", i === 0 ? data.name || "repository" : nodes[i].n);
      b.type = "button";
      if (i === at) b.setAttribute("aria-current", "location");
      b.onclick = () => open(i);
      return el("li", "", "", b);
    }));
  }

  const ROWS = 100;
  let rows = ROWS;
  function list() {
    const order = [...children[at]].sort((a, b) => (nodes[b].h ?? 0) - (nodes[a].h ?? 0) || nodes[b].b - nodes[a].b || a - b);
    $("list").tBodies[0].replaceChildren(...order.slice(0, rows).map((i) => {
      const n = nodes[i];
      const name = el("button", "link", nameOf(i) + (kind(i) === FOLDER ? "/" : ""));
      name.type = "button";
      name.onclick = () => open(i);
      return el("tr", "", "", el("td", "", "", name), ...[bytes(n.b), number.format(n.f ?? 1), n.c ?? 0, n.x ?? 0, countOf(i), n.h ?? 0].map((v) => el("td", "", String(v))));
    }));
    $("more-rows").hidden = order.length <= rows;
    $("more-rows").textContent = `Show ${many(order.length - rows, "more row", "more rows")}`;
  }
  $("more-rows").onclick = () => { rows += 500; list(); };

  /** What a memory's life was: a picture, and the same as a list. */
  function life(m) {
    const day = (s) => Date.parse(s + "T00:00:00Z");
    const end = Date.parse(data.at.slice(0, 10) + "T00:00:00Z"), start = Math.min(day(m.created), end - 86400000);
    const x = (s) => 6 + (288 * (day(s) - start)) / (end - start);
    const box = svg("svg", { viewBox: "0 0 300 56", role: "img", "aria-label": "The memory's life, which the list below says in words" });
    box.append(svg("line", { x1: 6, x2: 294, y1: 40, y2: 40 }));
    const events = (m.versions ?? []).map((v) => ({ day: v.day, text: `${v.day}: version ${v.v}, ${v.kind}` }));
    for (const v of m.versions ?? []) box.append(svg("circle", { cx: x(v.day), cy: 46, r: 3 }));
    const most = Math.max(1, ...(m.shown ?? []).map((s) => s.shown + (s.people ?? 0)));
    for (const s of m.shown ?? []) {
      const all = s.shown + (s.people ?? 0);
      const parts = [`shown ${many(all, "time")}`];
      for (const k of ["followed", "overridden", "ignored"]) if (s[k]) parts.push(`${k} ${s[k]}`);
      if (s.people) parts.push(`${s.people} of them to people`);
      events.push({ day: s.day ?? "", text: `${s.day ?? "before"}: ${parts.join(", ")}` });
      if (!s.day) continue;
      const h = (34 * all) / most, f = (34 * (s.followed ?? 0)) / most;
      box.append(svg("rect", { class: "shown", x: x(s.day) - 1.5, width: 3, y: 40 - h, height: h }), svg("rect", { class: "followed", x: x(s.day) - 1.5, width: 3, y: 40 - f, height: f }));
    }
    events.sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
    return [box, el("ol", "life", "", ...events.map((e) => el("li", "", e.text)))];
  }

  function card(i) {
    const m = memories[i];
    const doubt = { stale: "gone", orphaned: "gone", drifted: "doubt" }[m.state] ?? "ok";
    const head = el("div", "head", "", el("b", "", m.type), el("span", "", `sure ${Math.round(100 * m.confidence)} %`));
    if (m.state) head.append(el("span", doubt, m.state));
    head.append(editor ? link("open", () => editor.postMessage({ kind: "memory", id: m.id })) : el("span", "", m.id));
    const a = el("article", "", "", head, ...(m.marks ?? []).map((t) => el("p", "mark", t)), el("p", "", m.what));
    if (m.why) a.append(el("p", "faint", "Why: " + m.why));
    if (m.reason) a.append(el("p", "faint", m.reason));
    if (m.places) a.append(el("ul", "places", "", ...m.places.map((p) => el("li", "", p))));
    const d = el("details", "", "", el("summary", "", "Its life"));
    d.ontoggle = () => { if (d.open && d.childElementCount === 1) d.append(...life(m)); };
    a.append(d);
    return a;
  }

  const CARDS = 30;
  function group(title, ids) {
    if (ids.length === 0) return [];
    const box = el("div");
    const more = el("button", "link");
    more.type = "button";
    let shown = 0;
    more.onclick = () => {
      box.append(...ids.slice(shown, shown + CARDS).map(card));
      shown += CARDS;
      more.hidden = shown >= ids.length;
      more.textContent = `Show more (${number.format(ids.length - shown)} left)`;
    };
    more.onclick();
    return [el("h3", "", `${title} (${number.format(ids.length)})`), box, more];
  }

  function side() {
    const own = new Set(), parts = new Set();
    for (let i = chosen; i > 0; i = nodes[i].p) for (const m of nodes[i].m) own.add(m);
    const walk = (i) => children[i].forEach((c) => { nodes[c].m.forEach((m) => { if (!own.has(m)) parts.add(m); }); walk(c); });
    walk(chosen);
    const project = nodes[0].m;
    $("about").textContent = `${path(chosen) || data.name || "repository"}: ${many(own.size + parts.size + (chosen === 0 ? project.length : 0), "memory", "memories")}`;
    const groups = [...group("About this", [...own]), ...group("About parts of it", [...parts].sort((a, b) => a - b)),
      ...(chosen === 0 ? group("About the whole project, or without code here", project) : [])];
    if (editor && chosen > 0 && kind(chosen) !== REST) $("about").append(" ", link("open", () => editor.postMessage({ kind: "file", path: path(chosen), folder: kind(chosen) === FOLDER })));
    $("memories").replaceChildren(...(groups.length ? groups : [el("p", "faint", "Nothing is remembered about it.")]));
    $("memories").parentElement.scrollTop = 0;
  }

  function show(i) {
    const before = at;
    opening = true;
    chosen = i;
    at = kind(i) === FOLDER ? i : nodes[i].p;
    if (at !== before) rows = ROWS;
    crumbs();
    draw();
    side();
    list();
    opening = false;
  }

  /** Opens a node by the address, so that the browser's Back works. */
  function open(i, focus = false) {
    const before = at;
    focused = kind(i) === FOLDER ? -1 : i;
    if (focus && nodes[before].p === i) focused = before;
    const hash = "#" + encodeURIComponent(path(i));
    if (editor) editor.setState({ path: path(i), y: scrollY });
    else if (location.hash !== hash) history.pushState(null, "", hash);
    show(i);
    if (focus) map.querySelector('button[tabindex="0"]')?.focus();
  }
  const go = () => {
    let p = "";
    try { p = editor ? (editor.getState()?.path ?? "") : decodeURIComponent(location.hash.slice(1)); } catch { /* not an address of ours */ }
    show(p === "" ? 0 : (find(p) ?? 0));
  };
  addEventListener("popstate", go);
  $("skip").onclick = (e) => { e.preventDefault(); $("list").focus(); };

  map.onclick = (e) => {
    const tile = e.target.closest(".tile");
    if (tile) open(Number(tile.dataset.i), e.detail === 0); // 0: by the keyboard
  };
  map.onkeydown = (e) => {
    if (e.key === "Escape" && at > 0) { e.preventDefault(); open(nodes[at].p, true); return; }
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    const from = document.activeElement;
    if (!step || !from.classList.contains("tile")) return;
    e.preventDefault();
    const middle = (t) => [t.offsetLeft + t.offsetWidth / 2, t.offsetTop + t.offsetHeight / 2];
    const [x, y] = middle(from);
    let best, least = Infinity;
    for (const t of map.querySelectorAll("button.tile")) {
      const [tx, ty] = middle(t);
      const along = (tx - x) * step[0] + (ty - y) * step[1], across = Math.abs((tx - x) * step[1]) + Math.abs((ty - y) * step[0]);
      if (t !== from && along > 0 && along + 2 * across < least) { least = along + 2 * across; best = t; }
    }
    if (!best) return;
    from.tabIndex = -1;
    best.tabIndex = 0;
    best.focus();
  };

  function ledger() {
    if (data.months.length === 0) return;
    $("ledger").hidden = false;
    $("ledger").querySelector("tbody").replaceChildren(...data.months.map((m) => {
      const bar = el("div", "bar");
      for (const k of ["followed", "overridden", "ignored"]) {
        const part = el("span", k);
        part.style.width = `${(100 * (m[k] ?? 0)) / Math.max(1, m.shown)}%`;
        bar.append(part);
      }
      return el("tr", "", "", el("td", "", m.month ?? "before"), ...["shown", "followed", "overridden", "ignored", "people", "tokens"].map((k) => el("td", "", number.format(m[k] ?? 0))), el("td", "", "", bar));
    }));
  }

  function head() {
    const root = nodes[0];
    $("title").textContent = `☞ ${data.name || "repository"}`;
    $("totals").textContent = `${many(root.f ?? 0, "file")}, ${bytes(root.b)}, ${many(memories.length, "memory", "memories")}; ${data.at}`;
    const facts = [];
    if (data.health) {
      const percent = (x) => `${Math.round(100 * x)} %`;
      facts.push(["Health", `${data.health.score} of 100`], ["sure", percent(data.health.sure)], ["used", percent(data.health.used)], ["settled", percent(data.health.settled)]);
    }
    if (data.coverage) {
      facts.push(["Memories cover", `${Math.round(100 * data.coverage.share)} % of the changes`]);
      for (const b of data.coverage.bare) facts.push(["nothing about", `${b.folder} (${many(b.changes, "change")})`]);
    }
    $("health").replaceChildren(...facts.map(([k, v]) => el("div", "", "", el("dt", "", k), el("dd", "", v))));
    const left = Object.entries(data.left_out).map(([k, n]) => `${n} ${k === "drafts" ? (n === 1 ? "draft" : "drafts") : k}`);
    $("foot").textContent = "Heat is changes × (1 + failures) ÷ (1 + memories). " + (left.length ? `Left out: ${left.join(", ")}.` : "");
  }

  colour.onchange = () => { legend(); draw(); };
  size.onchange = draw;
  $("controls").onsubmit = (e) => e.preventDefault();
  let pending = 0;
  addEventListener("resize", () => { cancelAnimationFrame(pending); pending = requestAnimationFrame(draw); });
  head();
  legend();
  ledger();
  go();
  if (editor) { // which draws it again when memories change
    scrollTo(0, editor.getState()?.y ?? 0);
    addEventListener("scrollend", () => editor.setState({ path: path(chosen), y: scrollY }));
  }
})();
