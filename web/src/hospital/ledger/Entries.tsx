import type { EntryKind, EntryView } from "@consilium/core/hospital/ledgerViews";
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { Badge, Card, DataTable, Field, type Tone } from "../../shared/components";
import { Hash, Instant } from "../log";
import { costText } from "./costText";

const kinds: Readonly<
  Record<EntryKind, { readonly tone: Tone; readonly text: string; readonly means: string }>
> = {
  open: {
    tone: "neutral",
    text: "opened",
    means: "the ledger begins, or is signed with another key from here on",
  },
  reserve: {
    tone: "neutral",
    text: "reserved",
    means: "set aside for a study; given back if it is not spent",
  },
  commit: { tone: "info", text: "spent", means: "written before the bytes left; it never comes back" },
  release: {
    tone: "ok",
    text: "given back",
    means: "what was reserved for a study and not spent is free again",
  },
  reconcile: {
    tone: "bad",
    text: "charged afterwards",
    means: "spending that an old copy of the ledger had lost, charged without its details",
  },
};

const pageLength = 100;

/** Every entry, the newest first, by what it does, whose it is and for which study. */
export function Entries({ entries }: { readonly entries: readonly EntryView[] }) {
  const [search] = useSearchParams();
  const [kind, setKind] = useState<EntryKind | "all">("all");
  const [population, setPopulation] = useState("all");
  const [study, setStudy] = useState(search.get("study") ?? "");
  const [pages, setPages] = useState(1);
  const populations = [...new Set(entries.flatMap((entry) => entry.populations))].sort();
  const found = [...entries]
    .reverse()
    .filter((entry) => kind === "all" || entry.kind === kind)
    .filter((entry) => population === "all" || entry.populations.includes(population))
    .filter((entry) => study === "" || (entry.study ?? "").includes(study.trim()));
  return (
    <Card title={`Entries (${found.length} of ${entries.length})`}>
      <div className="field-row">
        <Field label="What it does">
          {(ids) => (
            <select
              {...ids}
              value={kind}
              onChange={(event) => setKind(event.target.value as EntryKind | "all")}
            >
              <option value="all">all</option>
              {Object.entries(kinds).map(([one, { text }]) => (
                <option key={one} value={one}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Population">
          {(ids) => (
            <select {...ids} value={population} onChange={(event) => setPopulation(event.target.value)}>
              <option value="all">all</option>
              {populations.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Study">
          {(ids) => (
            <input {...ids} type="search" value={study} onChange={(event) => setStudy(event.target.value)} />
          )}
        </Field>
      </div>
      <DataTable
        caption="Entries of the ledger, the newest first"
        hideCaption
        columns={[
          { title: "Entry", cell: (entry) => entry.sequence },
          { title: "When", cell: (entry) => <Instant iso={entry.at} /> },
          {
            title: "What it does",
            cell: (entry) => <Badge tone={kinds[entry.kind].tone}>{kinds[entry.kind].text}</Badge>,
          },
          { title: "Population", cell: (entry) => entry.populations.join(", ") || "-" },
          {
            title: "Study",
            cell: (entry) =>
              entry.study === null ? "-" : <Link href={`/studies/${entry.study}`}>{entry.study}</Link>,
          },
          { title: "Stage and attempt", cell: (entry) => stagesText(entry.stages) },
          { title: "Costs", cell: (entry) => costText(entry.cost) },
          {
            title: "Hash",
            cell: (entry) => <Hash of={entry.hash} />,
          },
        ]}
        rows={found.slice(0, pages * pageLength)}
        keyOf={(entry) => String(entry.sequence)}
        empty="No entry is like that."
      />
      {found.length <= pages * pageLength ? null : (
        <p>
          <button type="button" onClick={() => setPages(pages + 1)}>
            Show {Math.min(pageLength, found.length - pages * pageLength)} older ones
          </button>
        </p>
      )}
      <details>
        <summary>What the entries mean</summary>
        <dl className="facts">
          {Object.values(kinds).map(({ text, means }) => (
            <div key={text} style={{ display: "contents" }}>
              <dt>{text}</dt>
              <dd>{means}</dd>
            </div>
          ))}
        </dl>
      </details>
    </Card>
  );
}

function stagesText(stages: readonly string[]): string {
  if (stages.length === 0) return "-";
  if (stages.length <= 2) return stages.join(", ");
  return `${stages[0]} … ${stages.at(-1)} (${stages.length})`;
}
