import { certificateWarnMs, clockSkewWarnMs, lateRenewalMs } from "@consilium/core/identity/warnings";
import type { ConsoleSiteView } from "@consilium/core/operator/consoleViews";
import type { SitePresence } from "@consilium/core/operator/views";
import type { Tone } from "../../shared/components";
import { failureMessage } from "../../shared/failureWords";
import { formatDuration } from "../../shared/format";
import { plural, said, t } from "../../shared/language";

/** How a site's state is shown: a tone with its mark, and text. */
export const presenceTones: Readonly<Record<SitePresence, Tone>> = {
  online: "ok",
  slow: "warn",
  refused: "bad",
  gone: "bad",
  invited: "info",
  expelled: "neutral",
};

export const presenceWords: Readonly<Record<SitePresence, string>> = said({
  online: "online",
  slow: "slow",
  refused: "refused",
  gone: "offline",
  invited: "invited",
  expelled: "expelled",
});

export const presenceMeanings: Readonly<Record<SitePresence, string>> = said({
  online: "connected, heartbeats on time",
  slow: "connected, but the last heartbeat is overdue",
  refused: "it dials in, and its greeting is refused: the code says why",
  gone: "not connected: its agent is stopped, or its network blocks the connection",
  invited: "invited, not enrolled yet",
  expelled: "expelled: its key is permanently rejected",
});

/** Something that needs the operator's attention. */
interface Concern {
  readonly tone: Extract<Tone, "warn" | "bad">;
  readonly text: string;
}

/** Current and upcoming problems of a site; none for a site outside the federation. */
export function concernsOf(site: ConsoleSiteView, software: string, now: number): Concern[] {
  if (site.presence === "invited" || site.presence === "expelled") return [];
  return [
    displaced(site),
    turnedAway(site),
    replaced(site, now),
    certificate(site, now),
    agents(site),
    clock(site),
    ...behind(site),
    version(site, software),
  ].flatMap((concern) => concern ?? []);
}

function turnedAway({ turnedAway }: ConsoleSiteView): Concern | null {
  if (turnedAway === null) return null;
  return {
    tone: "bad",
    text: t("is rejected: {message} ({code})", {
      message: failureMessage(turnedAway.code, turnedAway.message),
      code: turnedAway.code,
    }),
  };
}

/** A new key is shown for this long, so that an unexpected one is noticed. */
const newKeyMs = 7 * 86_400_000;

function displaced({ displacedKey }: ConsoleSiteView): Concern | null {
  if (displacedKey === null) return null;
  const key = displacedKey.signingKeyFingerprint.slice(0, 16);
  return {
    tone: "bad",
    text: t(
      "enrolled with another key, and {from} still tries to connect with the replaced key {key}: ask the hospital which key is its own",
      { from: displacedKey.from, key },
    ),
  };
}

function replaced({ keyReplaced, keySince }: ConsoleSiteView, now: number): Concern | null {
  if (keyReplaced === null || keySince === null || now - Date.parse(keySince) > newKeyMs) return null;
  return {
    tone: "warn",
    text: t(
      "has a new key since {value} UTC, in place of {value2}: ask the hospital whether it enrolled again",
      {
        value: keySince.slice(0, 16).replace("T", " "),
        value2: keyReplaced.signingKeyFingerprint.slice(0, 16),
      },
    ),
  };
}

function certificate({ certificateExpiresAt }: ConsoleSiteView, now: number): Concern | null {
  if (certificateExpiresAt === null) return null;
  const left = Date.parse(certificateExpiresAt) - now;
  if (left <= 0) {
    const value = formatDuration(-left);
    return {
      tone: "bad",
      text:
        left > -lateRenewalMs
          ? t(
              "its certificate expired {value} ago; it renews automatically when the agent connects, for another {time}",
              { value, time: formatDuration(left + lateRenewalMs) },
            )
          : t("its certificate expired {value} ago; it needs an invitation for the same key", { value }),
    };
  }
  if (left > certificateWarnMs) return null;
  return {
    tone: "warn",
    text: t(
      "its certificate expires in {left} and should have been renewed: the agent must be online for that",
      { left: formatDuration(left) },
    ),
  };
}

function clock({ clockSkewMs }: ConsoleSiteView): Concern | null {
  if (clockSkewMs === null || Math.abs(clockSkewMs) < clockSkewWarnMs) return null;
  return {
    tone: "warn",
    text: t("its clock is {clockSkewMs}: synchronise it with a time server", {
      clockSkewMs: clockText(clockSkewMs),
    }),
  };
}

function agents({ agentsAlternatedAt }: ConsoleSiteView): Concern | null {
  if (agentsAlternatedAt === null) return null;
  return {
    tone: "bad",
    text: t(
      "two agents with its identity end each other's connection: the hospital stops one, or reports a copied state folder",
    ),
  };
}

function behind({ behind: all }: ConsoleSiteView): Concern[] {
  return all.map(({ what, speaks, newest }) => ({
    tone: "warn",
    text:
      what === "plan" || what === "statement"
        ? t("its software is older: it speaks format {speaks} of a {what}, not {newest}", {
            speaks,
            what,
            newest,
          })
        : t("its software is older: it speaks edition {speaks} of {what}, not {newest}", {
            speaks,
            what,
            newest,
          }),
  }));
}

function version({ software }: ConsoleSiteView, ours: string): Concern | null {
  if (software === null || software === ours) return null;
  const older = compareVersions(software, ours) < 0;
  return {
    tone: "warn",
    text: older
      ? t(
          "runs version {software}, older than the aggregator's {ours}: upgrade it while no study is running",
          { software, ours },
        )
      : t(
          "runs version {software}, newer than the aggregator's {ours}: upgrade the aggregator while no study is running",
          { software, ours },
        ),
  };
}

/** `3 min fast`, `1 s slow`, `in sync`. */
export function clockText(skewMs: number): string {
  if (Math.abs(skewMs) < 2_000) return t("in sync");
  const by = formatDuration(Math.abs(skewMs));
  return skewMs > 0 ? t("{by} fast", { by }) : t("{by} slow", { by });
}

/** By `major.minor.patch`; any suffix is ignored. */
export function compareVersions(a: string, b: string): number {
  const parts = (text: string) => text.split(/[.+-]/).slice(0, 3).map(Number);
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] || 0) - (right[i] || 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The federation's state in one sentence. */
export function headline(sites: readonly ConsoleSiteView[]): string {
  const count = (presence: SitePresence) => sites.filter((site) => site.presence === presence).length;
  const enrolled = sites.filter(({ presence }) => presence !== "invited" && presence !== "expelled").length;
  if (enrolled === 0) return t("No site has enrolled yet.");
  const others = (["slow", "refused", "gone", "invited"] as const).flatMap((presence) =>
    count(presence) === 0 ? [] : [`${count(presence)} ${presenceWords[presence]}`],
  );
  const online = plural(
    enrolled,
    "{online} of {count} site is online",
    "{online} of {count} sites are online",
    {
      online: count("online"),
    },
  );
  return `${[online, ...others].join(", ")}.`;
}

/** The minimum number of sites to start a study. */
export const leastSites = 3;
