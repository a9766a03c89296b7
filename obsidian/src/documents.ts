// The documents of Lacuna's REST interface, as far as the plugin reads them.

export interface Finding {
  id: string;
  path: string;
  status: Decision;
  title: string;
  source: string;
}

export type Decision = "pending" | "accepted" | "dismissed";

export interface Activity {
  step: string;
  what: string;
  done: number | null;
  total: number | null;
  seconds_left: number | null;
}

export interface Status {
  vault: string;
  daemon: string | null;
  pending_findings: number;
  activities: Activity[];
}

export interface Hit {
  path: string;
  name?: string;
  snippet: string;
}

export interface Gap {
  topic: string;
  note: string | null;
  why: string;
  query: string;
}

export interface Task {
  id: string;
  query: string;
  topic: string;
  sources: string[];
  because: string;
}

export interface Agenda {
  id: string;
  path: string | null;
  runs_at: string | null;
  may_take: string;
  tasks: Task[];
}

export interface Citation {
  origin: "note" | "library";
  path: string;
  name: string;
  heading: string;
  text: string;
  uri: string;
}

export interface Answer {
  question: string;
  citations: Citation[];
  nearest: Citation[];
  remarks: string[];
}
