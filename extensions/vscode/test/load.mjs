// Loads a module of the extension that knows nothing of VS Code.
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

/** The exports of src/NAME.ts. */
export async function load(name) {
  const source = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
  const { outputFiles } = await build({ entryPoints: [source], bundle: true, write: false, format: "esm", platform: "node", logLevel: "error" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
