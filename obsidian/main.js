// Built from obsidian/src by `npm run build`. MIT licence.
"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// src/main.ts
var main_exports = {};
__export(main_exports, {
  default: () => LacunaPlugin
});
module.exports = __toCommonJS(main_exports);
var import_obsidian7 = require("obsidian");

// src/agenda_modal.ts
var import_obsidian2 = require("obsidian");

// src/client.ts
var import_obsidian = require("obsidian");
var OfflineError = class extends Error {
};
var RefusedError = class extends Error {
};
var LOOPBACK = /* @__PURE__ */ new Set(["127.0.0.1", "localhost"]);
function localAddress(text) {
  let url;
  try {
    url = new URL(text.trim());
  } catch {
    return null;
  }
  const plain = url.protocol === "http:" && url.username === "" && url.password === "";
  return plain && LOOPBACK.has(url.hostname) ? url.origin : null;
}
var Client = class {
  constructor(address, token, isMobile) {
    this.address = address;
    this.token = token;
    this.isMobile = isMobile;
  }
  address;
  token;
  isMobile;
  status() {
    return this.get("/api/v1/status");
  }
  pendingFindings() {
    return this.get("/api/v1/findings", { status: "pending" });
  }
  async decide(id, status, never = false) {
    await this.post("/api/v1/review", { ids: [id], status, never });
  }
  similar(path, limit) {
    return this.get("/api/v1/search", { like: path, limit: String(limit) });
  }
  gaps() {
    return this.get("/api/v1/gaps", { limit: "200" });
  }
  async neverSuggest(topic) {
    await this.post("/api/v1/topic-never", { topic });
  }
  /** Plan research for a note; null when there is nothing to plan. */
  async plan(path) {
    const planned = await this.post("/api/research/trigger", {
      sourceNoteId: path
    });
    return planned.agenda;
  }
  async approve(agenda, blockedTaskIds) {
    const id = encodeURIComponent(agenda);
    await this.post(`/api/research/agenda/${id}/approve`, { blockedTaskIds });
  }
  async cancel(agenda) {
    await this.post("/api/v1/agenda-cancel", { id: agenda });
  }
  ask(question) {
    return this.get("/api/v1/ask", { question });
  }
  get(path, query = {}) {
    const text = new URLSearchParams(query).toString();
    return this.send({ method: "GET", url: text === "" ? path : `${path}?${text}` });
  }
  post(path, body) {
    return this.send({
      method: "POST",
      url: path,
      contentType: "application/json",
      body: JSON.stringify(body)
    });
  }
  async send(asked) {
    if (this.isMobile()) {
      throw new OfflineError("Lacuna runs on your computer, and cannot be reached from this device.");
    }
    const address = localAddress(this.address());
    if (address === null) {
      throw new RefusedError("The address must be on this computer, such as http://127.0.0.1:7431.");
    }
    if (this.token() === "") {
      throw new OfflineError("No token is set. Run `lacuna obsidian token`, and paste it in the settings.");
    }
    const headers = { Authorization: `Bearer ${this.token()}` };
    let answer;
    try {
      answer = await (0, import_obsidian.requestUrl)({ ...asked, url: address + asked.url, headers, throw: false });
    } catch {
      throw new OfflineError("Lacuna is not running. Start it with `lacuna web`.");
    }
    if (answer.status >= 400) {
      throw new RefusedError(reasonOf(answer));
    }
    return answer.json;
  }
};
function reasonOf(answer) {
  if (answer.status === 401) {
    return "The token does not fit. Run `lacuna obsidian token` for this vault, and paste it in the settings.";
  }
  try {
    const { detail } = JSON.parse(answer.text);
    return typeof detail === "string" ? detail : `Lacuna answered with ${answer.status}.`;
  } catch {
    return `Lacuna answered with ${answer.status}.`;
  }
}

