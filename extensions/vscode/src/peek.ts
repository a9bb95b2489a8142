// The list of memories at a place, in the editor's own peek view: their titles
// beside their texts.

import * as vscode from "vscode";

import type { Entry } from "./items";
import { linkText, type Listing, listingOf, memories } from "./words";

const scheme = "manicule-memories";

/** How many lists are kept: a peek view asks for its document after it opened. */
const kept = 16;

export class Peek implements vscode.Disposable, vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider {
  private readonly listings = new Map<string, Listing>();
  private readonly registration: vscode.Disposable;
  private next = 0;

  constructor() {
    this.registration = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.languages.registerDocumentLinkProvider({ scheme }, this),
    );
  }

  dispose(): void {
    this.registration.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.listings.get(uri.query)?.text ?? "";
  }

  provideDocumentLinks({ uri }: vscode.TextDocument): vscode.DocumentLink[] {
    const links = this.listings.get(uri.query)?.links ?? [];
    return links.map(({ line, uuid }) => {
      const open = vscode.Uri.parse(`command:manicule.openMemory?${encodeURIComponent(JSON.stringify([uuid]))}`);
      const link = new vscode.DocumentLink(new vscode.Range(line, 0, line, linkText().length), open);
      link.tooltip = vscode.l10n.t("Open the memory");
      return link;
    });
  }

  /** Shows memories in a peek view at a place of a document. */
  async show(document: vscode.Uri, at: vscode.Position, entries: readonly Entry[]): Promise<void> {
    const listing = listingOf(entries);
    const key = String(this.next++);
    this.listings.set(key, listing);
    this.listings.delete(String(this.next - 1 - kept));
    const uri = vscode.Uri.from({ scheme, path: `/☞ ${memories(entries.length)}`, query: key });
    const locations = listing.lines.map((line) => new vscode.Location(uri, new vscode.Position(line, 0)));
    await vscode.commands.executeCommand("editor.action.peekLocations", document, at, locations, "peek");
  }
}
