// Loads modules of the extension.
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

/** The exports of src/NAME.ts; in place of VS Code, and of its language client, it gets modules of these texts, if it needs them. */
export async function load(name, vscode, languageClient) {
  const source = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
  const texts = { vscode, "vscode-languageclient/node": languageClient };
  const instead = {
    name: "instead",
    setup: (build) => {
      build.onResolve({ filter: /^vscode/ }, ({ path }) => (texts[path] === undefined ? undefined : { path, namespace: "instead" }));
      build.onLoad({ filter: /./, namespace: "instead" }, ({ path }) => ({ contents: texts[path] }));
    },
  };
  const { outputFiles } = await build({ entryPoints: [source], bundle: true, write: false, format: "esm", platform: "node", logLevel: "error", plugins: [instead] });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