// src/agenda_modal.ts
var AgendaModal = class extends import_obsidian2.Modal {
  constructor(app, client, file, topic) {
    super(app);
    this.client = client;
    this.file = file;
    this.topic = topic;
  }
  client;
  file;
  topic;
  blocked = /* @__PURE__ */ new Set();
  onOpen() {
    this.setTitle(`Research ${this.file.basename}`);
    this.contentEl.createEl("p", { text: "Planning\u2026", cls: "lacuna-muted" });
    void this.plan();
  }
  onClose() {
    this.contentEl.empty();
  }
  async plan() {
    try {
      const { daemon } = await this.client.status();
      const agenda = await this.client.plan(this.file.path);
      this.contentEl.empty();
      if (agenda === null || agenda.tasks.length === 0) {
        this.say("There is nothing to research in this note: no question, gap or topic was found.");
      } else {
        this.show(agenda, daemon !== null);
      }
    } catch (error) {
      this.contentEl.empty();
      if (error instanceof OfflineError) {
        this.offerMark(error.message);
      } else {
        this.say(messageOf(error));
      }
    }
  }
  show(agenda, isRunning) {
    this.say(`These queries are sent as they stand. ${agenda.may_take}`);
    const isOffered = agenda.tasks.some((task) => task.topic === this.topic);
    for (const task of agenda.tasks) {
      if (isOffered && task.topic !== this.topic) {
        this.blocked.add(task.id);
      }
      new import_obsidian2.Setting(this.contentEl).setName(task.query).setDesc(`${task.sources.join(", ")}: ${task.because}`).addToggle(
        (toggle) => toggle.setValue(!this.blocked.has(task.id)).onChange((isWanted) => {
          if (isWanted) {
            this.blocked.delete(task.id);
          } else {
            this.blocked.add(task.id);
          }
        })
      );
    }
    if (!isRunning) {
      this.say("No daemon runs now: the research starts when `lacuna run` does.");
    } else if (agenda.runs_at !== null) {
      const time = new Date(agenda.runs_at).toLocaleTimeString([], { timeStyle: "short" });
      this.say(`If you only close this window, the research starts at ${time}.`);
    }
    const started = isRunning ? "Lacuna is researching. Findings appear in the inbox." : "The research is planned. It starts when the daemon does.";
    const buttons = this.contentEl.createDiv({ cls: "modal-button-container" });
    new import_obsidian2.ButtonComponent(buttons).setButtonText("Start").setCta().onClick(() => this.finish(this.start(agenda), started));
    new import_obsidian2.ButtonComponent(buttons).setButtonText("Cancel").onClick(() => this.finish(this.client.cancel(agenda.id), "The research is cancelled."));
  }
  async start(agenda) {
    if (agenda.tasks.every((task) => this.blocked.has(task.id))) {
      await this.client.cancel(agenda.id);
    } else {
      await this.client.approve(agenda.id, [...this.blocked]);
    }
  }
  finish(work, done) {
    work.then(
      () => {
        new import_obsidian2.Notice(done);
        this.close();
      },
      (error) => {
        new import_obsidian2.Notice(messageOf(error));
      }
    );
  }
  /** Without Lacuna, the note itself can ask for research when it starts. */
  offerMark(why) {
    this.say(`${why} You can mark the note: it is researched when Lacuna sees it.`);
    const buttons = this.contentEl.createDiv({ cls: "modal-button-container" });
    new import_obsidian2.ButtonComponent(buttons).setButtonText("Add the property research: true").setCta().onClick(
      () => this.finish(
        this.app.fileManager.processFrontMatter(this.file, (properties) => {
          properties["research"] = true;
        }),
        "The note is marked for research."
      )
    );
  }
  say(text) {
    this.contentEl.createEl("p", { text, cls: "lacuna-muted" });
  }
};
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

