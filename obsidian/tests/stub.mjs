// What the plugin uses of Obsidian, on a page of its own: elements, windows, and a vault that
// `host` reads and writes. Obsidian itself is closed source; its package has typings only.

export const host = globalThis.host ?? {};

export class TFile {
  constructor(path) {
    this.path = path;
    this.extension = path.split(".").pop();
    this.basename = path.split("/").pop().replace(/\.md$/, "");
  }
}

export const requestUrl = (asked) => host.requestUrl(asked);

export const Platform = { isMobile: false };

export class Notice {
  constructor(text) {
    (host.notices ??= []).push(text);
  }
}

class Emitter {
  handlers = {};
  on(name, handler) {
    (this.handlers[name] ??= []).push(handler);
    return { name, handler };
  }
  trigger(name, ...given) {
    for (const handler of this.handlers[name] ?? []) handler(...given);
  }
}

class Component {
  register() {}
  registerEvent() {}
  registerInterval() {}
}

export class Workspace extends Emitter {
  leaves = [];
  active = null;
  opened = [];
  getActiveFile() {
    return this.active;
  }
  openFile(file) {
    this.active = file;
    this.trigger("file-open", file);
  }
  openLinkText(target) {
    this.opened.push(target);
    return Promise.resolve();
  }
  getLeavesOfType(type) {
    return this.leaves.filter((leaf) => leaf.view?.getViewType() === type);
  }
  getRightLeaf() {
    const leaf = {
      app: this.app,
      containerEl: document.body.createDiv({ cls: "workspace-leaf" }),
      setViewState: async ({ type }) => {
        leaf.view = this.app.views[type](leaf);
        await leaf.view.onOpen();
      },
    };
    this.leaves.push(leaf);
    return leaf;
  }
  revealLeaf() {
    return Promise.resolve();
  }
  onLayoutReady(work) {
    work();
  }
}

export class App {
  views = {};
  secrets = {};
  constructor(files, secrets = {}) {
    this.files = files; // path -> TFile
    this.secrets = secrets;
    this.workspace = new Workspace();
    this.workspace.app = this;
    this.secretStorage = { getSecret: (name) => this.secrets[name] ?? null };
    this.vault = {
      getAbstractFileByPath: (path) => this.files[path] ?? null,
      getMarkdownFiles: () => Object.values(this.files),
      cachedRead: (file) => host.read(file.path),
      process: async (file, edit) => host.write(file.path, edit(await host.read(file.path))),
    };
    this.metadataCache = { getFileCache: (file) => host.cacheOf(file.path) };
    this.fileManager = {
      generateMarkdownLink: (file) => `[[${file.basename}]]`,
      processFrontMatter: (file, edit) => host.properties(file.path, edit),
    };
  }
}

export class Plugin extends Component {
  commands = {};
  data = null;
  constructor(app) {
    super();
    this.app = app;
  }
  loadData() {
    return Promise.resolve(this.data);
  }
  saveData(data) {
    this.data = structuredClone(data);
    return Promise.resolve();
  }
  addCommand(command) {
    this.commands[command.id] = command;
  }
  addRibbonIcon(_icon, label, work) {
    this.ribbon = { label, work };
  }
  addSettingTab(tab) {
    this.tab = tab;
  }
  addStatusBarItem() {
    return (this.statusEl = document.body.createDiv({ cls: "status-bar-item" }));
  }
  registerView(type, make) {
    this.app.views[type] = make;
  }
}

export class ItemView extends Component {
  constructor(leaf) {
    super();
    this.leaf = leaf;
    this.app = leaf.app;
    this.contentEl = leaf.containerEl.createDiv({ cls: "view-content" });
  }
}

