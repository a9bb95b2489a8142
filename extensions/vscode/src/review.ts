// The review queue: accept, edit and reject what is proposed. A candidate that
// is edited is a form; saving it accepts it.

import * as vscode from "vscode";

import type { Server } from "./client";
import { Forms } from "./forms";
import { type Candidate, editStartOf, refusalOf } from "./protocol";
import type { Store } from "./store";
import { editable, editsOf, oneLine } from "./words";

/** How many characters of a memory's text a message shows. */
const shown = 60;

export class Review implements vscode.Disposable {
  private readonly forms: Forms;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly store: Store,
  ) {
    this.forms = new Forms({
      scheme: "manicule-candidate",
      name: "review.candidate.json",
      hint: "☞ Save to accept the memory, close to leave it in the queue",
      save: (uuid, text) => this.acceptEdited(uuid, text),
    });
    // A code action passes only the candidate's UUID.
    this.subscription = server.onNeedsForm((answer) => {
      const candidate = editStartOf(answer);
      if (candidate) void this.edit(candidate);
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.forms.dispose();
  }

  /**
   * Accepts a candidate as it is, and resolves to whether it was accepted. One
   * that may repeat text from outside is asked about first.
   */
  async accept(candidate: Candidate): Promise<boolean> {
    if (candidate.tainted && !(await confirmTainted(candidate))) return false;
    const answer = await this.server.run("manicule.acceptMemory", candidate.uuid);
    const accepted = refusalOf(answer) === "";
    if (accepted) vscode.window.setStatusBarMessage(`☞ Accepted: ${oneLine(candidate.what, shown)}`, 5000);
    await this.store.refresh();
    return accepted;
  }

  /** Opens a candidate as a document; saving it accepts it. */
  async edit(candidate: Candidate): Promise<void> {
    await this.forms.open(candidate.uuid, editable(candidate));
  }

  /** Rejects a candidate, for a reason if a person gives one. */
  async reject(candidate: Candidate): Promise<void> {
    const reason = await vscode.window.showInputBox({
      title: `Reject: ${oneLine(candidate.what, shown)}`,
      prompt: "Why not? Enter without a text rejects without a reason, Escape leaves it in the queue.",
    });
    if (reason !== undefined) await this.drop(candidate, reason.trim());
  }

  /** Rejects a candidate without a question. */
  async drop(candidate: Candidate, reason = ""): Promise<boolean> {
    await this.server.run("manicule.rejectMemory", candidate.uuid, ...(reason === "" ? [] : [reason]));
    await this.store.refresh();
    return true;
  }

  private async acceptEdited(uuid: string, text: string): Promise<void> {
    const answer = await this.server.run("manicule.acceptMemory", uuid, editsOf(text));
    const refusal = refusalOf(answer);
    if (refusal !== "") throw new Error(refusal);
    vscode.window.setStatusBarMessage("☞ Accepted as edited", 5000);
    await this.store.refresh();
  }
}

async function confirmTainted(candidate: Candidate): Promise<boolean> {
  const accept = "Accept";
  const choice = await vscode.window.showWarningMessage(
    "This memory may repeat text from outside of the repository.",
    { modal: true, detail: `${candidate.what}\n\n${candidate.why}\n\nAgents will be told it as yours.` },
    accept,
  );
  return choice === accept;
}
