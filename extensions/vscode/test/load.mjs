// Loads modules of the extension.
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

/** The exports of src/NAME.ts; in place of VS Code it gets a module of that text, if it needs one. */
export async function load(name, vscode) {
  const source = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
  const instead = {
    name: "vscode",
    setup: (build) => {
      build.onResolve({ filter: /^vscode$/ }, ({ path }) => ({ path, namespace: "instead" }));
      build.onLoad({ filter: /./, namespace: "instead" }, () => ({ contents: vscode }));
    },
  };
  const { outputFiles } = await build({ entryPoints: [source], bundle: true, write: false, format: "esm", platform: "node", logLevel: "error", plugins: vscode === undefined ? [] : [instead] });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
