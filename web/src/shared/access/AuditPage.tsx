import type { AuditEventView, AuditView } from "@consilium/core/access/views";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import { request } from "../api";
import { SelectField, Tick } from "../choices";
import { Card, DataTable, FailureNotice, Field, Loading, Moment, Notice, Page } from "../components";
import { exportName } from "../exporting";
import { plural, t } from "../language";
import { saveFile } from "../saveFile";
import { detailText } from "./auditDetail";
import { type AuditFormat, auditEvents, auditText, byStudy } from "./auditExport";
import { type AuditFilter, type AuditWords, filterOf, kindText, queryOf, shortDetail } from "./auditFilter";

const pageLength = 100;

/** The audit log, newest first. */
export default function AuditPage({ words }: { readonly words: AuditWords }) {
  const [params, setParams] = useSearchParams();
  const filter = filterOf(params);
  const query = useInfiniteQuery({
    queryKey: ["audit", queryOf(filter)],
    queryFn: ({ pageParam }) => {
      const before = pageParam === null ? "" : `&before=${pageParam}`;
      return request<AuditView>("GET", `/api/audit?limit=${pageLength}${before}${queryOf(filter)}`);
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  });
  const isGrouped = params.get("by") === "study";
  const change = (key: keyof AuditFilter | "by", value: string) =>
    setParams(
      (before) => {
        if (value === "") before.delete(key);
        else before.set(key, value);
        return before;
      },
      { replace: true },
    );
  return (
    <Page
      title={t("Audit")}
      lead={words.lead}
      actions={
        <>
          <Export words={words} filter={filter} />
          <button type="button" onClick={() => query.refetch()}>
            {t("Refresh")}
          </button>
        </>
      }
    >
      <Card>
        <Filters words={words} filter={filter} onChange={change} />
        <Tick checked={isGrouped} onChange={(on) => change("by", on ? "study" : "")}>
          {t("Group by study")}
        </Tick>
        {query.error === null ? null : <FailureNotice error={query.error} retry={() => query.refetch()} />}
        {query.data === undefined ? (
          query.error === null ? (
            <Loading what={t("the audit log")} />
          ) : null
        ) : (
          <>
            <Trails
              words={words}
              events={query.data.pages.flatMap(({ events }) => events)}
              isGrouped={isGrouped}
            />
            {query.hasNextPage ? (
              <button type="button" disabled={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
                {query.isFetchingNextPage ? t("Loading…") : t("Older events")}
              </button>
            ) : null}
          </>
        )}
      </Card>
    </Page>
  );
}

/** Saves what the filter lets through, with the pages that are not shown yet. */
function Export({ words, filter }: { readonly words: AuditWords; readonly filter: AuditFilter }) {
  const save = useMutation({
    mutationFn: async (format: AuditFormat) => {
      const { events, isCut } = await auditEvents(filter);
      const type = format === "csv" ? "text/csv" : "application/jsonl";
      saveFile(`${exportName("audit-log", events)}.${format}`, auditText(events, format, words), type);
      return isCut ? events.length : null;
    },
  });
  const button = (format: AuditFormat, title: string) => (
    <button type="button" disabled={save.isPending} onClick={() => save.mutate(format)}>
      {title}
    </button>
  );
  return (
    <>
      {save.error === null ? null : <FailureNotice error={save.error} />}
      {save.data == null ? null : (
        <Notice
          tone="warn"
          title={t("The file holds the newest {count} events: narrow the filter for the others.", {
            count: save.data,
          })}
        />
      )}
      {button("csv", t("Export CSV"))}
      {button("jsonl", t("Export JSON lines"))}
    </>
  );
}

const fields: readonly { readonly key: keyof AuditFilter; readonly label: string; readonly hint: string }[] =
  [
    {
      key: "study",
      get label() {
        return t("Study");
      },
      get hint() {
        return t("its id");
      },
    },
    {
      key: "site",
      get label() {
        return t("Site");
      },
      get hint() {
        return t("such as st-mary");
      },
    },
    {
      key: "actor",
      get label() {
        return t("Account");
      },
      get hint() {
        return t("who did it");
      },
    },
  ];

function Filters(props: {
  readonly words: AuditWords;
  readonly filter: AuditFilter;
  readonly onChange: (key: keyof AuditFilter, value: string) => void;
}) {
  return (
    <search>
      <div className="field-row">
        {fields
          .filter(({ key }) => key !== "site" || props.words.hasSites)
          .map(({ key, label, hint }) => (
            <Field key={key} label={label} hint={hint}>
              {(ids) => (
                <input
                  {...ids}
                  type="search"
                  defaultValue={props.filter[key]}
                  key={props.filter[key]}
                  onBlur={(event) => props.onChange(key, event.target.value.trim())}
                  onKeyDown={(event) => {
                    if (event.key === "Enter") props.onChange(key, event.currentTarget.value.trim());
                  }}
                />
              )}
            </Field>
          ))}
        <SelectField
          label={t("Event")}
          value={props.filter.kind}
          options={[
            ["", t("anything")],
            ...Object.entries(props.words.kinds).map(([kind, words]) => [kind, t(words)] as const),
          ]}
          onChange={(kind) => props.onChange("kind", kind)}
        />
        <Field label={t("From")} hint={t("first day")}>
          {(ids) => (
            <input
              {...ids}
              type="date"
              value={props.filter.from}
              max={props.filter.until || undefined}
              onChange={({ target }) => props.onChange("from", target.value)}
            />
          )}
        </Field>
        <Field label={t("Until")} hint={t("last day")}>
          {(ids) => (
            <input
              {...ids}
              type="date"
              value={props.filter.until}
              min={props.filter.from || undefined}
              onChange={({ target }) => props.onChange("until", target.value)}
            />
          )}
        </Field>
      </div>
      <Tick
        checked={props.filter.people === "true"}
        onChange={(checked) => props.onChange("people", checked ? "true" : "")}
      >
        {t("Only actions of people and programs")}
      </Tick>
    </search>
  );
}

function Trails(props: {
  readonly words: AuditWords;
  readonly events: readonly AuditEventView[];
  readonly isGrouped: boolean;
}) {
  const { words, events } = props;
  if (!props.isGrouped || events.length === 0) return <Trail words={words} events={events} />;
  return byStudy(events).map(({ study, events: own }) => (
    <details key={study} className="audit-group">
      <summary>
        <strong>{study ?? t("Not about a study")}</strong>{" "}
        <span className="muted">
          {plural(own.length, "{count} event", "{count} events")}, <Moment iso={own.at(-1)!.at} seconds />
          {own.length === 1 ? null : (
            <>
              {" – "}
              <Moment iso={own[0]!.at} seconds />
            </>
          )}
        </span>
      </summary>
      <Trail words={words} events={own} isOfOne />
    </details>
  ));
}

function Trail(props: {
  readonly words: AuditWords;
  readonly events: readonly AuditEventView[];
  /** All are of one study, which is said above. */
  readonly isOfOne?: boolean;
}) {
  const { words, events, isOfOne = false } = props;
  return (
    <DataTable
      caption={t("Events, newest first")}
      hideCaption
      columns={[
        { title: t("When"), cell: (event) => <Moment iso={event.at} seconds /> },
        {
          title: t("Who"),
          cell: (event) => <span className="one-line">{event.actor ?? event.site ?? words.itself}</span>,
        },
        {
          title: t("Event"),
          cell: ({ kind }) => kindText(kind, words),
        },
        ...(isOfOne
          ? []
          : [
              {
                title: t("Study"),
                cell: ({ study }: AuditEventView) =>
                  study === null ? (
                    "–"
                  ) : (
                    <Link className="cut" title={study} href={`/studies/${study}`}>
                      {study}
                    </Link>
                  ),
              },
            ]),
        ...(words.hasSites
          ? [
              {
                title: t("Site"),
                cell: ({ site }: AuditEventView) => <span className="one-line">{site ?? "–"}</span>,
              },
            ]
          : []),
        {
          title: t("Detail"),
          cell: (event) => {
            const text = detailText(event);
            return <span title={text}>{shortDetail(text) || "–"}</span>;
          },
        },
      ]}
      rows={events}
      keyOf={(event) => String(event.id)}
      empty={t("No events match.")}
    />
  );
}
