// Whether a folder has memories. It must not know VS Code, so that it can be tested without it.

import { stat } from "node:fs/promises";
import * as path from "node:path";

/** The folder in which a workspace keeps its memories. */
export const memoryFolder = ".manicule";

/** The folder that keeps the memories of a folder: itself, or one above it in the same repository; undefined if none does. */
export async function rootOf(folder: string, exists = isThere): Promise<string | undefined> {
  for (let dir = path.resolve(folder); ; dir = path.dirname(dir)) {
    if (await exists(path.join(dir, memoryFolder))) return dir;
    if (path.dirname(dir) === dir || (await exists(path.join(dir, ".git")))) return undefined;
  }
}

/** Tells whether a folder, or one above it in the same repository, keeps memories. */
export async function isSetUp(folder: string, exists = isThere): Promise<boolean> {
  return (await rootOf(folder, exists)) !== undefined;
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
}