// src/ask_pane.ts
var import_obsidian3 = require("obsidian");
var ASK_PANE = "lacuna-ask-pane";
var AskPane = class extends import_obsidian3.ItemView {
  constructor(leaf, client) {
    super(leaf);
    this.client = client;
  }
  client;
  asked = 0;
  getViewType() {
    return ASK_PANE;
  }
  getDisplayText() {
    return "Ask Lacuna";
  }
  getIcon() {
    return "message-circle-question";
  }
  onOpen() {
    this.contentEl.empty();
    this.contentEl.addClass("lacuna-pane");
    const input = new import_obsidian3.TextAreaComponent(this.contentEl).setPlaceholder("Ask your notes\u2026");
    input.inputEl.setAttribute("aria-label", "Question");
    const answerEl = createDiv({ attr: { "aria-live": "polite" } });
    const ask = () => void this.ask(input.getValue(), answerEl);
    input.inputEl.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        ask();
      }
    });
    new import_obsidian3.ButtonComponent(this.contentEl).setButtonText("Ask").setCta().onClick(ask);
    this.contentEl.append(answerEl);
    return Promise.resolve();
  }
  async ask(question, answerEl) {
    if (question.trim() === "") {
      return;
    }
    const number = ++this.asked;
    answerEl.empty();
    answerEl.createEl("p", { text: "Reading your notes\u2026", cls: "lacuna-muted" });
    try {
      const answer = await this.client.ask(question.trim());
      if (number === this.asked) {
        answerEl.empty();
        this.show(answer, answerEl);
      }
    } catch (error) {
      if (number === this.asked) {
        answerEl.empty();
        answerEl.createEl("p", { text: messageOf(error), cls: "lacuna-muted" });
      }
    }
  }
  show(answer, parent) {
    for (const citation of answer.citations) {
      this.citation(citation, parent);
    }
    if (answer.citations.length === 0) {
      parent.createEl("p", { text: "Your notes say nothing about this." });
      if (answer.nearest.length > 0) {
        parent.createEl("h4", { text: "Closest" });
      }
      for (const citation of answer.nearest) {
        this.citation(citation, parent);
      }
    }
    for (const remark of answer.remarks) {
      parent.createEl("p", { text: remark, cls: "lacuna-muted" });
    }
  }
  citation(citation, parent) {
    const card = parent.createDiv({ cls: "lacuna-card" });
    card.createEl("blockquote", { text: citation.text });
    const place = citation.heading === "" ? citation.name : `${citation.name} \u203A ${citation.heading}`;
    if (citation.origin === "library") {
      card.createDiv({ text: `${place} (library)`, cls: "lacuna-muted" });
      return;
    }
    const target = citation.heading === "" ? citation.path : `${citation.path}#${citation.heading}`;
    const link = card.createEl("a", { text: place, cls: "internal-link", href: "#" });
    link.addEventListener("click", (event) => {
      event.preventDefault();
      void this.app.workspace.openLinkText(target, "", false);
    });
  }
};

