// What the side bar has VS Code draw again, and what it asks the server for, with as much of VS Code as its views need.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const { candidatesOf, createViews } = await load(
  "views",
  `
  export class EventEmitter { listeners = []; event = (listener) => { this.listeners.push(listener); return { dispose() {} }; }; fire(what) { for (const listener of this.listeners) listener(what); } dispose() {} }
  export const Disposable = { from: () => ({ dispose() {} }) };
  export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
  export class TreeItem { constructor(label, collapsibleState) { Object.assign(this, { label, collapsibleState }); } }
  export class ThemeIcon { static File = "file"; constructor(id) { this.id = id; } }
  export class ThemeColor {}
  export class Range {}
  export class MarkdownString { constructor(value) { this.value = value; } }
  export const Uri = { parse: (uri) => uri, joinPath: (...parts) => parts.join("/") };
  export const l10n = { t: (text, ...args) => text.replace(/\\{(\\d)\\}/g, (_, at) => args[at]) };
  export const commands = { executeCommand: async () => undefined };
  export const TextEditorSelectionChangeKind = { Keyboard: 1, Mouse: 2, Command: 3 };
  const moves = new Set();
  globalThis.maniculeMoves = moves;
  export const window = { onDidChangeTextEditorSelection: (listener) => { moves.add(listener); return { dispose: () => moves.delete(listener) }; }, createTreeView: (id, options) => (globalThis.maniculeTrees[id] = { options, selection: [], visible: true, revealed: [], async reveal(line, how) { this.revealed.push([line.id, how]); } }) };
`,
);

const item = (uuid, more) => ({ uuid, type: "gotcha", what: uuid, why: "", scope: [], tags: [], state: "fresh", reason: "", trust: { origin: "user_taught", tainted: false, verifiedBy: "" }, contributor: "", pinned: false, branch: "", owner: "", disputed: false, draft: false, updatedAt: "", ...more });
const group = (label, ...items) => ({ label, path: label, uri: `file:///${label}`, folder: "w", count: items.length, items });
const candidate = (uuid, more) => ({ uuid, type: "gotcha", what: `proposal ${uuid}`, why: "because", evidence: [], paths: [], scope: [`${uuid}/**`], confidence: 0, sessions: 0, tainted: false, origin: "", version: 0, versions: [], ...more });

/** The side bar over a store that holds this, and how often it asks for what. */
function sideBar(holds) {
  globalThis.maniculeTrees = {};
  const listeners = [];
  const asked = [];
  const store = {
    groups: [], folders: [], candidates: [], doubtful: [], log: [], threads: [], unread: new Map(), grouping: "file", filter: { empty: true, describe: () => "" }, ...holds,
    get filtered() { return this.groups; },
    get waiting() { return { items: this.candidates, total: this.waits ?? this.candidates.length }; },
    get stale() { return { items: this.doubtful, total: this.doubtfulInAll ?? this.doubtful.length }; },
    get left() { return { items: this.threads, total: this.threads.length, open: 0 }; },
    open: async (id) => { asked.push(["open", id]); change(holds.opened); },
    onDidChange: (listener) => { listeners.push(listener); return { dispose() {} }; },
  };
  const server = {
    request: async (method, params) => {
      asked.push([method, params.uuid]);
      return { folder: "file:///w", code: [{ path: "a.go", location: { uri: "file:///w/a.go", range: { start: { line: 3, character: 0 }, end: { line: 3, character: 1 } } }, text: "func f() {\n\tg()\n}", more: 2 }] };
    },
  };
  const views = createViews(server, store);
  const tree = (name) => globalThis.maniculeTrees[`manicule.${name}`].options.treeDataProvider;
  const fired = [];
  for (const name of ["memories", "review", "attention", "threads", "activity"]) {
    tree(name).onDidChangeTreeData((lines) => fired.push(`${name}: ${lines === undefined ? "all" : lines.map(({ id }) => id).join(" ")}`));
  }
  const change = (now) => {
    fired.length = 0;
    Object.assign(store, now);
    for (const listener of listeners) listener();
    return [...fired];
  };
  return { tree, change, asked, views };
}

const memories = () => [group("a.go", item("1"), item("2")), group("b.go", item("3"))];

test("nothing is drawn again where nothing changed", () => {
  assert.deepEqual(sideBar({ groups: memories() }).change({ groups: memories() }), []);
});

