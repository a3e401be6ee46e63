import type { EntryKind, EntryView } from "@consilium/core/hospital/ledgerViews";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { allOr, type Option, SearchField, SelectField } from "../../shared/choices";
import { Badge, Card, DataTable, Facts, Moment, type Tone } from "../../shared/components";
import { ExportButtons, GroupedLog } from "../../shared/GroupedLog";
import { t } from "../../shared/language";
import { hospital } from "../api";
import { Hash, StudyLink } from "../log";
import { costText } from "./costText";
import { groupText } from "./groupText";

const kinds: Readonly<
  Record<EntryKind, { readonly tone: Tone; readonly text: string; readonly means: string }>
> = {
  open: {
    tone: "neutral",
    get text() {
      return t("opened");
    },
    get means() {
      return t("the ledger starts, or is signed with a new key from here on");
    },
  },
  reserve: {
    tone: "neutral",
    get text() {
      return t("reserved");
    },
    get means() {
      return t("reserved for a study; released if not spent");
    },
  },
  ceiling: {
    tone: "neutral",
    get text() {
      return t("ceiling raised");
    },
    get means() {
      return t("a person lets the study cost so much in all its attempts together");
    },
  },
  commit: {
    tone: "info",
    get text() {
      return t("spent");
    },
    get means() {
      return t("recorded before the data were sent; never refunded");
    },
  },
  release: {
    tone: "ok",
    get text() {
      return t("released");
    },
    get means() {
      return t("the unspent part of a study's reservation is available again");
    },
  },
  approved: {
    tone: "ok",
    get text() {
      return t("approved");
    },
    get means() {
      return t(
        "a person approved a study; `consilium site record` shows what was approved, and what was shown",
      );
    },
  },
  refused: {
    tone: "neutral",
    get text() {
      return t("denied");
    },
    get means() {
      return t(
        "a person denied a study, which spends nothing; `consilium site record` shows what was denied, and what was shown",
      );
    },
  },
  signed: {
    tone: "ok",
    get text() {
      return t("signed");
    },
    get means() {
      return t("recorded before this hospital signed what the study came to; it signs a study once");
    },
  },
  reconcile: {
    tone: "bad",
    get text() {
      return t("charged afterwards");
    },
    get means() {
      return t("spending missing from an old copy of the ledger, charged without details");
    },
  },
  checkpoint: {
    tone: "neutral",
    get text() {
      return t("checkpoint");
    },
    get means() {
      return t("earlier entries were moved to an archive; their total still counts");
    },
  },
};

const kindOptions = (): readonly Option<EntryKind | "all">[] => [
  ["all", t("all")],
  ...(Object.keys(kinds) as EntryKind[]).map((kind) => [kind, kinds[kind].text] as const),
];

/** Every entry, by study and newest first, filtered by kind, population and study. */
export function Entries({ entries }: { readonly entries: readonly EntryView[] }) {
  const [search] = useSearchParams();
  const [kind, setKind] = useState<EntryKind | "all">("all");
  const [population, setPopulation] = useState("all");
  const [study, setStudy] = useState(search.get("study") ?? "");
  const studies = useQuery({ queryKey: ["studies"], queryFn: hospital.studies });
  const statedBy = new Map(studies.data?.map(({ id, stated }) => [id, stated]));
  const populations = [...new Set(entries.flatMap((entry) => entry.populations))].sort();
  const found = [...entries]
    .reverse()
    .filter((entry) => kind === "all" || entry.kind === kind)
    .filter((entry) => population === "all" || entry.populations.includes(population))
    .filter((entry) => study === "" || (entry.study ?? "").includes(study.trim()));
  return (
    <Card
      title={t("Entries ({found} of {entries})", { found: found.length, entries: entries.length })}
      actions={
        <div className="row">
          <ExportButtons name="ledger-entries" lines={() => found.map(exported)} />
        </div>
      }
    >
      <div className="field-row">
        <SelectField label={t("Kind")} value={kind} options={kindOptions()} onChange={setKind} />
        <SelectField
          label={t("Population")}
          value={population}
          options={allOr(populations)}
          onChange={setPopulation}
        />
        <SearchField label={t("Study")} value={study} onChange={setStudy} />
      </div>
      <p className="muted">
        {t(
          "A study's ε is told first at the δ that the study states, as its certificate and the catalogue do. The budget counts every study at one δ, its own: at a smaller δ the same noise has a larger ε.",
        )}
      </p>
      <p className="muted">
        {t(
          "The ε of several studies do not add up to the total: the ledger adds ρ (zero-concentrated differential privacy), and ε of that sum at the population's δ is less than the sum of their ε.",
        )}
      </p>
      <GroupedLog
        rows={found}
        link={(id) => <StudyLink of={id} />}
        others={t("The ledger itself")}
        about={([first]) =>
          groupText(
            entries.filter((one) => first!.study !== null && one.study === first!.study),
            statedBy.get(first!.study ?? ""),
          )
        }
        table={(rows) => <EntryTable entries={rows} />}
        empty={t("No entries match.")}
      />
      <details>
        <summary>{t("Kinds of entries")}</summary>
        <Facts of={Object.values(kinds).map(({ text, means }) => [text, means])} />
      </details>
    </Card>
  );
}

function EntryTable({ entries }: { readonly entries: readonly EntryView[] }) {
  return (
    <DataTable
      caption={t("Ledger entries, newest first")}
      hideCaption
      columns={[
        { title: t("Entry"), cell: (entry) => entry.sequence },
        { title: t("When"), cell: (entry) => <Moment iso={entry.at} seconds /> },
        {
          title: t("Kind"),
          cell: (entry) => <Badge tone={kinds[entry.kind].tone}>{kinds[entry.kind].text}</Badge>,
        },
        { title: t("Population"), cell: (entry) => entry.populations.join(", ") || "-" },
        { title: t("Stage and attempt"), cell: (entry) => stagesText(entry.stages) },
        { title: t("Costs"), cell: (entry) => <span className="sentence">{costText(entry.cost)}</span> },
        { title: t("Hash"), cell: (entry) => <Hash of={entry.hash} /> },
      ]}
      rows={entries}
      keyOf={(entry) => String(entry.sequence)}
    />
  );
}

function exported({ sequence, at, kind, populations, study, stages, cost, hash }: EntryView) {
  return {
    entry: sequence,
    at,
    kind,
    population: populations.join(" "),
    study,
    stages: stages.join(" "),
    epsilon: cost?.epsilon ?? null,
    delta: cost?.delta ?? null,
    unit: cost?.unit ?? null,
    "claimed epsilon": cost?.epsilon == null ? (cost?.claimedEpsilon ?? null) : null,
    hash,
  };
}

function stagesText(stages: readonly string[]): string {
  if (stages.length === 0) return "-";
  if (stages.length <= 2) return stages.join(", ");
  return `${stages[0]} … ${stages.at(-1)} (${stages.length})`;
}
