// The correction of a memory that is wrong: a document with what it says and a
// line for what was wrong. Saving it writes a new version.

import * as vscode from "vscode";

import type { Server } from "./client";
import { Forms } from "./forms";
import { correctionStartOf, refusalOf } from "./protocol";
import type { Store } from "./store";
import { correctable, correctionOf } from "./words";

/** The forms of corrections. */
export class Corrections implements vscode.Disposable {
  private readonly forms: Forms;
  private readonly subscription: vscode.Disposable;
  /** The version that the person has before them, by memory. */
  private readonly versions = new Map<string, number>();

  constructor(
    private readonly server: Server,
    private readonly store: Store,
  ) {
    this.forms = new Forms({
      scheme: "manicule-correction",
      name: "memory.correction.json",
      hint: "☞ Say what was wrong, put it right, and save",
      save: (uuid, text) => this.save(uuid, text),
    });
    this.subscription = server.onNeedsForm((answer) => {
      void this.open(answer);
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.forms.dispose();
  }

  // Opens the form for what the server answered to a correction without a text.
  private async open(answer: unknown): Promise<void> {
    const start = correctionStartOf(answer);
    if (!start) return;
    if (!this.forms.isDirty(start.uuid)) this.versions.set(start.uuid, start.version);
    const { text, cursor } = correctable(start);
    await this.forms.open(start.uuid, text, cursor);
  }

  private async save(uuid: string, text: string): Promise<void> {
    const changes = { ...correctionOf(text), version: this.versions.get(uuid) ?? 0 };
    const refusal = refusalOf(await this.server.run("manicule.correctMemory", uuid, changes));
    if (refusal !== "") throw new Error(refusal);
    vscode.window.setStatusBarMessage("☞ Corrected; the history has what it said before", 5000);
    await this.store.refresh();
  }
}
