// What the extension and the server must agree on, read from the server's source.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

const read = (path) => readFile(new URL(path, import.meta.url), "utf8");
const manifest = JSON.parse(await read("../package.json"));

test("each setting is known to the server, or the extension's own", async () => {
  const server = await read("../../../lsp/configuration.go");
  const keys = new Set([...server.matchAll(/"([A-Za-z]+)"/g)].map(([, key]) => key));
  const settings = Object.keys(manifest.contributes.configuration.properties);
  const unknown = settings.filter((name) => !keys.has(name.split(".")[1]));
  assert.deepEqual(unknown, []);
});

test("settings that the server reads have no default here, which would hide the configuration files", () => {
  const properties = Object.entries(manifest.contributes.configuration.properties);
  const hiding = properties.filter(([name, { default: value }]) => !/^manicule\.(server|trace)\./.test(name) && value !== null);
  assert.deepEqual(hiding, []);
});

test("each command is offered by the server, or registered here", async () => {
  const offered = [...(await read("../../../lsp/command.go")).matchAll(/= "(manicule\.\w+)"/g)].map(([, id]) => id);
  const registered = [...(await read("../src/main.ts")).matchAll(/registerCommand\("(manicule\.\w+)"/g)].map(([, id]) => id);
  assert.deepEqual(registered.filter((id) => offered.includes(id)), [], "an id is registered twice");
  const declared = manifest.contributes.commands.map(({ command }) => command);
  assert.deepEqual(declared.filter((id) => !offered.includes(id) && !registered.includes(id)), []);
  const intercepted = [...(await read("../src/commands.ts")).matchAll(/case "(manicule\.\w+)"/g)].map(([, id]) => id);
  assert.deepEqual(intercepted.filter((id) => !offered.includes(id)), []);
});
