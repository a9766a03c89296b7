import type { Status } from "./documents";

/** Return what the status bar shows; null stands for a Lacuna that is off. */
export function statusText(status: Status | null): string {
  if (status === null) {
    return "Lacuna: off";
  }
  const activity = status.activities[status.activities.length - 1];
  if (activity !== undefined) {
    const { done, total } = activity;
    const share = done !== null && total ? ` ${Math.floor((100 * done) / total)} %` : "";
    return `Lacuna: ${activity.step}${share}`;
  }
  const waiting = status.pending_findings;
  if (waiting > 0) {
    const text = waiting === 1 ? "Lacuna: 1 finding" : `Lacuna: ${waiting} findings`;
    return status.daemon === null ? `${text}, no daemon` : text;
  }
  return status.daemon === null ? "Lacuna: no daemon" : "Lacuna: idle";
}