// src/inbox.ts
var import_obsidian4 = require("obsidian");
var BOXES = {
  accept: "Accept",
  dismiss: "Dismiss",
  never: "Never suggest this topic"
};
var DECISIONS = {
  accept: "accepted",
  dismiss: "dismissed",
  never: "dismissed"
};
var Inbox = class {
  constructor(app, client) {
    this.app = app;
    this.client = client;
  }
  app;
  client;
  async pending() {
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
  async decide(finding, choice) {
    try {
      await this.client.decide(finding.id, DECISIONS[choice], choice === "never");
    } catch (error) {
      if (!(error instanceof OfflineError)) {
        throw error;
      }
      await this.tick(finding, choice, true);
    }
  }
  async undo(finding, choice) {
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
  async quoteOf(finding) {
    const file = this.app.vault.getAbstractFileByPath(finding.path);
    return file instanceof import_obsidian4.TFile ? firstQuote(await this.app.vault.cachedRead(file)) : "";
  }
  /** Findings without a decision: neither in their properties nor by a ticked box. */
  async inFiles() {
    const found = [];
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
        source: String(properties["source"] ?? "")
      });
    }
    return found.sort((one, other) => other.path.localeCompare(one.path));
  }
  async tick(finding, choice, willBe) {
    const file = this.app.vault.getAbstractFileByPath(finding.path);
    if (!(file instanceof import_obsidian4.TFile)) {
      throw new Error(`${finding.path} is not in the vault any more.`);
    }
    await this.app.vault.process(file, (text) => ticked(text, choice, willBe));
  }
};
function ticked(text, choice, willBe) {
  const [from, to] = willBe ? ["[ ]", "[x]"] : ["[x]", "[ ]"];
  const changed = text.replace(`
- ${from} ${BOXES[choice]}`, `
- ${to} ${BOXES[choice]}`);
  if (changed === text) {
    throw new Error(`The finding has no box \u201C${BOXES[choice]}\u201D that can be changed.`);
  }
  return changed;
}
function isTicked(text) {
  return Object.values(BOXES).some((box) => text.includes(`
- [x] ${box}`));
}
function firstQuote(text) {
  const lines = [];
  for (const line of text.split("\n")) {
    const quoted = /^>(?! ?\[!) ?(.*)$/.exec(line)?.[1];
    if (quoted !== void 0 && quoted.trim() !== "") {
      lines.push(quoted.trim());
    } else if (lines.length > 0) {
      break;
    }
  }
  return lines.join(" ");
}

// src/settings.ts
var import_obsidian5 = require("obsidian");
var DEFAULTS = { address: "http://127.0.0.1:7431", tokenSecret: "lacuna-token" };
var SettingTab = class extends import_obsidian5.PluginSettingTab {
  constructor(app, plugin) {
    super(app, plugin);
    this.plugin = plugin;
  }
  plugin;
  getSettingDefinitions() {
    return [
      {
        name: "Address",
        desc: "Where `lacuna web` listens on this computer.",
        render: (setting) => void setting.addText((text) => this.address(text))
      },
      {
        name: "Token",
        desc: "Run `lacuna obsidian token` and paste what it prints. It is kept on this device.",
        render: (setting) => void setting.addComponent((element) => this.token(element))
      },
      {
        name: "Connection",
        render: (setting) => void setting.addButton(
          (button) => button.setButtonText("Test").onClick(async () => {
            setting.setDesc("Connecting\u2026");
            setting.setDesc(await this.tested());
          })
        )
      }
    ];
  }
  /** Obsidian before 1.13 calls this and does not know definitions. */
  display() {
    this.containerEl.empty();
    for (const row of this.getSettingDefinitions()) {
      const setting = new import_obsidian5.Setting(this.containerEl).setName(row.name);
      if (row.desc !== void 0) {
        setting.setDesc(row.desc);
      }
      row.render(setting);
    }
  }
  address(text) {
    text.setPlaceholder(DEFAULTS.address).setValue(this.plugin.settings.address);
    text.onChange(async (value) => {
      text.inputEl.toggleClass("lacuna-wrong", localAddress(value) === null);
      this.plugin.settings.address = value;
      await this.plugin.saveSettings();
    });
  }
  token(element) {
    const component = new import_obsidian5.SecretComponent(this.app, element);
    return component.setValue(this.plugin.settings.tokenSecret).onChange(async (name) => {
      this.plugin.settings.tokenSecret = name;
      await this.plugin.saveSettings();
    });
  }
  async tested() {
    try {
      const status = await this.plugin.client.status();
      const who = status.daemon === null ? "No daemon runs" : "The daemon runs";
      return `Connected to ${status.vault}. ${who}.`;
    } catch (error) {
      return messageOf(error);
    }
  }
};

// src/side_pane.ts
var import_obsidian6 = require("obsidian");
var SIDE_PANE = "lacuna-side-pane";
var SIMILAR = 8;
var GAPS_KEPT = 10 * 6e4;
var CHOICES = [
  ["accept", "Accept"],
  ["dismiss", "Dismiss"],
  ["never", "Never"]
];
var SidePane = class extends import_obsidian6.ItemView {
  constructor(leaf, client, inbox, research) {
    super(leaf);
    this.client = client;
    this.inbox = inbox;
    this.research = research;
    this.contentEl.addClass("lacuna-pane");
    this.inboxEl = this.contentEl.createDiv({ cls: "lacuna-inbox" });
    this.noteEl = this.contentEl.createDiv({ cls: "lacuna-note" });
  }
  client;
  inbox;
  research;
  inboxEl;
  noteEl;
  decided = null;
  gaps = null;
  gapsAt = 0;
  shownNote = "";
  getViewType() {
    return SIDE_PANE;
  }
  getDisplayText() {
    return "Lacuna";
  }
  getIcon() {
    return "telescope";
  }
  async onOpen() {
    this.registerEvent(this.app.workspace.on("file-open", () => void this.showNote()));
    await Promise.all([this.showInbox(), this.showNote()]);
  }
  async showInbox() {
    try {
      const { findings, offline } = await this.inbox.pending();
      const quotes = await Promise.all(findings.map((each) => this.inbox.quoteOf(each)));
      this.inboxEl.empty();
      this.heading(this.inboxEl, `Inbox (${findings.length})`);
      if (offline !== null) {
        this.remark(this.inboxEl, `${offline} Your decisions are ticked in the files, and read when Lacuna runs.`);
      }
      if (findings.length === 0) {
        this.remark(this.inboxEl, "Nothing is waiting for you.");
      }
      findings.forEach((each, index) => this.finding(each, quotes[index] ?? ""));
      this.undoButton();
    } catch (error) {
      this.inboxEl.empty();
      this.heading(this.inboxEl, "Inbox");
      this.remark(this.inboxEl, messageOf(error));
    }
  }
  /** Show what concerns the open note; keep it while the pane itself has the focus. */
  async showNote() {
    const file = this.app.workspace.getActiveFile();
    if (file === null || file.extension !== "md") {
      return;
    }
    this.shownNote = file.path;
    try {
      const [hits, gaps] = await Promise.all([
        this.client.similar(file.path, SIMILAR),
        this.gapsOf(file.path)
      ]);
      if (this.shownNote === file.path) {
        this.noteEl.empty();
        this.showSimilar(file, hits);
        this.showGaps(file, gaps);
      }
    } catch (error) {
      this.noteEl.empty();
      this.heading(this.noteEl, "Similar but not linked");
      this.remark(this.noteEl, messageOf(error));
    }
  }
  finding(finding, quote) {
    const card = this.inboxEl.createDiv({ cls: "lacuna-card" });
    this.link(card, finding.title, finding.path);
    if (quote !== "") {
      card.createEl("blockquote", { text: quote });
    }
    const host = hostOf(finding.source);
    if (host !== "") {
      card.createDiv({ text: host, cls: "lacuna-muted" });
    }
    const buttons = card.createDiv({ cls: "lacuna-buttons" });
    for (const [choice, label] of CHOICES) {
      new import_obsidian6.ButtonComponent(buttons).setButtonText(label).onClick(() => {
        void this.carryOut(async () => {
          await this.inbox.decide(finding, choice);
          this.decided = [finding, choice];
          await this.showInbox();
        });
      });
    }
  }
  undoButton() {
    if (this.decided === null) {
      return;
    }
    const [finding, choice] = this.decided;
    new import_obsidian6.ButtonComponent(this.inboxEl.createDiv({ cls: "lacuna-buttons" })).setButtonText(`Undo: ${finding.title}`).onClick(() => {
      void this.carryOut(async () => {
        await this.inbox.undo(finding, choice);
        this.decided = null;
        await this.showInbox();
      });
    });
  }
  showSimilar(file, hits) {
    this.heading(this.noteEl, "Similar but not linked");
    if (hits.length === 0) {
      this.remark(this.noteEl, "No other note is similar to this one.");
    }
    for (const hit of hits) {
      const row = this.noteEl.createDiv({ cls: "lacuna-card" });
      this.link(row, nameOf(hit), hit.path);
      row.createDiv({ text: hit.snippet, cls: "lacuna-muted lacuna-snippet" });
      new import_obsidian6.ButtonComponent(row.createDiv({ cls: "lacuna-buttons" })).setButtonText("Add link").setTooltip("Add a link at the end of the open note").onClick(() => {
        void this.carryOut(() => this.addLink(file, hit));
      });
    }
  }
  async addLink(file, hit) {
    const target = this.app.vault.getAbstractFileByPath(hit.path);
    if (!(target instanceof import_obsidian6.TFile)) {
      throw new Error(`${hit.path} is not in the vault any more.`);
    }
    const link = this.app.fileManager.generateMarkdownLink(target, file.path);
    await this.app.vault.process(file, (text) => `${text.trimEnd()}

${link}
`);
    new import_obsidian6.Notice(`Linked to ${nameOf(hit)}.`);
  }
  showGaps(file, gaps) {
    this.heading(this.noteEl, "Gaps");
    if (gaps.length === 0) {
      this.remark(this.noteEl, "Nothing is missing here.");
    }
    for (const gap of gaps) {
      const card = this.noteEl.createDiv({ cls: "lacuna-card" });
      card.createDiv({ text: gap.query === "" ? gap.topic : gap.query });
      card.createDiv({ text: gap.why, cls: "lacuna-muted" });
      const buttons = card.createDiv({ cls: "lacuna-buttons" });
      new import_obsidian6.ButtonComponent(buttons).setButtonText("Research").onClick(() => {
        this.research(file, gap.topic);
      });
      new import_obsidian6.ButtonComponent(buttons).setButtonText("Never").onClick(() => {
        void this.carryOut(async () => {
          await this.client.neverSuggest(gap.topic);
          this.gaps = null;
          card.remove();
        });
      });
    }
  }
  async gapsOf(path) {
    if (this.gaps === null || Date.now() - this.gapsAt > GAPS_KEPT) {
      this.gaps = await this.client.gaps();
      this.gapsAt = Date.now();
    }
    return this.gaps.filter((gap) => gap.note === path);
  }
  async carryOut(work) {
    try {
      await work();
    } catch (error) {
      new import_obsidian6.Notice(messageOf(error));
    }
  }
  link(parent, text, path) {
    const link = parent.createEl("a", { text, cls: "internal-link", href: "#" });
    link.addEventListener("click", (event) => {
      event.preventDefault();
      void this.app.workspace.openLinkText(path, "", false);
    });
  }
  heading(parent, text) {
    parent.createEl("h4", { text });
  }
  remark(parent, text) {
    parent.createEl("p", { text, cls: "lacuna-muted" });
  }
};
function nameOf(hit) {
  return hit.name ?? hit.path.replace(/^.*\//, "").replace(/\.md$/, "");
}
function hostOf(address) {
  try {
    return new URL(address).hostname;
  } catch {
    return "";
  }
}

// src/status_bar.ts
function statusText(status) {
  if (status === null) {
    return "Lacuna: off";
  }
  const activity = status.activities[status.activities.length - 1];
  if (activity !== void 0) {
    const { done, total } = activity;
    const share = done !== null && total ? ` ${Math.floor(100 * done / total)} %` : "";
    return `Lacuna: ${activity.step}${share}`;
  }
  const waiting = status.pending_findings;
  if (waiting > 0) {
    const text = waiting === 1 ? "Lacuna: 1 finding" : `Lacuna: ${waiting} findings`;
    return status.daemon === null ? `${text}, no daemon` : text;
  }
  return status.daemon === null ? "Lacuna: no daemon" : "Lacuna: idle";
}

// src/main.ts
var POLL = 1e4;
var LacunaPlugin = class extends import_obsidian7.Plugin {
  settings = { ...DEFAULTS };
  client = new Client(
    () => this.settings.address,
    () => this.app.secretStorage.getSecret(this.settings.tokenSecret) ?? "",
    () => import_obsidian7.Platform.isMobile
  );
  pending = -1;
  // findings at the last look
  async onload() {
    this.settings = { ...DEFAULTS, ...await this.loadData() };
    const inbox = new Inbox(this.app, this.client);
    this.registerView(
      SIDE_PANE,
      (leaf) => new SidePane(leaf, this.client, inbox, (file, topic) => {
        this.research(file, topic);
      })
    );
    this.registerView(ASK_PANE, (leaf) => new AskPane(leaf, this.client));
    this.addCommands();
    this.addRibbonIcon("telescope", "Research this note", () => {
      const file = this.app.workspace.getActiveFile();
      if (file !== null) {
        this.research(file);
      }
    });
    this.registerEvent(
      this.app.workspace.on("file-menu", (menu, file) => {
        if (file instanceof import_obsidian7.TFile && file.extension === "md") {
          menu.addItem(
            (item) => item.setTitle("Research this note").setIcon("telescope").onClick(() => {
              this.research(file);
            })
          );
        }
      })
    );
    this.addSettingTab(new SettingTab(this.app, this));
    this.addStatus();
  }
  async saveSettings() {
    await this.saveData(this.settings);
  }
  addCommands() {
    this.addCommand({
      id: "research-note",
      name: "Research this note",
      checkCallback: (isChecking) => {
        const file = this.app.workspace.getActiveFile();
        if (file === null || file.extension !== "md") {
          return false;
        }
        if (!isChecking) {
          this.research(file);
        }
        return true;
      }
    });
    this.addCommand({ id: "open-inbox", name: "Open the inbox", callback: () => void this.open(SIDE_PANE) });
    this.addCommand({ id: "ask", name: "Ask your notes", callback: () => void this.open(ASK_PANE) });
  }
  research(file, topic) {
    new AgendaModal(this.app, this.client, file, topic).open();
  }
  async open(type) {
    const { workspace } = this.app;
    const leaf = workspace.getLeavesOfType(type)[0] ?? workspace.getRightLeaf(false);
    if (leaf !== null) {
      await leaf.setViewState({ type, active: true });
      await workspace.revealLeaf(leaf);
    }
  }
  /** Mobile has no status bar. */
  addStatus() {
    const element = this.addStatusBarItem();
    element.addClass("mod-clickable");
    element.setAttribute("aria-label", "Open Lacuna's inbox");
    element.addEventListener("click", () => void this.open(SIDE_PANE));
    const show = async () => {
      if (document.hidden) {
        return;
      }
      const status = await this.client.status().catch(() => null);
      element.setText(statusText(status));
      this.refresh(status);
    };
    this.app.workspace.onLayoutReady(() => void show());
    this.registerInterval(window.setInterval(() => void show(), POLL));
  }
  /** Show the inbox again when the number of its findings changed. */
  refresh(status) {
    const pending = status?.pending_findings ?? -1;
    if (pending === this.pending) {
      return;
    }
    this.pending = pending;
    for (const leaf of this.app.workspace.getLeavesOfType(SIDE_PANE)) {
      if (leaf.view instanceof SidePane) {
        void leaf.view.showInbox();
      }
    }
  }
};
