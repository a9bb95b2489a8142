// page-shot.mjs PAGE PICTURE: a picture of a page's upper part.

import { pathToFileURL } from "node:url";

import { withBrowser } from "./browser.mjs";

const [path, picture] = process.argv.slice(2);

await withBrowser({ width: 1280, height: 860 }, async (context) => {
  const page = await context.newPage();
  await page.goto(pathToFileURL(path).href);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: picture });
});
