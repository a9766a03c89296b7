import { TFile } from "obsidian";
import type { App } from "obsidian";
import { OfflineError } from "./client";
import type { Client } from "./client";
import type { Decision, Finding } from "./documents";

export type Choice = "accept" | "dismiss" | "never";

const BOXES: Record<Choice, string> = {
  accept: "Accept",
  dismiss: "Dismiss",
  never: "Never suggest this topic",
};
const DECISIONS: Record<Choice, Decision> = {
  accept: "accepted",
  dismiss: "dismissed",
  never: "dismissed",
};

export interface Shown {
  findings: Finding[];
  /** Why the findings come from the files, or null if Lacuna was asked. */
  offline: string | null;
}

/** The findings that wait for a decision: from Lacuna, or from the files while it is off. */
export class Inbox {
  constructor(
    private readonly app: App,
    private readonly client: Client,
  ) {}

  async pending(): Promise<Shown> {
    try {
      return { findings: await this.client.pendingFindings(), offline: null };
    } catch (error) {
      if (!(error instanceof OfflineError)) {
        throw error;
      }
      return { findings: await this.inFiles(), offline: error.message };
    }
  }

  /** Decide; while Lacuna is off, tick the box in the finding, which it reads when it starts. */
  async decide(finding: Finding, choice: Choice): Promise<void> {
    try {
      await this.client.decide(finding.id, DECISIONS[choice], choice === "never");
    } catch (error) {
      if (!(error instanceof OfflineError)) {
        throw error;
      }
      await this.tick(finding, choice, true);
    }
  }

  async undo(finding: Finding, choice: Choice): Promise<void> {
    try {
      await this.client.decide(finding.id, "pending");
    } catch (error) {
      if (!(error instanceof OfflineError)) {
        throw error;
      }
      await this.tick(finding, choice, false);
    }
  }

  /** Return the first quote of a finding as plain text, or "". */
  async quoteOf(finding: Finding): Promise<string> {
    const file = this.app.vault.getAbstractFileByPath(finding.path);
    return file instanceof TFile ? firstQuote(await this.app.vault.cachedRead(file)) : "";
  }

  /** Findings without a decision: neither in their properties nor by a ticked box. */
  private async inFiles(): Promise<Finding[]> {
    const found: Finding[] = [];
    for (const file of this.app.vault.getMarkdownFiles()) {
      const cache = this.app.metadataCache.getFileCache(file);
      const properties = cache?.frontmatter;
      if (properties?.["type"] !== "finding" || properties["status"] !== "pending") {
        continue;
      }
      if (isTicked(await this.app.vault.cachedRead(file))) {
        continue;
      }
      found.push({
        id: String(properties["lacuna_id"]),
        path: file.path,
        status: "pending",
        title: cache?.headings?.[0]?.heading ?? file.basename,
        source: String(properties["source"] ?? ""),
      });
    }
    return found.sort((one, other) => other.path.localeCompare(one.path));
  }

  private async tick(finding: Finding, choice: Choice, willBe: boolean): Promise<void> {
    const file = this.app.vault.getAbstractFileByPath(finding.path);
    if (!(file instanceof TFile)) {
      throw new Error(`${finding.path} is not in the vault any more.`);
    }
    await this.app.vault.process(file, (text) => ticked(text, choice, willBe));
  }
}

/** Return the text of a finding with one box of its review ticked or not. Throws when there is no such box. */
export function ticked(text: string, choice: Choice, willBe: boolean): string {
  const [from, to] = willBe ? ["[ ]", "[x]"] : ["[x]", "[ ]"];
  const changed = text.replace(`\n- ${from} ${BOXES[choice]}`, `\n- ${to} ${BOXES[choice]}`);
  if (changed === text) {
    throw new Error(`The finding has no box “${BOXES[choice]}” that can be changed.`);
  }
  return changed;
}

/** Whether a box of the review of a finding is ticked. */
export function isTicked(text: string): boolean {
  return Object.values(BOXES).some((box) => text.includes(`\n- [x] ${box}`));
}

/** Return the first paragraph of the first block quote, without its marks. */
export function firstQuote(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const quoted = /^>(?! ?\[!) ?(.*)$/.exec(line)?.[1];
    if (quoted !== undefined && quoted.trim() !== "") {
      lines.push(quoted.trim());
    } else if (lines.length > 0) {
      break;
    }
  }
  return lines.join(" ");
}
