import { printable, table } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";

/** What a running agent says of itself: GET /status on its socket, as far as it is shown. */
export interface SiteStatus {
  readonly connected: boolean;
  readonly federation: string | null;
  readonly site: string | null;
  readonly certificateExpiresAt: string | null;
  readonly studies: readonly {
    readonly id: string;
    readonly state: string;
    readonly reason: string | null;
  }[];
}

type Members = Readonly<Record<string, unknown>>;

export function readSiteStatus(json: unknown): SiteStatus {
  const status = members(json);
  const studies = Array.isArray(status.studies) ? status.studies : [];
  return {
    connected: status.connected === true,
    federation: text(status.federation),
    site: text(status.site),
    certificateExpiresAt: text(status.certificateExpiresAt),
    studies: studies.map((entry: unknown) => {
      const study = members(entry);
      return { id: text(study.id) ?? "-", state: text(study.state) ?? "-", reason: text(study.reason) };
    }),
  };
}

function members(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function statusText(status: SiteStatus, style: Style): string {
  const presence = status.connected
    ? style.good("connected")
    : style.caution("not connected; it keeps trying");
  const head = `${style.strong(printable(status.site ?? "-"))} of ${printable(status.federation ?? "-")}: ${presence}`;
  const certificate = `certificate until ${printable(status.certificateExpiresAt ?? "-")}`;
  if (status.studies.length === 0) return `${head}\n${certificate}\nNo study has been offered yet.`;
  const studies = table(
    status.studies,
    [
      { title: "STUDY", cell: (study) => printable(study.id) },
      { title: "STATE", cell: (study) => printable(study.state) },
      { title: "REASON (stays here)", cell: (study) => printable(study.reason ?? "-") },
    ],
    style,
  );
  return `${head}\n${certificate}\n\n${studies}`;
}
