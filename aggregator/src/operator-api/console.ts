import { EventEmitter } from "node:events";
import { setImmediate } from "node:timers/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, SiteId, StudyId } from "@consilium/core/ids";
import {
  type ConsoleSiteView,
  type ConsoleView,
  type InvitationListEntry,
  type StudyCheckView,
  type StudyResultView,
  studyResultSchema,
} from "@consilium/core/operator/consoleViews";
import type { SiteView } from "@consilium/core/operator/views";
import { nameOf, sentences } from "@consilium/core/said";
import { planView } from "@consilium/core/study/planView";
import { precisionCases } from "@consilium/core/study/precisionCases";
import { draftTitleIssues } from "@consilium/core/study/writtenStudy";
import type { AggregatorSays } from "@consilium/words/says/aggregator";
import type { RoundSays } from "@consilium/words/says/rounds";
import { shownResultStep } from "../release/shownResult.js";
import type { DisplacedKeys } from "../roster/displacedKeys.js";
import { type Invitations, invitationIdLength, invitationState } from "../roster/invitations.js";
import type { Presence } from "../roster/presence.js";
import type { StudyRecords } from "../rounds/records.js";
import type { Studies } from "../rounds/studies.js";
import { knownRowsOf } from "./expectedRows.js";

const fault = faults<AggregatorSays & RoundSays>();
const said = sentences<AggregatorSays & RoundSays>();

/** Number of ended studies in the overview. */
const endedShown = 12;
/** The maximum interval between two views: for a healthy site only the last-seen time changes. */
const refreshMs = 10_000;

/** The operator console's data besides single studies. Emits `changed`. */
export class OperatorConsole extends EventEmitter<{ changed: [] }> {
  readonly #parts: ConsoleParts;

  constructor(parts: ConsoleParts) {
    super();
    this.setMaxListeners(0);
    this.#parts = parts;
    const changed = () => this.emit("changed");
    parts.presence.on("changed", changed);
    parts.studies.on("changed", changed);
  }

  /** @returns ends the subscription */
  subscribe(changed: () => void): () => void {
    const timer = setInterval(changed, refreshMs);
    this.on("changed", changed);
    return () => {
      clearInterval(timer);
      this.off("changed", changed);
    };
  }

  view(): ConsoleView {
    const { studies, software, now } = this.#parts;
    const { studies: ended } = studies.list({ endedSince: 0, order: "ended", limit: endedShown });
    return {
      now: new Date(now()).toISOString(),
      software,
      sites: this.#sites(),
      running: studies.running(),
      ended,
    };
  }

  #sites(): ConsoleSiteView[] {
    const { studies, invitations, displaced, sites, now } = this.#parts;
    const activities = studies.activities();
    const open = invitations.list().filter((one) => invitationState(one, now()) === "open");
    return sites().map((site) => {
      const old = displaced.of(site.id as SiteId, site.signingKeyFingerprint as Sha256 | null);
      const until = open.find((one) => one.site === site.id)?.expiresAt;
      return {
        ...site,
        doing: activities.get(site.id as SiteId) ?? [],
        displacedKey:
          old === null
            ? null
            : {
                signingKeyFingerprint: old.fingerprint,
                from: old.from,
                attempts: old.attempts,
                firstAt: new Date(old.firstAt).toISOString(),
                lastAt: new Date(old.lastAt).toISOString(),
              },
        invitedUntil: until === undefined ? null : new Date(until).toISOString(),
      };
    });
  }

  /** What a study's file may say. */
  jsonSchema(): Record<string, unknown> {
    return this.#parts.studies.methods.jsonSchema();
  }

  /** @param raw - the parsed YAML */
  async check(raw: unknown): Promise<StudyCheckView> {
    const { studies } = this.#parts;
    const parsed = studies.written(raw, true);
    const nobody = { asked: [], online: 0 };
    const knownRows = knownRowsOf(this.#parts.records, raw);
    if (!parsed.ok) {
      const { issues } = parsed.error;
      const open = draftTitleIssues(raw);
      const none = { plan: null, parameters: null, precision: [], sites: nobody, obstacle: null };
      return { ...none, issues, knownRows, open };
    }
    const { refusals, warnings } = studies.tableFaults(parsed.value);
    const open = [...refusals, ...draftTitleIssues(raw)];
    const own = planView(parsed.value);
    const plan = { ...own, warnings: [...own.warnings, ...warnings] };
    const parameters: Readonly<Record<string, unknown>> = { ...parsed.value.parameters };
    const precision = await precisionCases(parsed.value, () => setImmediate());
    const told = { issues: [], plan, parameters, precision, knownRows, open };
    try {
      const asked = studies.invited(parsed.value);
      const online = asked.filter((site) => studies.presenceOf(site) === "online").length;
      const [first, ...others] = open.map(({ path, message }) => `${path}: ${message}`);
      const more = others.length === 0 ? "" : `; and ${others.length} more of the kind`;
      const obstacle = first === undefined ? null : `${first}${more}`;
      return { ...told, sites: { asked, online }, obstacle };
    } catch (thrown) {
      if (!(thrown instanceof ConsiliumError)) throw thrown;
      const obstacle = thrown.describe().replace(/^\[\w+\] |\.$/g, "");
      return { ...told, sites: nobody, obstacle };
    }
  }

  /** @throws ConsiliumError STUDY_UNKNOWN, or STUDY_STATE without a result */
  result(id: StudyId): StudyResultView {
    const { records } = this.#parts;
    const study = records.study(id);
    if (study === null) throw fault("STUDY_UNKNOWN", "round.unknown-study", { study: nameOf(id) });
    const value = records.result(id, shownResultStep)?.value;
    if (study.status !== "released" || value == null) {
      const params = { study: id, status: nameOf(study.status) };
      const remedy = said("round.try-when-released", {});
      throw fault("STUDY_STATE", "round.no-figures", params, { remedy });
    }
    return studyResultSchema.parse(JSON.parse(value));
  }

  invitations(): InvitationListEntry[] {
    const { invitations, now } = this.#parts;
    return invitations.list().map((one) => ({
      id: one.secretHash.slice(0, invitationIdLength),
      site: one.site,
      state: invitationState(one, now()),
      expiresAt: new Date(one.expiresAt).toISOString(),
      usedAt: one.usedAt === null ? null : new Date(one.usedAt).toISOString(),
      replacesKey: one.replaces,
    }));
  }

  /** @throws ConsiliumError TOKEN_INVALID when no unused invitation with this id */
  withdraw(id: string, actor: string | null): void {
    const { invitations, now } = this.#parts;
    const invitation = invitations.list().find((one) => one.secretHash.startsWith(id));
    const isId = id.length === invitationIdLength;
    if (!isId || invitation === undefined || !invitations.withdraw(invitation.secretHash, actor, now())) {
      throw fault("TOKEN_INVALID", "roster.no-invitation", {}, { remedy: said("roster.reload", {}) });
    }
    this.emit("changed");
  }
}

interface ConsoleParts {
  readonly studies: Studies;
  readonly records: StudyRecords;
  readonly invitations: Invitations;
  readonly displaced: DisplacedKeys;
  readonly presence: Presence;
  readonly sites: () => SiteView[];
  readonly software: string;
  readonly now: () => number;
}
