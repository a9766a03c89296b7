import { requestUrl } from "obsidian";
import type { RequestUrlParam, RequestUrlResponse } from "obsidian";
import type { Agenda, Answer, Decision, Finding, Gap, Hit, Status } from "./documents";

/** No server can be asked from this device now; the message says why. The files of the vault can still be read. */
export class OfflineError extends Error {}

/** The server answered with an error; the message says why. */
export class RefusedError extends Error {}

const LOOPBACK = new Set(["127.0.0.1", "localhost"]);

/** Return the address without a path, or null if it is not on this machine. */
export function localAddress(text: string): string | null {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    return null;
  }
  const plain = url.protocol === "http:" && url.username === "" && url.password === "";
  return plain && LOOPBACK.has(url.hostname) ? url.origin : null;
}

/** Calls the REST interface of `lacuna web`. Every method throws OfflineError and RefusedError. */
export class Client {
  constructor(
    private readonly address: () => string,
    private readonly token: () => string,
    private readonly isMobile: () => boolean,
  ) {}

  status(): Promise<Status> {
    return this.get("/api/v1/status");
  }

  pendingFindings(): Promise<Finding[]> {
    return this.get("/api/v1/findings", { status: "pending" });
  }

  async decide(id: string, status: Decision, never = false): Promise<void> {
    await this.post("/api/v1/review", { ids: [id], status, never });
  }

  similar(path: string, limit: number): Promise<Hit[]> {
    return this.get("/api/v1/search", { like: path, limit: String(limit) });
  }

  gaps(): Promise<Gap[]> {
    return this.get("/api/v1/gaps", { limit: "200" });
  }

  async neverSuggest(topic: string): Promise<void> {
    await this.post("/api/v1/topic-never", { topic });
  }

  /** Plan research for a note; null when there is nothing to plan. */
  async plan(path: string): Promise<Agenda | null> {
    const planned = await this.post<{ agenda: Agenda | null }>("/api/research/trigger", {
      sourceNoteId: path,
    });
    return planned.agenda;
  }

  async approve(agenda: string, blockedTaskIds: string[]): Promise<void> {
    const id = encodeURIComponent(agenda);
    await this.post(`/api/research/agenda/${id}/approve`, { blockedTaskIds });
  }

  async cancel(agenda: string): Promise<void> {
    await this.post("/api/v1/agenda-cancel", { id: agenda });
  }

  ask(question: string): Promise<Answer> {
    return this.get("/api/v1/ask", { question });
  }

  private get<T>(path: string, query: Record<string, string> = {}): Promise<T> {
    const text = new URLSearchParams(query).toString();
    return this.send<T>({ method: "GET", url: text === "" ? path : `${path}?${text}` });
  }

  private post<T = unknown>(path: string, body: unknown): Promise<T> {
    return this.send<T>({
      method: "POST",
      url: path,
      contentType: "application/json",
      body: JSON.stringify(body),
    });
  }

  private async send<T>(asked: RequestUrlParam): Promise<T> {
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
    let answer: RequestUrlResponse;
    try {
      answer = await requestUrl({ ...asked, url: address + asked.url, headers, throw: false });
    } catch {
      throw new OfflineError("Lacuna is not running. Start it with `lacuna web`.");
    }
    if (answer.status >= 400) {
      throw new RefusedError(reasonOf(answer));
    }
    return answer.json as T;
  }
}

function reasonOf(answer: RequestUrlResponse): string {
  if (answer.status === 401) {
    return "The token does not fit. Run `lacuna obsidian token` for this vault, and paste it in the settings.";
  }
  try {
    const { detail } = JSON.parse(answer.text) as { detail?: unknown };
    return typeof detail === "string" ? detail : `Lacuna answered with ${answer.status}.`;
  } catch {
    return `Lacuna answered with ${answer.status}.`;
  }
}
