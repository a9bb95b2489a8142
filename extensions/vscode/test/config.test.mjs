// The settings as the server gets them. The module asks VS Code for them: a stub
// stands in for it, which is never called here.
import assert from "node:assert/strict";
import test from "node:test";

import { transform } from "esbuild";
import { readFile } from "node:fs/promises";

const source = await readFile(new URL("../src/config.ts", import.meta.url), "utf8");
const { code } = await transform(source.replace('import * as vscode from "vscode";', "const vscode = {} as any;"), { loader: "ts", format: "esm" });
const { forServer } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

for (const [name, value, want] of [
  ["null leaves it to the files", { hover: { enabled: null }, maxItems: null }, {}],
  ["what is set stays", { hover: { enabled: false }, diagnostics: { enabled: true, severity: null }, maxItems: 3 }, { hover: { enabled: false }, diagnostics: { enabled: true }, maxItems: 3 }],
  ["the extension's own are left out", { server: { path: "/m" }, trace: { server: "off" }, margin: { enabled: true } }, {}],
  ["an empty list is a value", { list: [] }, { list: [] }],
  ["no section", null, null],
]) {
  test(name, () => assert.deepEqual(forServer(value), want));
}
