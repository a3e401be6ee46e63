import type { EgressView } from "@consilium/core/hospital/ledgerViews";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { allOr, SearchField, SelectField } from "../../shared/choices";
import { Card, DataTable, Empty, Loaded, Moment, Page } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import { ExportButtons, GroupedLog } from "../../shared/GroupedLog";
import { plural, served, t } from "../../shared/language";
import { hospital } from "../api";
import { costText } from "../ledger/costText";
import { Hash, StudyLink } from "../log";
import { dependsOnRecords, type EgressFilter, filterEgress, totalsOf } from "./filter";
import { Held, SentOf, useStudy } from "./SentOf";

export default function EgressPage() {
  const query = useQuery({ queryKey: ["egress"], queryFn: hospital.egress });
  return (
    <Page
      title={t("Data sent")}
      lead={t(
        "Everything this hospital has sent, logged before the first byte was sent. Repeated messages of a day, such as heartbeats, share a line.",
      )}
    >
      <Loaded query={query} what={t("the log")}>
        {(log) =>
          log.length === 0 ? (
            <Empty title={t("Nothing has been sent yet.")}>
              <p>{t("Each message appears here, with its size, its hash and what it cost.")}</p>
            </Empty>
          ) : (
            <Log log={log} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Log({ log }: { readonly log: readonly EgressView[] }) {
  const [search] = useSearchParams();
  const [filter, setFilter] = useState<EgressFilter>({
    study: search.get("study") ?? "",
    what: "all",
    charged: "all",
  });
  const change = (part: Partial<EgressFilter>) => setFilter({ ...filter, ...part });
  const found = filterEgress(log, filter);
  const totals = totalsOf(found);
  return (
    <Card
      title={t("{found} of {log} lines: {messages} messages, {bytes}", {
        found: found.length,
        log: log.length,
        messages: totals.messages,
        bytes: formatBytes(totals.bytes),
      })}
      actions={
        <div className="row">
          <ExportButtons name="data-sent" lines={() => found.map(exported)} />
        </div>
      }
    >
      <Filters log={log} filter={filter} onChange={change} />
      <p>
        {plural(
          totals.depending,
          "{count} of them depends on records and is charged to the ledger. The others are keys, signatures, heartbeats and similar messages, which reveal nothing about records.",
          "{count} of them depend on records and are charged to the ledger. The others are keys, signatures, heartbeats and similar messages, which reveal nothing about records.",
        )}
      </p>
      <GroupedLog
        rows={found}
        head={(id) => <SentOf study={id} />}
        link={(id) => <StudyLink of={id} />}
        others={t("Not for a study")}
        about={sizeText}
        isFirst={dependsOnRecords}
        table={(rows) => <Messages rows={rows} />}
        empty={t("No messages match.")}
      />
    </Card>
  );
}

function sizeText(rows: readonly EgressView[]): string {
  const { messages, bytes, depending } = totalsOf(rows);
  return plural(
    depending,
    "{messages} messages, {bytes}; {count} depends on records",
    "{messages} messages, {bytes}; {count} depend on records",
    { messages, bytes: formatBytes(bytes) },
  );
}

/** Lines of one study, or of none: those that depend on records, then the others. */
function Messages({ rows }: { readonly rows: readonly EgressView[] }) {
  const depending = rows.filter(dependsOnRecords);
  const others = rows.filter((one) => !dependsOnRecords(one));
  return (
    <>
      {depending.length === 0 ? null : (
        <MessageTable title={t("Depends on records")} rows={depending} about={null} />
      )}
      {others.length === 0 ? null : (
        <MessageTable
          title={t("Does not depend on records")}
          rows={others}
          about={t("Keys, signatures, receipts and similar messages, which reveal nothing about records.")}
        />
      )}
    </>
  );
}

function MessageTable(props: {
  readonly title: string;
  readonly about: string | null;
  readonly rows: readonly EgressView[];
}) {
  const { title, about, rows } = props;
  const study = useStudy(rows[0]?.study ?? null);
  return (
    <>
      <h3>{title}</h3>
      {about === null ? null : <p className="muted">{about}</p>}
      <DataTable
        caption={t("{title}: data sent, newest first", { title })}
        hideCaption
        columns={[
          { title: t("When"), cell: (one) => <Moment iso={one.at} seconds /> },
          {
            title: t("What"),
            cell: (one) => (
              <>
                {served(one.what)}
                <Held line={one} study={study} />
              </>
            ),
          },
          { title: t("For"), cell: (one) => <span className="sentence">{served(one.whom)}</span> },
          {
            title: t("Stage, SHA-256"),
            cell: (one) => (
              <>
                {one.step}
                <Hash of={one.sha256} />
              </>
            ),
          },
          { title: t("Messages"), number: true, cell: (one) => one.messages },
          { title: t("Size"), number: true, cell: (one) => formatBytes(one.bytes) },
          {
            title: t("Cost"),
            cell: ({ charge }) =>
              charge === null ? (
                t("nothing|cost")
              ) : (
                <span className="sentence">
                  {t("{charge}, entry {entry}", { charge: costText(charge), entry: charge.entry })}
                </span>
              ),
          },
        ]}
        rows={rows.map((one, index) => ({ ...one, key: `${index}` }))}
        keyOf={(one) => one.key}
      />
    </>
  );
}

function exported(line: EgressView) {
  const { at, lastAt, study, step, what, whom, messages, bytes, sha256, charge } = line;
  return {
    at,
    "last at": lastAt,
    study,
    stage: step,
    what,
    whom,
    "depends on records": dependsOnRecords(line) ? "yes" : "no",
    messages,
    bytes,
    sha256,
    "ledger entry": charge?.entry ?? null,
    population: charge?.population ?? null,
    epsilon: charge?.epsilon ?? null,
    delta: charge?.delta ?? null,
    unit: charge?.unit ?? null,
    "claimed epsilon": charge?.epsilon == null ? (charge?.claimedEpsilon ?? null) : null,
  };
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
      <SearchField label={t("Study")} value={filter.study} onChange={(study) => onChange({ study })} />
      <SelectField
        label={t("What")}
        value={filter.what}
        options={allOr(kinds, served)}
        onChange={(what) => onChange({ what })}
      />
      <SelectField
        label={t("Cost")}
        value={filter.charged}
        options={[
          ["all", t("all")],
          ["charged", t("charged to the ledger")],
          ["free", t("reveals nothing about records")],
        ]}
        onChange={(charged) => onChange({ charged })}
      />
    </div>
  );
}
