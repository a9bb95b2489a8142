"use strict";
// The map's behaviour. Every text of the data is shown as text and never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { nodes, memories, symbols } = data;
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
  /** A paragraph of a memory, with its `code` as code. */
  function prose(cls, text) {
    const parts = text.split(/`([^`\n]+)`/);
    return el("p", cls, "", ...parts.flatMap((part, i) => (part === "" ? [] : [i % 2 === 1 ? el("code", "", part) : part])));
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

  // What is chosen has an address: that of a file or folder is its path, that of a symbol
  // the path and the name, that of a small file its path, that of a memory its id.
  const folderOf = (i) => { const p = path(nodes[i].p); return p === "" ? "" : p + "/"; };
  const fileOf = (s) => (s.f === undefined ? path(s.i) : folderOf(s.i) + s.f);
  const addressOf = (it) => (it.memory !== undefined ? `//${memories[it.memory].id}` : it.symbol !== undefined ? `${fileOf(symbols[it.symbol])}#${symbols[it.symbol].n}` : it.small !== undefined ? folderOf(it.i) + it.small : path(it.i));
  let homes; // a node for each memory
  const homeOf = (m) => {
    if (!homes) {
      homes = new Int32Array(memories.length);
      for (let i = nodes.length - 1; i >= 0; i--) for (const x of nodes[i].m) homes[x] = i;
    }
    return homes[m];
  };
  /** What an address stands for; the whole for one that is not here. */
  function lookUp(p) {
    if (p === "") return { i: 0 };
    if (p.startsWith("//")) {
      const m = memories.findIndex(({ id }) => id === p.slice(2));
      return m < 0 ? { i: 0 } : { i: homeOf(m), memory: m };
    }
    const i = find(p);
    if (i !== undefined) return { i };
    const symbol = symbols.findIndex((s) => p.endsWith("#" + s.n) && p === `${fileOf(s)}#${s.n}`);
    if (symbol >= 0) return { i: symbols[symbol].i, symbol };
    for (let rest = 0; rest < nodes.length; rest++) {
      if (kind(rest) !== REST || !p.startsWith(folderOf(rest))) continue;
      const small = p.slice(folderOf(rest).length);
      if (`\n${nodes[rest].r}\n`.includes(`\n${small}\n`)) return { i: rest, small };
    }
    return { i: 0 };
  }

  // Who uses whom, by nodes: computed when somebody asks first. The nodes below i are those
  // from i to its end.
  let code;
  function codeOf() {
    if (code) return code;
    const end = new Int32Array(nodes.length), first = new Int32Array(nodes.length + 1);
    for (let i = nodes.length - 1; i >= 0; i--) {
      end[i] = Math.max(end[i], i + 1);
      if (i > 0) end[nodes[i].p] = Math.max(end[nodes[i].p], end[i]);
      for (const t of nodes[i].u ?? []) first[t + 1]++;
    }
    for (let i = 0; i < nodes.length; i++) first[i + 1] += first[i];
    const at = first.slice(), users = new Int32Array(first[nodes.length]);
    nodes.forEach((n, i) => n.u?.forEach((t) => { users[at[t]++] = i; }));
    const symbolsOf = new Map();
    symbols.forEach((s, x) => {
      if (s.f !== undefined) return;
      if (symbolsOf.has(s.i)) symbolsOf.get(s.i).push(x);
      else symbolsOf.set(s.i, [x]);
    });
    return (code = { end, first, users, symbolsOf });
  }
  /** What a node uses outside of itself, what uses it, and what a change of it may reach. */
  function around(i) {
    const { end, first, users } = codeOf();
    const uses = new Set(), usedBy = new Set(), reached = new Uint8Array(nodes.length), queue = [];
    const outside = (x) => x < i || x >= end[i];
    for (let x = i; x < end[i]; x++) {
      for (const t of nodes[x].u ?? []) if (outside(t)) uses.add(t);
      for (let k = first[x]; k < first[x + 1]; k++) if (outside(users[k])) usedBy.add(users[k]);
      reached[x] = 1;
    }
    queue.push(...usedBy);
    for (const x of queue) reached[x] = 1;
    for (let q = 0; q < queue.length; q++) {
      for (let k = first[queue[q]]; k < first[queue[q] + 1]; k++) if (!reached[users[k]]) { reached[users[k]] = 1; queue.push(users[k]); }
    }
    return { uses: [...uses], usedBy: [...usedBy], reach: queue.length };
  }

  let at = 0; // the folder that is shown
  let chosen = 0; // the node whose memories are listed
  let special = {}; // the symbol, the small file or the memory that is chosen there
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

  // Pictures, films, fonts and archives are no code: however large, each takes the room of a small file.
  const media = /\.(png|jpe?g|gif|ico|icns|webp|avif|bmp|tiff?|psd|pdf|mp[34]|mov|webm|wav|ogg|flac|woff2?|ttf|otf|eot|zip|t?gz|xz|zst|bz2|7z|jar|whl|wasm|so|dylib|dll|exe|bin|pack|parquet|sqlite|db)$/i;
  let sizes; // by nodes: the bytes that are none of these, and not written by programs
  function sizeOf(i) {
    if (!sizes) {
      sizes = new Float64Array(nodes.length);
      for (let k = nodes.length - 1; k >= 0; k--) {
        if (kind(k) !== FOLDER) sizes[k] = Math.max(1, media.test(nameOf(k)) ? Math.min(nodes[k].b, 1024) : nodes[k].b - (nodes[k].g ?? 0));
        if (k > 0) sizes[nodes[k].p] += sizes[k];
      }
    }
    return sizes[i];
  }
  const valueOf = (i) => {
    const n = nodes[i];
    if (size.value === "t") return sizeOf(i);
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
    const a = el("article", "", "", head, ...(m.marks ?? []).map((t) => el("p", "mark", t)), prose("", m.what));
    if (m.why) a.append(prose("faint", "Why: " + m.why));
    if (m.reason) a.append(el("p", "faint", m.reason));
    if (m.places) a.append(el("ul", "places", "", ...m.places.map((p) => el("li", "", p))));
    const d = el("details", "", "", el("summary", "", "Its life"));
    d.ontoggle = () => { if (d.open && d.childElementCount === 1) d.append(...life(m)); };
    a.append(d);
    return a;
  }

  const CARDS = 30;
  const FIRST = ["gotcha", "dead end", "error pattern", "decision"];
  function group(title, all) {
    if (all.length === 0) return [];
    // What costs most not to know comes first.
    const rank = (i) => (FIRST.includes(memories[i].type) ? 0 : 1);
    const ids = [...all].sort((a, b) => rank(a) - rank(b));
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

  /** A list of nodes or symbols, a part at a time. */
  function names(title, all, row) {
    if (all.length === 0) return [];
    const ul = el("ul", "names"), more = link("", () => add()), box = el("div", "", "", el("h3", "", `${title} (${number.format(all.length)})`), ul, more);
    let shown = 0;
    const add = () => {
      ul.append(...all.slice(shown, shown + 12).map((x) => el("li", "", "", ...row(x))));
      shown += 12;
      more.hidden = shown >= all.length;
      more.textContent = `Show more (${number.format(Math.max(0, all.length - shown))} left)`;
    };
    add();
    return [box];
  }
  const nodeRow = (i) => [link(kind(i) === REST ? `${folderOf(i)}: ${nameOf(i)}` : path(i), () => open(i))];
  const usersOf = (s) => s.c ?? s.u?.length ?? 0;
  const symbolRow = (x) => {
    const s = symbols[x], users = usersOf(s);
    return [link(s.n, () => openIt({ i: s.i, symbol: x })), el("span", "faint", ` ${s.k}${users ? `, used by ${many(users, "file")}` : ""}`)];
  };

  /** The symbol that is chosen, and who uses it. */
  function symbolSide() {
    if (special.symbol === undefined) return [];
    const s = symbols[special.symbol], file = fileOf(s), users = usersOf(s);
    const head = el("p", "", "", el("b", "", s.n), el("span", "faint", ` ${s.k}, ${file}:${s.l}`));
    if (editor) head.append(" ", link("open", () => editor.postMessage({ kind: "file", path: file, line: s.l })));
    if (!users) return [head, el("p", "faint", "No other file uses it by its name.")];
    return [head, ...names("Used by", s.u ?? [], nodeRow), ...(s.c ? [el("p", "faint", `${many(users, "file")} in all.`)] : [])];
  }

  /** The code around what is chosen. */
  function codeSide() {
    if (chosen === 0 || !nodes.some((n) => n.u)) return [];
    const { uses, usedBy, reach } = around(chosen);
    const own = codeOf().symbolsOf.get(chosen) ?? [];
    const order = (all) => all.sort((a, b) => (nodes[b].h ?? 0) - (nodes[a].h ?? 0) || a - b);
    const out = [...names("Its symbols", own, symbolRow), ...names("Uses", order(uses), nodeRow), ...names("Used by", order(usedBy), nodeRow)];
    if (reach > 0) out.push(el("p", "faint", `A change here may reach ${many(reach, "area")}, through what uses what uses it.`));
    return out;
  }

  function side() {
    const own = new Set(), parts = new Set();
    for (let i = chosen; i > 0; i = nodes[i].p) for (const m of nodes[i].m) own.add(m);
    const walk = (i) => children[i].forEach((c) => { nodes[c].m.forEach((m) => { if (!own.has(m)) parts.add(m); }); walk(c); });
    walk(chosen);
    const project = nodes[0].m;
    const { small, memory } = special;
    const name = small === undefined ? path(chosen) || data.name || "repository" : folderOf(chosen) + small;
    $("about").textContent = `${name}: ${many(own.size + parts.size + (chosen === 0 ? project.length : 0), "memory", "memories")}`;
    const groups = [...(memory === undefined ? [] : group("Found", [memory])), ...group("About this", [...own]), ...group("About parts of it", [...parts].sort((a, b) => a - b)),
      ...(chosen === 0 ? group("About the whole project, or without code here", project) : [])];
    if (editor && chosen > 0 && (kind(chosen) !== REST || small !== undefined)) $("about").append(" ", link("open", () => editor.postMessage({ kind: "file", path: name, folder: kind(chosen) === FOLDER })));
    $("symbol").replaceChildren(...symbolSide());
    $("code").replaceChildren(...codeSide());
    $("memories").replaceChildren(...(groups.length ? groups : [el("p", "faint", "Nothing is remembered about it.")]));
    $("memories").parentElement.scrollTop = 0;
  }

  function show({ i, ...more }) {
    const before = at;
    opening = true;
    chosen = i;
    special = more;
    at = kind(i) === FOLDER ? i : nodes[i].p;
    if (at !== before) rows = ROWS;
    crumbs();
    draw();
    side();
    list();
    opening = false;
  }

  /** Opens something by its address, so that the browser's Back works. */
  function openIt(it, focus = false) {
    const { i } = it, before = at, address = addressOf(it);
    focused = kind(i) === FOLDER ? -1 : i;
    if (focus && nodes[before].p === i) focused = before;
    const hash = "#" + encodeURIComponent(address);
    if (editor) editor.setState({ path: address, y: scrollY });
    else if (location.hash !== hash) history.pushState(null, "", hash);
    show(it);
    if (focus) map.querySelector('button[tabindex="0"]')?.focus();
  }
  const open = (i, focus) => openIt({ i }, focus);
  const go = () => {
    let p = "";
    try { p = editor ? (editor.getState()?.path ?? "") : decodeURIComponent(location.hash.slice(1)); } catch { /* not an address of ours */ }
    show(lookUp(p));
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

  // Search: every file, folder, symbol and memory as one text, in which all words are looked
  // for, or else the letters in their order. The texts are made when there is time, and as
  // soon as somebody searches.
  const KINDS = [["Memories"], ["Symbols"], ["Files", "file"], ["Folders", "folder"]];
  const SHOWN = 48; // results, over all kinds
  const texts = [], kindOf = [], targets = [], nameAt = []; // nameAt: where the name begins in the text
  const add = (k, text, at, target) => { texts.push(text.toLowerCase()); kindOf.push(k); nameAt.push(at); targets.push(target); };
  const paths = [];
  let made = 0;
  const all = memories.length + nodes.length + symbols.length;
  function makeOne(x) {
    if (x < memories.length) {
      const m = memories[x];
      return add(0, [m.what, m.type, m.why ?? "", ...(m.places ?? []), ...(m.marks ?? []), m.state ?? "", m.id].join("\n"), 0, { memory: x });
    }
    const i = x - memories.length;
    if (i >= nodes.length) {
      const symbol = i - nodes.length, s = symbols[symbol];
      return add(1, `${s.n}\n${s.k} ${s.f === undefined ? paths[s.i] : paths[s.i] + s.f}`, 0, { i: s.i, symbol });
    }
    const above = i > 0 && nodes[i].p > 0 ? paths[nodes[i].p] + "/" : "";
    paths[i] = i === 0 || kind(i) === REST ? above : above + nodes[i].n; // of small files: their folder
    if (i === 0) return;
    if (kind(i) !== REST) return add(kind(i) === FOLDER ? 3 : 2, paths[i], above.length, { i });
    for (const small of (nodes[i].r ?? "").split("\n")) if (small !== "") add(2, above + small, above.length + small.lastIndexOf("/") + 1, { i, small });
  }
  const make = (until) => { while (made < all && (until === undefined || performance.now() < until)) makeOne(made++); };
  const soon = globalThis.requestIdleCallback ?? ((f) => setTimeout(f, 30));
  function makeLater() {
    make(performance.now() + 6);
    if (made < all) soon(makeLater);
  }

  /** Whether the letters stand in a text in their order, from the beginning of a word on. */
  function scattered(text, letters) {
    let from = 0;
    for (const c of letters) {
      from = text.indexOf(c, from) + 1;
      if (from === 0) return false;
    }
    return true;
  }
  let last = { query: "", hits: undefined };
  /** The numbers of the texts that have a query, in their order. */
  function matches(query) {
    const words = query.split(/\s+/).filter((w) => w !== "");
    // What has the longer query has the shorter one: only that is looked through.
    const among = last.hits && last.query !== "" && query.startsWith(last.query) && !last.loose ? last.hits : undefined;
    const select = (has) => {
      const out = [];
      if (among) { for (const x of among) if (has(texts[x])) out.push(x); } else for (let x = 0; x < texts.length; x++) if (has(texts[x])) out.push(x);
      return out;
    };
    const [one] = words;
    let hits = words.length === 1 ? select((t) => t.includes(one)) : select((t) => words.every((w) => t.includes(w))), loose = false;
    if (hits.length === 0 && query.length > 1) {
      const letters = [...words.join("")];
      loose = true;
      const named = (x) => (kindOf[x] === 1 ? texts[x].slice(0, texts[x].indexOf("\n")) : texts[x]);
      for (let x = 0; x < texts.length; x++) if (kindOf[x] !== 0 && scattered(texts[x], letters) && scattered(named(x), letters)) hits.push(x);
    }
    last = { query, hits, loose };
    return { words, hits };
  }
  /** How well a text fits: the smaller, the better. */
  function rank(x, [word = ""]) {
    const text = texts[x], at = text.indexOf(word, nameAt[x]);
    if (kindOf[x] === 1) { // a symbol's own name stands after what it is in
      const end = text.indexOf("\n"), name = text.lastIndexOf(".", end) + 1, here = text.indexOf(word, name);
      if (here >= 0 && here < end) return (here > name ? 2 : here + word.length === end ? 0 : 1) * 1e6 + x;
      return (at >= 0 && at < end ? 3 : 4) * 1e6 + x;
    }
    if (kindOf[x] === 0) { // the text before the rest, and the beginning of a word before its middle
      const end = text.indexOf("\n");
      return (at >= 0 && at < end ? (at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1]) ? 1 : 2) : 4) * 1e6 + Math.min(at < 0 ? 999 : at, 999) * 1e3 + x / 1e6;
    }
    return (at < 0 ? 4 : at > nameAt[x] ? 2 : at + word.length === text.length ? 0 : 1) * 1e6 + text.length * 1e2 + x / 1e6;
  }
  /** The best of each kind, and how many there are. */
  function best(query) {
    const { words, hits } = matches(query);
    const groups = KINDS.map(() => []);
    for (const x of hits) groups[kindOf[x]].push(x);
    const some = groups.filter((g) => g.length > 0).length;
    const found = groups.map((all, k) => {
      const most = Math.max(8, Math.floor(SHOWN / Math.max(1, some))), top = []; // kept in order
      for (const x of all) {
        const r = rank(x, words);
        if (top.length === most && r >= top[most - 1].r) continue;
        let at = top.length;
        while (at > 0 && top[at - 1].r > r) at--;
        top.splice(at, 0, { x, r });
        if (top.length > most) top.pop();
      }
      return { k, count: all.length, top };
    }).filter(({ count }) => count > 0);
    const class_ = ({ top }) => Math.floor(top[0].r / 1e6);
    return { words, count: hits.length, groups: found.sort((a, b) => class_(a) - class_(b) || a.k - b.k) };
  }

  const query = $("query"), found = $("found");
  let active = -1;
  const options = () => found.querySelectorAll('[role="option"]');
  /** A text with its words marked. */
  function marked(text, words) {
    const lower = text.toLowerCase(), out = [];
    let from = 0;
    while (from < text.length && lower.length === text.length) {
      const next = words.map((w) => [lower.indexOf(w, from), w.length]).filter(([i]) => i >= 0).sort((a, b) => a[0] - b[0])[0];
      if (!next) break;
      out.push(text.slice(from, next[0]), el("mark", "", text.slice(next[0], next[0] + next[1])));
      from = next[0] + next[1];
    }
    return [...out, text.slice(from)];
  }
  function option(x, words, number) {
    const it = targets[x];
    let name, note;
    if (it.memory !== undefined) [name, note] = [memories[it.memory].what.slice(0, 160), `${memories[it.memory].type} ${(memories[it.memory].places ?? []).slice(0, 2).join(", ")}`];
    else if (it.symbol !== undefined) [name, note] = [symbols[it.symbol].n, `${symbols[it.symbol].k} ${fileOf(symbols[it.symbol])}:${symbols[it.symbol].l}`];
    else [name, note] = [it.small !== undefined ? folderOf(it.i) + it.small : path(it.i) + (kind(it.i) === FOLDER ? "/" : ""), KINDS[kindOf[x]][1]];
    const o = el("div", "", "", ...marked(name, words), " ", el("small", "", note));
    o.setAttribute("role", "option");
    o.id = `found-${number}`;
    o.dataset.x = x;
    o.setAttribute("aria-selected", "false");
    return o;
  }
  function activate(n) {
    const all = options();
    all[active]?.setAttribute("aria-selected", "false");
    active = all.length === 0 ? -1 : (n + all.length) % all.length;
    if (active < 0) return query.removeAttribute("aria-activedescendant");
    all[active].setAttribute("aria-selected", "true");
    all[active].scrollIntoView({ block: "nearest" });
    query.setAttribute("aria-activedescendant", all[active].id);
  }
  function close() {
    found.hidden = true;
    found.replaceChildren();
    active = -1;
    query.setAttribute("aria-expanded", "false");
    query.removeAttribute("aria-activedescendant");
    $("found-state").textContent = "";
  }
  function search() {
    make();
    const text = query.value.trim().toLowerCase();
    if (text === "") return close();
    const { words, count, groups } = best(text);
    let n = 0;
    found.replaceChildren(...groups.map(({ k, count, top }) => {
      const head = el("span", "", `${KINDS[k][0]}: ${top.length < count ? `${top.length} of ${number.format(count)}` : number.format(count)}`);
      head.id = `found-of-${k}`;
      const box = el("div", "", "", head, ...top.map(({ x }) => option(x, words, n++)));
      box.setAttribute("role", "group");
      box.setAttribute("aria-labelledby", head.id);
      return box;
    }));
    found.hidden = n === 0;
    query.setAttribute("aria-expanded", String(n > 0));
    $("found-state").textContent = count === 0 ? "Nothing found" : `${number.format(count)} found${n < count ? `, the best ${n} are shown` : ""}`;
    active = -1;
    activate(0);
  }
  function take(o) {
    const target = targets[Number(o.dataset.x)];
    const it = target.memory === undefined ? target : { ...target, i: homeOf(target.memory) };
    close();
    query.value = "";
    last = { query: "", hits: undefined };
    openIt(it);
    $("about").focus({ preventScroll: true });
    if (it.memory !== undefined) $("about").parentElement.scrollTop = 0;
  }
  let waiting = 0;
  query.oninput = () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(search);
    editor?.setState({ ...editor.getState(), query: query.value });
  };
  query.onfocus = () => makeLater();
  query.onkeydown = (e) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[e.key];
    if (step && !found.hidden) {
      e.preventDefault();
      const all = options().length;
      activate(Math.abs(step) === 1 ? active + step : Math.min(all - 1, Math.max(0, active + step)));
    } else if (e.key === "Enter") {
      e.preventDefault();
      cancelAnimationFrame(waiting);
      search(); // what was typed last
      const chosenOption = options()[active];
      if (chosenOption) take(chosenOption);
    } else if (e.key === "Escape") {
      e.preventDefault();
      if (query.value === "") return map.querySelector('button[tabindex="0"]')?.focus();
      query.value = "";
      query.oninput();
      close();
    }
  };
  found.onpointerdown = (e) => e.preventDefault(); // the input keeps the focus
  found.onclick = (e) => { const o = e.target.closest('[role="option"]'); if (o) take(o); };
  query.onblur = close;
  addEventListener("keydown", (e) => {
    const into = document.activeElement?.tagName ?? "";
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || into === "INPUT" || into === "SELECT" || into === "TEXTAREA") return;
    e.preventDefault();
    query.focus();
    query.select();
  });

  function ledger() {
    if (data.months.length === 0) return;
    $("ledger").hidden = false;
    const byAgent = data.agents.map((a) => [el("span", "", a.agent), sum(a.months)]);
    const used = memories.map((m, i) => [i, sum(m.shown ?? [])]).filter(([, s]) => s.shown > 0).sort((a, b) => b[1].shown - a[1].shown || a[0] - b[0]);
    const byMemory = used.slice(0, 20).map(([i, s]) => [link(memories[i].what.slice(0, 160), () => { openIt({ i: homeOf(i), memory: i }); $("about").focus(); }), s]);
    $("outcomes").replaceChildren(
      outcomes("By month", "Month", data.months.map((m) => [el("span", "", m.month ?? "before"), m]), true),
      ...(byAgent.length ? [outcomes("By agent", "Agent", byAgent, false)] : []),
      ...(byMemory.length ? [outcomes(used.length > 20 ? "By memory: the 20 that were shown most" : "By memory", "Memory", byMemory, true)] : []));
  }
  /** What came of several days or months together. */
  function sum(all) {
    const out = { shown: 0, followed: 0, overridden: 0, ignored: 0, people: 0, tokens: 0 };
    for (const one of all) for (const k of Object.keys(out)) out[k] += one[k] ?? 0;
    return out;
  }
  /** A table of outcomes; rows have what they are about, and the numbers. */
  function outcomes(title, about, rows, people) {
    const kinds = ["shown", "followed", "overridden", "ignored", "tokens", ...(people ? ["people"] : [])];
    const names = { shown: "Shown to agents", followed: "Followed", overridden: "Overridden", ignored: "Ignored", people: "Shown to people", tokens: "Tokens" };
    const head = (text) => { const th = el("th", "", text); th.scope = "col"; return th; };
    const body = rows.map(([name, m]) => {
      const bar = el("div", "bar");
      for (const k of ["followed", "overridden", "ignored"]) {
        const part = el("span", k);
        part.style.width = `${(100 * (m[k] ?? 0)) / Math.max(1, m.shown)}%`;
        bar.append(part);
      }
      return el("tr", "", "", el("td", "", "", name), ...kinds.map((k) => el("td", "", number.format(m[k] ?? 0))), el("td", "", "", bar));
    });
    return el("table", "", "", el("caption", "", title), el("thead", "", "", el("tr", "", "", ...[about, ...kinds.map((k) => names[k]), "Outcome"].map(head))), el("tbody", "", "", ...body));
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
      for (const b of data.coverage.bare) facts.push(["nothing about", `${b.folder === "." ? "files at the top" : b.folder} (${many(b.changes, "change")})`]);
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
  requestAnimationFrame(() => soon(makeLater));
  if (editor) { // which draws it again when memories change
    scrollTo(0, editor.getState()?.y ?? 0);
    if (editor.getState()?.query) { // somebody was searching
      query.value = editor.getState().query;
      query.focus({ preventScroll: true });
      search();
    }
    addEventListener("scrollend", () => editor.setState({ path: addressOf({ i: chosen, ...special }), y: scrollY }));
  }
})();
