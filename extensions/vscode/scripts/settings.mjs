// settings.mjs [--write]: the settings of package.json that the server reads, from
// the table in docs/configuration.md, which the server's tests generate from its
// schema. Prints them; with --write they replace those in package.json, and their
// descriptions those in package.nls.json. The other languages are written by hand.

import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const page = new URL("../../../docs/configuration.md", import.meta.url);
const manifest = new URL("../package.json", import.meta.url);
const texts = new URL("../package.nls.json", import.meta.url);

/** Settings outside of the section editor that the server takes from editors too. */
const others = { "index.enabled": "codeGraph" };

/** The names of settings, by the keys of the configuration files in camel case: a thing, and what about it. */
const names = {
  severity: "diagnostics.severity",
  staleSeverity: "diagnostics.staleSeverity",
  driftedSeverity: "diagnostics.driftedSeverity",
  deadEndSeverity: "diagnostics.deadEndSeverity",
  maxItems: "hover.maxItems",
  maxPerFile: "codeLens.maxPerFile",
};

/** The rows of the generated table, as objects. */
export function rowsOf(markdown) {
  const table = markdown.split("<!-- generated:")[1]?.split("<!-- end -->")[0] ?? "";
  return [...table.matchAll(/^\| `([\w.]+)` \| `(.*?)` \| (.*?) \| (.*?) \|$/gmu)].map(([, key, value, values, doc]) => ({ key, value, values, doc }));
}

/**
 * The settings of package.json for the rows that editors set. The default is that of the server; only
 * what a person set is sent, so the configuration files decide about the rest.
 */
export function settingsOf(rows) {
  return Object.fromEntries(
    rows.flatMap(({ key, value, values, doc }) => {
      const camel = others[key] ?? (key.startsWith("editor.") ? key.slice(7).replace(/_(\w)/gu, (_, letter) => letter.toUpperCase()) : undefined);
      if (camel === undefined) return [];
      const type = typeOf(value, values);
      const name = names[camel] ?? (type.type === "boolean" ? `${camel}.enabled` : camel);
      return [[`manicule.${name}`, { ...type, scope: "resource", markdownDescription: doc }]];
    }),
  );
}

function typeOf(value, values) {
  const range = /^(\d+) to (\d+)$/u.exec(values);
  if (values === "true, false") return { type: "boolean", default: value === "true" };
  if (range) return { type: "integer", minimum: Number(range[1]), maximum: Number(range[2]), default: Number(value) };
  if (values === "text") return { type: "string", default: value };
  return { type: "string", enum: values.split(", "), default: value };
}

/** The server's settings as the documentation has them now. */
export async function generated() {
  return settingsOf(rowsOf(await readFile(page, "utf8")));
}

/** The name of a setting's description in package.nls.json. */
export function textName(name) {
  return name.replace(/^manicule\./u, "config.");
}

/** Whether a setting is the extension's own. */
export function isOwn(name) {
  return /^manicule\.(server|trace|margin|currentLine|coverage)\./u.test(name);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const settings = await generated();
  if (process.argv[2] === "--write") {
    const all = JSON.parse(await readFile(manifest, "utf8"));
    const english = JSON.parse(await readFile(texts, "utf8"));
    const { configuration } = all.contributes;
    const own = Object.entries(configuration.properties).filter(([name]) => isOwn(name));
    for (const name of Object.keys(configuration.properties)) if (!isOwn(name)) delete english[textName(name)];
    const named = Object.entries(settings).map(([name, setting]) => {
      english[textName(name)] = setting.markdownDescription;
      return [name, { ...setting, markdownDescription: `%${textName(name)}%` }];
    });
    configuration.properties = Object.fromEntries([...own, ...named]);
    await writeFile(manifest, `${JSON.stringify(all, undefined, 2)}\n`);
    await writeFile(texts, `${JSON.stringify(english, undefined, 2)}\n`);
  } else {
    console.log(JSON.stringify(settings, undefined, 2));
  }
}
