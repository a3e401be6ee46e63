import type { EgressView } from "@consilium/core/hospital/ledgerViews";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { Card, DataTable, Empty, Field, Loaded, Page } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import { hospital } from "../api";
import { costText } from "../ledger/costText";
import { Hash, Instant } from "../log";
import { type EgressFilter, filterEgress, totalsOf } from "./filter";

export default function EgressPage() {
  const query = useQuery({ queryKey: ["egress"], queryFn: hospital.egress });
  return (
    <Page
      title="What left"
      lead="Everything that ever left this hospital for a study, written down before its first byte went."
      actions={
        <a className="button" href="/api/egress/export" download>
          Export all as CSV
        </a>
      }
    >
      <Loaded query={query} what="the log">
        {(log) =>
          log.length === 0 ? (
            <Empty title="Nothing has left this hospital yet.">
              <p>What a study sends appears here, with its size, its hash and what it cost.</p>
            </Empty>
          ) : (
            <Log log={log} />
          )
        }
      </Loaded>
    </Page>
  );
}

const pageLength = 100;

function Log({ log }: { readonly log: readonly EgressView[] }) {
  const [search] = useSearchParams();
  const [filter, setFilter] = useState<EgressFilter>({
    study: search.get("study") ?? "",
    what: "all",
    charged: "all",
  });
  const [pages, setPages] = useState(1);
  const change = (part: Partial<EgressFilter>) => {
    setFilter({ ...filter, ...part });
    setPages(1);
  };
  const found = filterEgress(log, filter);
  const totals = totalsOf(found);
  return (
    <Card title={`${found.length} of ${log.length} messages, ${formatBytes(totals.bytes)}`}>
      <Filters log={log} filter={filter} onChange={change} />
      <p>
        {totals.charged} of them carried something of the records and were charged to the ledger. The others
        are keys and signatures, which reveal nothing of records.
      </p>
      <DataTable
        caption="What left, the newest first"
        hideCaption
        columns={[
          { title: "When", cell: (one) => <Instant iso={one.at} /> },
          { title: "What", cell: (one) => one.what },
          { title: "For", cell: (one) => one.whom },
          { title: "Study", cell: (one) => <Link href={`/studies/${one.study}`}>{one.study}</Link> },
          { title: "Stage", cell: (one) => one.step },
          { title: "Size", number: true, cell: (one) => formatBytes(one.bytes) },
          {
            title: "Cost",
            cell: (one) =>
              one.charge === null ? "nothing" : `${costText(one.charge)}, entry ${one.charge.entry}`,
          },
          { title: "SHA-256", cell: (one) => <Hash of={one.sha256} /> },
        ]}
        rows={found.slice(0, pages * pageLength).map((one, index) => ({ ...one, key: `${index}` }))}
        keyOf={(one) => one.key}
        empty="Nothing that left is like that."
      />
      {found.length <= pages * pageLength ? null : (
        <p>
          <button type="button" onClick={() => setPages(pages + 1)}>
            Show {Math.min(pageLength, found.length - pages * pageLength)} older ones
          </button>
        </p>
      )}
    </Card>
  );
}

function Filters(props: {
  readonly log: readonly EgressView[];
  readonly filter: EgressFilter;
  readonly onChange: (part: Partial<EgressFilter>) => void;
}) {
  const { log, filter, onChange } = props;
  const kinds = [...new Set(log.map(({ what }) => what))].sort();
  return (
    <div className="field-row">
      <Field label="Study">
        {(ids) => (
          <input
            {...ids}
            type="search"
            value={filter.study}
            onChange={(event) => onChange({ study: event.target.value })}
          />
        )}
      </Field>
      <Field label="What">
        {(ids) => (
          <select {...ids} value={filter.what} onChange={(event) => onChange({ what: event.target.value })}>
            <option value="all">all</option>
            {kinds.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Cost">
        {(ids) => (
          <select
            {...ids}
            value={filter.charged}
            onChange={(event) => onChange({ charged: event.target.value as EgressFilter["charged"] })}
          >
            <option value="all">all</option>
            <option value="charged">charged to the ledger</option>
            <option value="free">reveals nothing of records</option>
          </select>
        )}
      </Field>
    </div>
  );
}