test("a changed memory is one line of one tree", () => {
  const { change } = sideBar({ groups: memories(), doubtful: [item("9")] });
  assert.deepEqual(change({ groups: [group("a.go", item("1"), item("2", { pinned: true })), group("b.go", item("3"))] }), ['memories: group:["w","a.go","a.go"]:0:2:0']);
});

test("a new memory is drawn with its group", () => {
  const { change } = sideBar({ groups: memories() });
  assert.deepEqual(change({ groups: [group("a.go", item("1"), item("2")), group("b.go", item("3"), item("4"))] }), ['memories: group:["w","b.go","b.go"]:0']);
});

test("a proposal that is edited is one line, one that came draws the queue and nothing else", () => {
  const { change } = sideBar({ groups: memories(), candidates: [candidate("a"), candidate("b")] });
  assert.deepEqual(change({ candidates: [candidate("a"), candidate("b", { why: "another reason" })] }), ["review: candidate:b"]);
  assert.deepEqual(change({ candidates: [candidate("a"), candidate("b", { why: "another reason" }), candidate("c")] }), ["review: all"]);
});

test("a list that can't be read says why, and the others say nothing", () => {
  const { change } = sideBar({ groups: memories() });
  const messages = () => ["review", "attention", "threads", "activity"].map((name) => globalThis.maniculeTrees[`manicule.${name}`].message);
  assert.deepEqual(messages(), ["", "", "", ""]);
  change({ unread: new Map([["manicule/candidates", "state.db was written by a newer version"]]) });
  assert.deepEqual(messages(), ["This can't be read: state.db was written by a newer version", "", "", ""]);
  change({ unread: new Map() });
  assert.deepEqual(messages(), ["", "", "", ""]);
});

test("what needs attention says how many more there are", async () => {
  const { tree } = sideBar({ doubtful: [item("9", { state: "orphaned" })], doubtfulInAll: 700 });
  const lines = await tree("attention").getChildren();
  assert.deepEqual([lines.length, lines[1].content.kind, globalThis.maniculeTrees["manicule.attention"].badge.value], [2, "more", 700]);
});

test("a line keeps its id and its object", async () => {
  const { tree, change } = sideBar({ groups: memories() });
  const [before] = await tree("memories").getChildren();
  change({ groups: [group("0.go", item("0")), ...memories()] });
  const [, after] = await tree("memories").getChildren();
  assert.equal(after, before);
  assert.equal(tree("memories").getTreeItem(after).id, before.id);
});

