// What the extension, its manifest and the server must agree on, read from their sources.
import assert from "node:assert/strict";
import { access, readdir, readFile } from "node:fs/promises";
import test from "node:test";

import { generated, isOwn, rowsOf, settingsOf, textName } from "../scripts/settings.mjs";
import { load } from "./load.mjs";

const read = (path) => readFile(new URL(path, import.meta.url), "utf8");
const manifest = JSON.parse(await read("../package.json"));
const { contributes } = manifest;

/** All sources of a folder and those below it in one text. */
async function sources(folder, end) {
  const names = (await readdir(new URL(folder, import.meta.url), { recursive: true })).filter((name) => name.endsWith(end) && !name.endsWith("_test.go"));
  return (await Promise.all(names.map((name) => read(`${folder}/${name}`)))).join("\n");
}

const go = await sources("../../../lsp", ".go");
const typescript = await sources("../src", ".ts");

test("the settings are those of the server's schema: npm run settings", async () => {
  const want = await generated();
  assert.ok(Object.keys(want).length >= 9, "the table of docs/configuration.md was not found");
  const english = JSON.parse(await read("../package.nls.json"));
  const own = Object.entries(contributes.configuration.properties).filter(([name]) => !isOwn(name));
  assert.deepEqual(own.map(([, { markdownDescription }]) => markdownDescription), own.map(([name]) => `%${textName(name)}%`));
  assert.deepEqual(Object.fromEntries(own.map(([name, setting]) => [name, { ...setting, markdownDescription: english[textName(name)] }])), want);
});

test("the server takes each of them from an editor", async () => {
  const configuration = await read("../../../lsp/settings/settings.go");
  const keys = new Set([...configuration.matchAll(/"([A-Za-z]+)"/g)].map(([, key]) => key));
  const unknown = Object.keys(await generated()).filter((name) => !name.split(".").slice(1).every((part) => part === "enabled" || keys.has(part)));
  assert.deepEqual(unknown, []);
});

test("a row of the schema becomes a setting", () => {
  const table = "<!-- generated: x -->\n| `editor.max_items` | `8` | 1 to 100 | How many. |\n| `hooks.nudge` | `true` | true, false | Tell. |\n<!-- end -->";
  assert.deepEqual(settingsOf(rowsOf(table)), {
    "manicule.hover.maxItems": { type: "integer", minimum: 1, maximum: 100, default: 8, scope: "resource", markdownDescription: "How many." },
  });
});

test("the folder's settings never name the program, trusted or not", () => {
  const own = Object.keys(contributes.configuration.properties).filter((name) => name.startsWith("manicule.server."));
  assert.deepEqual(own.map((name) => contributes.configuration.properties[name].scope), own.map(() => "machine"));
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, own);
});

const declared = contributes.commands.map(({ command }) => command);
const acts = `${await sources("../../../lsp/action", ".go")}\n${await read("../../../lsp/feature/lens.go")}\n${await read("../../../lsp/feature/lens_thread.go")}`;
const offered = [...acts.matchAll(/= "(manicule\.\w+)"/g)].map(([, id]) => id);
const registered = [...(await read("../src/main.ts")).matchAll(/(?:command|onItem|onDoubtful|onCandidates?|onThread)\("(manicule\.\w+)"/g)].map(([, id]) => id);

test("each command is offered by the server, or registered here, and not both", () => {
  assert.deepEqual(registered.filter((id) => offered.includes(id)), [], "an id is registered twice");
  assert.deepEqual(declared.filter((id) => !offered.includes(id) && !registered.includes(id)), []);
  assert.deepEqual(registered.filter((id) => !declared.includes(id)), []);
});

test("each command that the sources name exists", () => {
  const views = Object.values(contributes.views).flat().flatMap(({ id }) => [id, `${id}.focus`]);
  const known = [...declared, ...offered, ...views, ...Object.keys(contributes.configuration.properties)];
  const other = ["manicule.running", "manicule.idle", "manicule.failed", "manicule.listed", "manicule.filtered", "manicule.card", "manicule.map", "manicule.start", "manicule.welcomed", "manicule.status", "manicule.exe", ...contributes.colors.map(({ id }) => id)];
  const named = [...typescript.matchAll(/"(manicule\.[\w.]+)"/g)].map(([, id]) => id);
  assert.deepEqual([...new Set(named)].filter((id) => !known.includes(id) && !other.includes(id)), []);
});

test("menus, keys, welcomes and steps name commands that exist", () => {
  const text = JSON.stringify([contributes.menus, contributes.keybindings, contributes.viewsWelcome, contributes.walkthroughs]);
  const named = [...text.matchAll(/"command":"(manicule\.\w+)"/g), ...text.matchAll(/"list\.select","(manicule\.\w+)"/g), ...text.matchAll(/command:(manicule\.\w+)(?!\w|\.)/g)].map(([, id]) => id);
  assert.ok(named.length > 20);
  assert.deepEqual([...new Set(named)].filter((id) => !declared.includes(id)), []);
});

test("each request of the extension is served", async () => {
  const { requests, notifications } = await load("protocol");
  const missing = [...Object.values(requests), ...Object.values(notifications)].filter((method) => !go.includes(`"${method}"`));
  assert.deepEqual(missing, []);
});

test("the types of memories are the schema's", async () => {
  const { memoryTypes } = await load("protocol");
  const types = JSON.parse(await read("../../../docs/memory.schema.json")).properties.type.enum;
  assert.deepEqual(memoryTypes.filter((type) => !types.includes(type)), []);
});

test("each file that the manifest names is there", async () => {
  const text = JSON.stringify(manifest);
  const files = new Set([...text.matchAll(/"(?:\.\/)?((?:media|walkthrough)\/[\w.-]+)"/g)].map(([, file]) => file));
  for (const [, file] of (await read("../package.nls.json")).matchAll(/"(walkthrough\/[\w.-]+)"/g)) files.add(file);
  assert.ok(files.size > 5);
  for (const file of files) await access(new URL(`../${file}`, import.meta.url));
});

test("no view says that it is empty before the server has said what there is, or where it can't", () => {
  const empty = contributes.viewsWelcome.filter(({ contents }) => ["%welcome.empty%", "%welcome.review%", "%welcome.attention%", "%welcome.activity%", "%welcome.threads%"].includes(contents));
  assert.equal(empty.length, 5);
  for (const { contents, when } of empty) assert.match(when, /^manicule\.listed && !manicule\.unread:manicule\/(tree|candidates|stale|log|threads)$/u, contents);
});
