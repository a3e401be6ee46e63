import { formatDuration, parseDuration } from "@consilium/core/units";
import { stringify } from "yaml";
import { isRecord } from "../../shared/yaml/values";

/** The file that another study like an existing one begins with. @param id - of that study @param study - as it was hashed */
export function textLike(id: string, study: unknown): string {
  const participation = isRecord(study) ? study.participation : null;
  const written =
    isRecord(study) && isRecord(participation)
      ? { ...study, participation: withDurations(participation) }
      : study;
  return `# Like ${id}.\n${stringify(written, { lineWidth: 100 })}`;
}

/** Durations are hashed as milliseconds: `600000ms` is `10m` here, where that is the same. */
function withDurations(participation: Readonly<Record<string, unknown>>): object {
  const entries = Object.entries(participation).map(([key, value]): [string, unknown] => {
    const [, ms] = /^(\d+)ms$/.exec(String(value)) ?? [];
    if (ms === undefined) return [key, value];
    const short = formatDuration(Number(ms));
    const again = parseDuration(short);
    return [key, again.ok && again.value === Number(ms) ? short : value];
  });
  return Object.fromEntries(entries);
}
