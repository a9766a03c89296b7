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
  /** Whether the daemon was asked; otherwise the findings come from the files. */
  isLive: boolean;
}

/** The findings that wait for a decision: from Lacuna, or from the files while it is off. */
export class Inbox {
  constructor(
    private readonly app: App,
    private readonly client: Client,
  ) {}

  async pending(): Promise<Shown> {
    try {
      return { findings: await this.client.pendingFindings(), isLive: true };
    } catch (error) {
      if (!(error instanceof OfflineError)) {
        throw error;
      }
      return { findings: this.inFiles(), isLive: false };
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

  private inFiles(): Finding[] {
    const found: Finding[] = [];
    for (const file of this.app.vault.getMarkdownFiles()) {
      const cache = this.app.metadataCache.getFileCache(file);
      const properties = cache?.frontmatter;
      if (properties?.["type"] !== "finding" || properties["status"] !== "pending") {
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

  private async tick(finding: Finding, choice: Choice, isTicked: boolean): Promise<void> {
    const file = this.app.vault.getAbstractFileByPath(finding.path);
    if (!(file instanceof TFile)) {
      throw new Error(`${finding.path} is not in the vault any more.`);
    }
    await this.app.vault.process(file, (text) => ticked(text, choice, isTicked));
  }
}

/** Return the text of a finding with one box of its review ticked or not. */
export function ticked(text: string, choice: Choice, isTicked: boolean): string {
  const [from, to] = isTicked ? ["[ ]", "[x]"] : ["[x]", "[ ]"];
  return text.replace(`\n- ${from} ${BOXES[choice]}`, `\n- ${to} ${BOXES[choice]}`);
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