test("the code of a proposal is asked for when one looks, and not before", async () => {
  const { tree, asked, change } = sideBar({ candidates: [candidate("a", { paths: ["a.go"] })] });
  const review = tree("review");
  const [line] = await review.getChildren();
  const shown = review.getTreeItem(line);
  change({ candidates: [candidate("a", { paths: ["a.go"], why: "because of it" })] });
  assert.deepEqual([asked.length, shown.tooltip], [0, undefined]);
  const below = await review.getChildren(line);
  assert.deepEqual(asked, [["manicule/candidate", "a"]]);
  assert.deepEqual(below.map((one) => review.getTreeItem(one).label), ["because of it", "a/**", "a.go:4"]);
  assert.deepEqual((await review.getChildren(below[2])).map((one) => review.getTreeItem(one).label), ["func f() {", "    g()", "}", "… 2 more lines"]);
  const { tooltip } = await review.resolveTreeItem(shown, line);
  assert.match(tooltip.value, /```go\nfunc f\(\)/u);
});

test("a group of proposals stands for all of them, once", async () => {
  const same = { scope: ["web/**"] };
  const { tree } = sideBar({ candidates: [candidate("a", same), candidate("b"), candidate("c", same)] });
  const lines = await tree("review").getChildren();
  assert.deepEqual(lines.map((line) => tree("review").getTreeItem(line).label), ["web/**", "proposal b"]);
  assert.equal(tree("review").getTreeItem(lines[0]).contextValue, "candidates");
  const below = await tree("review").getChildren(lines[0]);
  assert.deepEqual(candidatesOf([lines[0], below[1], lines[1]]).map(({ uuid }) => uuid), ["a", "c", "b"]);
});

test("each line of a broken text says all of it under the pointer", async () => {
  const why = "a reason that is so long that a side bar has no room for it on one line";
  const { tree } = sideBar({ candidates: [candidate("a", { why })] });
  const review = tree("review");
  const items = (await review.getChildren((await review.getChildren())[0])).map((one) => review.getTreeItem(one));
  const lines = items.filter(({ tooltip }) => tooltip === why);
  assert.ok(lines.length > 2, String(lines.length));
  assert.equal(lines.map(({ label }) => label).join(" "), why);
});

test("a short text is not said again below its own line", async () => {
  const { tree } = sideBar({ candidates: [candidate("a", { why: "", what: "Short" })] });
  const review = tree("review");
  assert.deepEqual((await review.getChildren((await review.getChildren())[0])).map((one) => review.getTreeItem(one).label), ["a/**", "a.go:4"]);
});

test("the memories of a group are asked for when it is opened, and page by page", async () => {
  const many = Array.from({ length: 700 }, (_, at) => item(String(at)));
  const group = (items) => ({ label: "a.go", path: "a.go", uri: "file:///a.go", folder: "w", count: 700, items });
  const { tree, asked, change } = sideBar({ later: true, groups: [group([])], opened: { groups: [group(many.slice(0, 500))] } });
  const list = tree("memories");
  const [line] = await list.getChildren();
  assert.deepEqual([list.getTreeItem(line).collapsibleState, list.getTreeItem(line).description, asked.length], [1, "700", 0]);
  const below = await list.getChildren(line);
  assert.deepEqual([below.length, asked], [501, [["open", line.id]]]);
  assert.deepEqual([list.getTreeItem(below[500]).label, list.getTreeItem(below[500]).collapsibleState], ["200 more", 1]);
  await list.getChildren(line);
  assert.equal(asked.length, 1, "what is here is not asked for again");
  change({ groups: [group(many)] });
  assert.equal((await list.getChildren(below[500])).length, 200);
});

test("a queue that is too long says how many more there are", async () => {
  const { tree } = sideBar({ candidates: [candidate("a")], waits: 2900 });
  const lines = await tree("review").getChildren();
  assert.deepEqual(lines.map((line) => tree("review").getTreeItem(line).label), ["proposal a", "2899 more, when these are decided"]);
  assert.deepEqual(candidatesOf(lines).map(({ uuid }) => uuid), ["a"]);
});

test("after a decision the next line of the queue is selected, unless nothing was decided", async () => {
  const [a, b, c] = [candidate("a"), candidate("b", { scope: ["src/**"] }), candidate("c", { scope: ["src/**"] })];
  const { tree, change, views } = sideBar({ candidates: [a, b, c] });
  const { revealed } = globalThis.maniculeTrees["manicule.review"];
  const [line] = await tree("review").getChildren();
  await views.settling([line], () => undefined);
  assert.deepEqual(revealed, []);
  await views.settling([line], () => change({ candidates: [b, c] }));
  assert.deepEqual(revealed.pop(), ["candidate:b", { select: true, focus: true }]);
  const [group] = await tree("review").getChildren();
  assert.equal(tree("review").getParent(group.below[0]), group);
  globalThis.maniculeTrees["manicule.review"].visible = false;
  await views.settling([group.below[0]], () => change({ candidates: [c] }));
  assert.deepEqual(revealed, [], "a list that nobody sees is not opened");
});

test("a decision neither takes the keyboard from an editor nor the selection from another line", async () => {
  const [a, b, c] = [candidate("a"), candidate("b"), candidate("c")];
  const { tree, change, views } = sideBar({ candidates: [a, b, c] });
  const view = globalThis.maniculeTrees["manicule.review"];
  const [first, second] = await tree("review").getChildren();
  const moved = (kind) => { for (const listener of globalThis.maniculeMoves) listener({ kind }); };
  await views.settling([first], () => { moved(3); moved(1); change({ candidates: [b, c] }); });
  assert.deepEqual(view.revealed.pop(), ["candidate:b", { select: true, focus: false }]);
  view.selection = [(await tree("review").getChildren())[1]];
  await views.settling([second], () => change({ candidates: [c] }));
  assert.deepEqual(view.revealed, [], "the person has selected another one");
  assert.equal(globalThis.maniculeMoves.size, 0, "nobody listens any longer");
  view.selection = [];
  view.reveal = () => Promise.reject(new Error("no such line"));
  const [third] = await tree("review").getChildren();
  await views.settling([third], () => change({ candidates: [a] }));
});
