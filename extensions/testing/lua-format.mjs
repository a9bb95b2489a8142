// lua-format.mjs [--write] FILE...: says which Lua files are not formatted as
// the plugin's .stylua.toml has it, or formats them.
//
// It runs StyLua's WebAssembly build, from the folder that $MANICULE_LUA_TOOLS
// names (lint-lua.sh installs it), with the options of that file repeated here:
// the build reads no files.
//
// Exit codes: 0 all are formatted; 1 some are not; 2 wrong usage.

import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";

const tools = process.env.MANICULE_LUA_TOOLS;
const write = process.argv[2] === "--write";
const files = process.argv.slice(write ? 3 : 2);
if (!tools || files.length === 0) {
  console.error("usage: MANICULE_LUA_TOOLS=DIR lua-format.mjs [--write] FILE...");
  process.exit(2);
}
const stylua = createRequire(`${tools}/package.json`)("@johnnymorganz/stylua");

/** The options; formatting uses them up. */
function options() {
  const config = stylua.Config.new();
  config.column_width = 120;
  config.indent_type = stylua.IndentType.Spaces;
  config.indent_width = 2;
  config.quote_style = stylua.QuoteStyle.AutoPreferSingle;
  config.collapse_simple_statement = stylua.CollapseSimpleStatement.Always;
  return config;
}

let bad = 0;
for (const file of files) {
  const was = await readFile(file, "utf8");
  const now = stylua.formatCode(was, options(), undefined, stylua.OutputVerification.None);
  if (was === now) continue;
  if (write) {
    await writeFile(file, now);
  } else {
    bad++;
    console.error(`not formatted: ${file}`);
  }
}
process.exit(bad > 0 ? 1 : 0);
