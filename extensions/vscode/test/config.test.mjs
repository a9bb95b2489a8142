// The settings as the server gets them. The module asks VS Code for them: a stub
// stands in for it, which is never called here.
import assert from "node:assert/strict";
import test from "node:test";

import { transform } from "esbuild";
import { readFile } from "node:fs/promises";

const source = await readFile(new URL("../src/config.ts", import.meta.url), "utf8");
const { code } = await transform(source.replace('import * as vscode from "vscode";', "const vscode = {} as any;"), { loader: "ts", format: "esm" });
const { forServer } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

const inspect = (set) => (key) => set[key];
const keys = ["server.path", "margin.enabled", "hover.enabled", "hover.maxItems", "diagnostics.severity"];

for (const [name, set, want] of [
  ["what nobody set is left to the files", { "hover.enabled": { defaultValue: true } }, {}],
  ["what is set stays", { "hover.enabled": { globalValue: false }, "hover.maxItems": { workspaceValue: 3 } }, { hover: { enabled: false, maxItems: 3 } }],
  ["the nearest wins", { "diagnostics.severity": { globalValue: "error", workspaceValue: "hint", workspaceFolderValue: "warning" } }, { diagnostics: { severity: "warning" } }],
  ["the extension's own are left out", { "server.path": { globalValue: "/m" }, "margin.enabled": { globalValue: false } }, {}],
]) {
  test(name, () => assert.deepEqual(forServer(keys, inspect(set)), want));
}

test("a setting of an old version does not break its neighbours", () => {
  assert.deepEqual(forServer(["hover", "hover.enabled"], inspect({ hover: { globalValue: false }, "hover.enabled": { globalValue: true } })), { hover: false });
});
