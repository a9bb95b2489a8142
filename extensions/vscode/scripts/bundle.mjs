// bundle.mjs: dist/main.js and the schema of memory files, as they are packaged.

import { copyFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

await build({
  entryPoints: [at("../src/main.ts")],
  outfile: at("../dist/main.js"),
  bundle: true,
  external: ["vscode"],
  format: "cjs",
  platform: "node",
  target: "node20",
  minify: true,
  logLevel: "warning",
});
await copyFile(at("../../../docs/memory.schema.json"), at("../dist/memory.schema.json"));
