// map_e2e.mjs SMALL LARGE: the pages of `manicule map` in a browser: that of the
// workspace of make_review, and one of 100,000 files and 10,000 memories. Drives the
// search by the keyboard, reads what a screen reader gets, lets axe-core look, and
// prints how long the large page takes to paint and to answer a key. Prints PASS and
// FAIL lines; puts pictures into $MANICULE_PICTURES.

import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { withBrowser } from "./browser.mjs";

const [small, large] = process.argv.slice(2).map((path) => pathToFileURL(path).href);
const pictures = process.env.MANICULE_PICTURES;
let failed = 0;

function report(name, ok, detail = "") {
  if (!ok) failed++;
  console.log(ok ? `PASS ${name}` : `FAIL ${name}: ${typeof detail === "string" ? detail : JSON.stringify(detail)}`);
}

async function picture(page, name) {
  if (pictures) await page.screenshot({ path: join(pictures, `map-${name}.png`) });
}

/** What axe-core finds wrong, "" for nothing. */
async function flaws(page) {
  // The page's policy lets no other script in: it is run as the browser's own tools are.
  const source = await readFile(join(process.env.MANICULE_BROWSER_TOOLS, "node_modules", "axe-core", "axe.min.js"), "utf8");
  await page.evaluate(source);
  return page.evaluate(async () => (await globalThis.axe.run(document)).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3).join(" ")}`).join("\n"));
}

const text = (page, selector) => page.locator(selector).innerText();
const selected = (page) => page.locator('#found [aria-selected="true"]').innerText();

/** Goes into the search, as a person does. */
async function enter(page) {
  if (!(await page.evaluate(() => document.activeElement.id === "query"))) await page.keyboard.press("/");
}

/** Types a query, and waits until it is answered: an answer is drawn with the next frame. */
async function type(page, query) {
  await enter(page);
  await page.keyboard.type(query);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** The search of a small repository: each kind of thing, by the keyboard alone. */
async function finds(context) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.goto(small);
  const share = () => page.evaluate(() => {
    const area = (box) => box.clientWidth * box.clientHeight;
    return [...document.querySelectorAll("button.tile")].filter((tile) => tile.title.startsWith("art")).reduce((sum, tile) => sum + area(tile), 0) / area(document.querySelector("#map"));
  });
  const byText = await share();
  report("a picture takes little room among code", byText > 0 && byText < 0.3, byText);
  await page.locator("#size").selectOption("b");
  const byBytes = await share();
  report("by bytes it takes most of it", byBytes > 0.9, byBytes);
  await page.locator("#size").selectOption("t");
  await page.locator("#size").blur();
  const cases = [
    ["a memory by its words", "redis unreachable", /^Refresh fails silently.*gotcha auth/s, /^auth\/token\.go/, "Refresh fails silently"],
    ["a symbol", "validate", /^Store\.Validate\s+method auth\/token\.go:21/, /^auth\/token\.go/, "Store.Validate method, auth/token.go:21"],
    ["a file", "session.ts", /^web\/session\.ts\s+file/, /^web\/session\.ts/, ""],
    ["a folder", "tools", /^tools\/\s+folder/, /^tools: 3 memories/, "Amounts are in cents"],
    ["by letters in their order", "wbssn", /^web\/session\.ts\s+file/, /^web\/session\.ts/, ""],
  ];
  for (const [name, query, first, about, shown] of cases) {
    await type(page, query);
    const option = await selected(page);
    await picture(page, `find-${query.replace(/\W+/g, "-")}`);
    await page.keyboard.press("Enter");
    const [title, side] = [await text(page, "#about"), await text(page, "aside")];
    report(`${name} is found as one types, and opened by Enter`, first.test(option) && about.test(title) && side.includes(shown), { option, title, side });
    report("and is where the focus is", await page.evaluate(() => document.activeElement.id === "about"));
  }
  await page.goBack();
  const side = await page.locator("aside article").evaluateAll((all) => all.map((one) => [one.querySelector(".head b").textContent, ...[...one.querySelectorAll("code")].map((code) => code.textContent)].join(" ")));
  report("gotchas come before conventions, and code is code", side.length === 3 && /^gotcha/.test(side[0]) && /^gotcha/.test(side[1]) && side.includes("gotcha total"), side);
  report("Back leads to what was open before", /^tools: /.test(await text(page, "#about")), await text(page, "#about"));

  await type(page, "re");
  const before = await selected(page);
  await page.keyboard.press("ArrowDown");
  report("arrows move among what was found", (await selected(page)) !== before, before);
  await page.keyboard.press("Escape");
  report("Escape clears the search", (await page.locator("#query").inputValue()) === "" && !(await page.locator("#found").isVisible()));
  await page.keyboard.type("nothing has such a name");
  await page.waitForFunction(() => document.querySelector("#found-state").textContent === "Nothing found");
  report("what is not there is said", true);
  await page.keyboard.press("Escape");

  await page.keyboard.type("refresh");
  // What is found lags behind the letters.
  await page.waitForFunction(() => [...document.querySelectorAll('#found [role="option"] mark')].some((m) => m.textContent === "Refresh"));
  const tree = await page.locator("#search").ariaSnapshot();
  report("a screen reader gets a combobox", /combobox "Find a file, folder, symbol or memory: press \/"/.test(tree), tree);
  report("with options that say what they are, one of them selected", /option "Store.Refresh method auth\/token.go:12" \[selected\]/.test(tree) && /group "Memories: 1"/.test(tree) && /status: \d+ found/.test(tree), tree);
  report("and the active one is named", await page.evaluate(() => document.querySelector("#query").getAttribute("aria-activedescendant") === document.querySelector('#found [aria-selected="true"]').id));
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await picture(page, `search-${colorScheme}`);
    const found = await flaws(page);
    report(`axe finds nothing wrong with the search, ${colorScheme}`, found === "", found);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.keyboard.press("Escape");
  await type(page, "store.refresh");
  await page.keyboard.press("Enter");
  await picture(page, "symbol");
  const found = await flaws(page);
  report("axe finds nothing wrong with a symbol and its users", found === "", found);
  const address = await page.evaluate(() => location.href);
  await page.goto("about:blank");
  await page.goto(address);
  report("a symbol has an address", (await text(page, "#symbol")).includes("Store.Refresh"), address);
}

/** What came of the memories: by month, by agent and by memory, without people. */
async function tells(context) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.goto(small);
  const tables = await page.locator("#outcomes table").evaluateAll((all) => all.map((t) => ({ caption: t.caption.innerText, rows: [...t.tBodies[0].rows].map((r) => [...r.cells].map((c) => c.innerText)) })));
  const [months, agents, of] = tables;
  report("the outcomes are told by month, by agent and by memory", tables.map(({ caption }) => caption).join() === "By month,By agent,By memory", tables);
  report("an agent is a program, and one that is not known has no name", agents?.rows.map(([name]) => name).join() === "claude-code,others" && !(await page.content()).includes("lovelace"), agents);
  const sum = (rows, at) => rows.reduce((n, row) => n + Number(row[at]), 0);
  report("the tables agree on what agents were shown", sum(months.rows, 1) > 0 && sum(months.rows, 1) === sum(agents.rows, 1) && sum(of.rows, 1) === sum(agents.rows, 1), tables);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.locator("#ledger").scrollIntoViewIfNeeded();
    await picture(page, `outcomes-${colorScheme}`);
    const found = await flaws(page);
    report(`axe finds nothing wrong with the outcomes, ${colorScheme}`, found === "", found);
  }
  const [what] = of.rows[0];
  await page.locator("#outcomes .link").first().click();
  report("a memory in the table opens", (await text(page, "aside")).includes(what), what);
}

const median = (all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];

/** The large page: first paint, and what a key takes until its answer is drawn. */
async function quick(context) {
  const paints = [], drawn = [];
  let page;
  for (let run = 0; run < 3; run++) {
    await page?.close();
    page = await context.newPage();
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.goto(large);
    const [paint, tiles] = await page.evaluate(() => new Promise((done) => {
      const look = () => {
        const [first] = performance.getEntriesByName("first-contentful-paint");
        if (first && document.querySelector("#map .tile")) done([first.startTime, performance.now()]);
        else requestAnimationFrame(look);
      };
      look();
    }));
    paints.push(paint);
    drawn.push(tiles);
  }
  console.log(`a page of 100,000 files and 10,000 memories: first paint ${median(paints).toFixed(0)} ms (${paints.map((t) => t.toFixed(0)).join(", ")}), with its map ${median(drawn).toFixed(0)} ms`);
  report("it says how large it is", /100,000 files.*10,000 memories/.test(await text(page, "#totals")), await text(page, "#totals"));
  await picture(page, "large");

  await page.evaluate(() => {
    globalThis.times = { keys: [], tasks: [] };
    new PerformanceObserver((list) => globalThis.times.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask", buffered: false });
    document.querySelector("#query").addEventListener("input", () => {
      const start = performance.now();
      requestAnimationFrame(() => requestAnimationFrame(() => globalThis.times.keys.push(performance.now() - start)));
    });
  });
  const queries = ["token cache silently", "mailer_77", "ledger/parser", "refresh12", "qwxz", "invoice session queue"];
  for (const query of queries) {
    await enter(page);
    for (const key of query) {
      const before = await page.evaluate(() => globalThis.times.keys.length);
      await page.keyboard.type(key);
      await page.waitForFunction((before) => globalThis.times.keys.length > before, before, { polling: "raf" });
    }
    if (query === queries[0]) await picture(page, "large-search");
    await page.keyboard.press("Escape");
  }
  const { keys, tasks } = await page.evaluate(() => globalThis.times);
  const sorted = [...keys].sort((a, b) => a - b);
  console.log(`${keys.length} keys typed into its search: until the answer is drawn median ${median(keys).toFixed(0)} ms, 95 in 100 within ${sorted[Math.floor(0.95 * sorted.length)].toFixed(0)} ms, the longest ${sorted.at(-1).toFixed(0)} ms; ${tasks.length} tasks of more than 50 ms${tasks.length ? `, the longest ${Math.max(...tasks).toFixed(0)} ms` : ""}`);

  for (const [name, query, about] of [
    ["a file that has no area of its own", "ledger_99991.go", /ledger_99991\.go: \d+ memor/],
    ["a memory", "silently 4711", /4711 fails silently/],
    ["a symbol", "refresh77", /Refresh77/],
  ]) {
    await type(page, query);
    const option = await selected(page);
    await page.keyboard.press("Enter");
    const title = await text(page, "#about");
    report(`of 100,000 files ${name} is found`, option !== null && about.test(await text(page, "aside")), { option, title });
  }
  const found = await flaws(page);
  report("axe finds nothing wrong with the large page", found === "", found);
}

if (pictures) await mkdir(pictures, { recursive: true });
try {
  await withBrowser({ width: 1280, height: 860 }, async (context) => {
    await finds(context);
    await tells(context);
    await quick(context);
  });
} catch (error) {
  report("the map", false, error.message);
}
process.exit(failed === 0 ? 0 : 1);