export class Modal {
  constructor(app) {
    this.app = app;
  }
  open() {
    this.modalEl = document.body.createDiv({ cls: "modal", attr: { role: "dialog" } });
    this.titleEl = this.modalEl.createEl("h2");
    this.contentEl = this.modalEl.createDiv({ cls: "modal-content" });
    this.onOpen();
  }
  close() {
    this.onClose();
    this.modalEl.remove();
  }
  setTitle(text) {
    this.titleEl.textContent = text;
  }
}

export class ButtonComponent {
  constructor(parent) {
    this.buttonEl = parent.createEl("button");
  }
  setButtonText(text) {
    this.buttonEl.textContent = text;
    return this;
  }
  setCta() {
    this.buttonEl.classList.add("mod-cta");
    return this;
  }
  setTooltip(text) {
    this.buttonEl.title = text;
    return this;
  }
  onClick(work) {
    this.buttonEl.addEventListener("click", work);
    return this;
  }
}

class ValueComponent {
  setPlaceholder(text) {
    this.inputEl.placeholder = text;
    return this;
  }
  setValue(value) {
    this.inputEl.value = value;
    return this;
  }
  getValue() {
    return this.inputEl.value;
  }
  onChange(work) {
    this.inputEl.addEventListener("input", () => work(this.inputEl.value));
    return this;
  }
}

export class TextComponent extends ValueComponent {
  constructor(parent) {
    super();
    this.inputEl = parent.createEl("input", { attr: { type: "text" } });
  }
}

export class TextAreaComponent extends ValueComponent {
  constructor(parent) {
    super();
    this.inputEl = parent.createEl("textarea");
  }
}

export class SecretComponent extends TextComponent {
  constructor(_app, parent) {
    super(parent);
  }
}

class ToggleComponent {
  constructor(parent, label) {
    this.inputEl = parent.createEl("input", { attr: { type: "checkbox", "aria-label": label } });
  }
  setValue(isOn) {
    this.inputEl.checked = isOn;
    return this;
  }
  onChange(work) {
    this.inputEl.addEventListener("change", () => work(this.inputEl.checked));
    return this;
  }
}

export class Setting {
  constructor(parent) {
    this.settingEl = parent.createDiv({ cls: "setting-item" });
    this.nameEl = this.settingEl.createDiv({ cls: "setting-item-name" });
    this.descEl = this.settingEl.createDiv({ cls: "setting-item-description" });
    this.controlEl = this.settingEl.createDiv({ cls: "setting-item-control" });
  }
  setName(text) {
    this.nameEl.textContent = text;
    return this;
  }
  setDesc(text) {
    this.descEl.textContent = text;
    return this;
  }
  addText(work) {
    work(new TextComponent(this.controlEl));
    return this;
  }
  addToggle(work) {
    work(new ToggleComponent(this.controlEl, this.nameEl.textContent));
    return this;
  }
  addButton(work) {
    work(new ButtonComponent(this.controlEl));
    return this;
  }
  addComponent(work) {
    work(this.controlEl);
    return this;
  }
}

export class PluginSettingTab {
  constructor(app, plugin) {
    this.app = app;
    this.plugin = plugin;
    this.containerEl = globalThis.document?.createElement("div");
  }
}

if (globalThis.HTMLElement !== undefined) {
  const made = (tag, { text, cls, attr = {}, href } = {}) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (cls !== undefined) element.className = cls;
    if (href !== undefined) element.setAttribute("href", href);
    for (const [name, value] of Object.entries(attr)) element.setAttribute(name, value);
    return element;
  };
  globalThis.createDiv = (options) => made("div", options);
  Object.assign(HTMLElement.prototype, {
    createEl(tag, options) {
      const element = made(tag, options);
      this.append(element);
      return element;
    },
    createDiv(options) {
      return this.createEl("div", options);
    },
    empty() {
      this.replaceChildren();
    },
    setText(text) {
      this.textContent = text;
    },
    addClass(...names) {
      this.classList.add(...names);
    },
    toggleClass(name, isOn) {
      this.classList.toggle(name, isOn);
    },
  });
}
