import assert from "node:assert/strict";
import { test } from "node:test";
import type { App as RealApp } from "obsidian";
import { Client } from "../src/client";
import { firstQuote, Inbox, ticked } from "../src/inbox";
import { hostOf } from "../src/side_pane";
import { statusText } from "../src/status_bar";
import { App, host, TFile } from "./stub.mjs";

const NOTE = "# Bread\n\n> It dries.\n> And hardens.\n>\n> Later.\n\n- [ ] Accept\n- [ ] Dismiss\n- [ ] Never suggest this topic\n";

test("a decision ticks one box, and its undo unticks it", () => {
  const done = ticked(NOTE, "dismiss", true);
  assert.ok(done.includes("- [x] Dismiss\n- [ ] Never"));
  assert.equal(ticked(done, "dismiss", false), NOTE);
  assert.throws(() => ticked("# No review\n", "accept", true), /no box/);
});

test("the first quote is shown without its marks, and no callout is one", () => {
  assert.equal(firstQuote(NOTE), "It dries. And hardens.");
  assert.equal(firstQuote("> [!info] Sum\n"), "");
});

test("while Lacuna is off, findings come from files, and decisions go into them", async () => {
  const path = "Inbox/Research/Bread.md";
  const written: Record<string, string> = { [path]: NOTE };
  const accepted = "Inbox/Research/Old.md";
  host.read = (asked: string) => Promise.resolve(written[asked]);
  host.write = (asked: string, text: string) => {
    written[asked] = text;
  };
  host.cacheOf = (asked: string) => ({
    frontmatter: { type: "finding", status: asked === path ? "pending" : "accepted", lacuna_id: 7 },
    headings: [{ heading: "Bread" }],
  });
  host.requestUrl = () => Promise.reject(new Error("refused"));
  const app = new App({ [path]: new TFile(path), [accepted]: new TFile(accepted) });
  const client = new Client(
    () => "http://127.0.0.1:1",
    () => "t",
    () => false,
  );
  const inbox = new Inbox(app as unknown as RealApp, client);
  const { findings, offline } = await inbox.pending();
  assert.match(offline ?? "", /not running/);
  assert.deepEqual(
    findings.map((each) => [each.title, each.path]),
    [["Bread", path]],
  );
  await inbox.decide(findings[0]!, "never");
  assert.ok(written[path]?.includes("- [x] Never suggest this topic"));
  assert.deepEqual((await inbox.pending()).findings, [], "a ticked finding does not wait any more");
});

test("the status bar says what is going on", () => {
  const idle = { vault: "", daemon: "x", pending_findings: 0, activities: [] };
  const step = { step: "reading", what: "", done: 1, total: 3, seconds_left: null };
  assert.equal(statusText(null), "Lacuna: off");
  assert.equal(statusText(idle), "Lacuna: idle");
  assert.equal(statusText({ ...idle, daemon: null }), "Lacuna: no daemon");
  assert.equal(statusText({ ...idle, daemon: null, pending_findings: 2 }), "Lacuna: 2 findings, no daemon");
  assert.equal(statusText({ ...idle, pending_findings: 1 }), "Lacuna: 1 finding");
  assert.equal(statusText({ ...idle, pending_findings: 3 }), "Lacuna: 3 findings");
  assert.equal(statusText({ ...idle, activities: [step] }), "Lacuna: reading 33 %");
});

test("a source is shown by its host", () => {
  assert.equal(hostOf("https://example.org/a"), "example.org");
  assert.equal(hostOf("file:///home/x.pdf"), "");
  assert.equal(hostOf("no address"), "");
});
