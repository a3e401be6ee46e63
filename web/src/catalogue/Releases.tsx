import type { ReleaseFacets, ReleaseList, ReleaseSummary } from "@consilium/core/release/views";
import { holdingsText } from "@consilium/core/release/wording";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { request } from "../shared/api";
import { type Option, SelectField } from "../shared/choices";
import { Badge, Empty, Field, Loaded, Moment, Page } from "../shared/components";
import { FindingBadge } from "../shared/finding";
import { locale, rich, Served, said, served, t } from "../shared/language";
import { ProviderNotice } from "../shared/session/ProviderNotice";
import { methodText, toneOf, verdictInShort } from "./explain";
import { type Filter, isFiltered, listAddress, noFilter, pageSize, readFilter, writeFilter } from "./filter";

/** All releases visible to the reader, filtered by the page's address. */
export function Releases() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filter = readFilter(search);
  const address = listAddress(filter);
  const query = useQuery({
    queryKey: ["releases", address],
    queryFn: () => request<ReleaseList>("GET", address),
    placeholderData: keepPreviousData,
  });
  const go = (next: Filter) => {
    const text = writeFilter(next);
    navigate(text === "" ? "/" : `/?${text}`, { replace: true });
  };
  const change = (part: Partial<Filter>) => go({ ...filter, page: 1, ...part });
  return (
    <Page
      title={t("Releases")}
      lead={t("Data, selected features and models, each with a privacy certificate.")}
    >
      <ProviderNotice />
      <div className="catalogue">
        <Filters filter={filter} facets={query.data?.facets} onChange={change} onClear={() => go(noFilter)} />
        <section aria-label={t("Releases found")}>
          <Loaded query={query} what={t("the releases")}>
            {(list) => (
              <>
                <p role="status" className="muted">
                  {countText(list.total, isFiltered(filter))}
                </p>
                <ReleaseCards releases={list.releases} isFiltered={isFiltered(filter)} />
                <Pager total={list.total} filter={filter} />
                <p className="muted">
                  {rich("Follow new releases: {link}, {link2}", {
                    link: <a href="/feed.atom">{t("Atom feed")}</a>,
                    link2: <a href="/catalogue.jsonld">{t("DCAT catalogue")}</a>,
                  })}
                </p>
                {list.hasMembers ? (
                  <p className="muted">
                    {rich("{link}, signed by its root key", {
                      link: <a href="/members.json">{t("List of the federation's members")}</a>,
                    })}
                  </p>
                ) : null}
              </>
            )}
          </Loaded>
        </section>
      </div>
    </Page>
  );
}

function countText(total: number, filtered: boolean): string {
  const count =
    total === 1 ? t("1 release") : t("{value} releases", { value: total.toLocaleString(locale()) });
  return filtered ? t("{count} found", { count }) : count;
}

function Filters(props: {
  readonly filter: Filter;
  readonly facets: ReleaseFacets | undefined;
  readonly onChange: (part: Partial<Filter>) => void;
  readonly onClear: () => void;
}) {
  const { filter, facets, onChange } = props;
  const [isOpen, setOpen] = useState(
    // On a phone the list comes first, unless a hidden filter would be active.
    () => !matchMedia("(max-width: 48rem)").matches || isFiltered({ ...filter, q: "" }),
  );
  return (
    <search className="card filters" aria-label={t("Filter releases")}>
      <TypedField
        label={t("Search")}
        type="search"
        value={filter.q}
        hint={t("Searches titles, ids, methods, and names of columns, features and labels.")}
        onChange={(q) => onChange({ q })}
      />
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{t("More filters")}</summary>
        <Choice label={t("Privacy")} name="verdict" {...props} />
        <Choice label={t("Method")} name="method" {...props} />
        <Choice label={t("Variant")} name="variant" {...props} />
        <fieldset>
          <legend>{t("Epsilon")}</legend>
          <div className="pair">
            <TypedField
              label={t("from")}
              type="number"
              value={filter.epsilonMin}
              onChange={(epsilonMin) => onChange({ epsilonMin })}
            />
            <TypedField
              label={t("to|range")}
              type="number"
              value={filter.epsilonMax}
              onChange={(epsilonMax) => onChange({ epsilonMax })}
            />
          </div>
        </fieldset>
        <fieldset>
          <legend>{t("Published")}</legend>
          <div className="pair">
            <TypedField
              label={t("from date")}
              type="date"
              value={filter.from}
              onChange={(from) => onChange({ from })}
            />
            <TypedField
              label={t("to date")}
              type="date"
              value={filter.to}
              onChange={(to) => onChange({ to })}
            />
          </div>
        </fieldset>
        <SelectField
          label={t("Sort by")}
          value={filter.order}
          options={orders()}
          onChange={(order) => onChange({ order })}
        />
      </details>
      {isFiltered(filter) ? (
        <button type="button" onClick={props.onClear}>
          {t("Clear all filters")}
        </button>
      ) : null}
      <p className="visually-hidden">{facets === undefined ? "" : t("The list updates as you type.")}</p>
    </search>
  );
}

const orders = (): readonly Option<Filter["order"]>[] => [
  ["newest", t("newest first")],
  ["oldest", t("oldest first")],
  ["epsilon", t("smallest proven epsilon first")],
  ["title", t("by title")],
];

const facetLabels = said({
  verdict: "any privacy status",
  method: "any method",
  variant: "any variant",
});

const variantNames: Readonly<Record<string, string>> = said({ sound: "proven", paper: "as published" });
const verdictNames: Readonly<Record<string, string>> = said({ proved: "Proven" });

function facetText(name: "verdict" | "method" | "variant", value: string): string {
  const own = {
    variant: variantNames,
    verdict: verdictNames,
    method: {} as Readonly<Record<string, string>>,
  }[name];
  return own[value] ?? served(value);
}

function Choice(props: {
  readonly label: string;
  readonly name: "verdict" | "method" | "variant";
  readonly filter: Filter;
  readonly facets: ReleaseFacets | undefined;
  readonly onChange: (part: Partial<Filter>) => void;
}) {
  const { name, filter, facets } = props;
  const chosen = filter[name];
  const known = facets?.[name] ?? [];
  // A chosen value stays visible even when no release has it any more.
  const values =
    chosen === "" || known.some(({ value }) => value === chosen)
      ? known
      : [...known, { value: chosen, count: 0 }];
  return (
    <SelectField
      label={props.label}
      value={chosen}
      options={[
        ["", facetLabels[name]],
        ...values.map(({ value, count }) => [value, `${facetText(name, value)} (${count})`] as const),
      ]}
      onChange={(value) => props.onChange({ [name]: value })}
    />
  );
}

const typingPauseMs = 250;

/** An input that reports its value once typing pauses. */
function TypedField(props: {
  readonly label: string;
  readonly type: "search" | "number" | "date";
  readonly value: string;
  readonly hint?: string;
  readonly onChange: (value: string) => void;
}) {
  const { value, onChange } = props;
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), typingPauseMs);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <Field label={props.label} hint={props.hint}>
      {(ids) => (
        <input
          {...ids}
          type={props.type}
          value={typed}
          maxLength={200}
          {...(props.type === "number" ? { min: 0, step: t("any"), inputMode: "decimal" as const } : {})}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </Field>
  );
}

function ReleaseCards(props: { readonly releases: readonly ReleaseSummary[]; readonly isFiltered: boolean }) {
  if (props.releases.length === 0) {
    return props.isFiltered ? (
      <Empty title={t("No releases match.")}>
        <p>{t("Remove a filter, or search for other words.")}</p>
      </Empty>
    ) : (
      <Empty title={t("No releases yet.")}>
        <p>{t("Releases appear here when studies of the federation complete.")}</p>
      </Empty>
    );
  }
  return (
    <ul className="release-cards">
      {props.releases.map((release) => (
        <li key={release.id} className="card">
          <h2>
            <Link href={`/releases/${release.id}/`}>{release.title}</Link>
          </h2>
          <p className="row">
            {release.withdrawal === undefined ? null : (
              <Badge tone={release.withdrawal.status === "withdrawn" ? "bad" : "warn"}>
                {served(release.withdrawal.status)}
              </Badge>
            )}
            <Badge tone={toneOf(release.verdict)}>{verdictInShort(release)}</Badge>
            <Badge>{methodText(release.study)}</Badge>
            {release.finding === undefined ? null : <FindingBadge isClear={release.finding.isClear} />}
            {release.access === "token" ? <Badge tone="info">{t("needs a token")}</Badge> : null}
          </p>
          {release.finding === undefined ? null : (
            <p>
              <Served text={release.finding.text} />
            </p>
          )}
          {release.description === "" ? null : <p className="clamped">{release.description}</p>}
          <p className="muted meta">
            {served(holdingsText(release))} · {release.federation} · <Moment iso={release.createdAt} />
            {release.creator === null ? null : <> · {release.creator}</>} · <code>{release.id}</code>
          </p>
        </li>
      ))}
    </ul>
  );
}

function Pager({ total, filter }: { readonly total: number; readonly filter: Filter }) {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  if (pages === 1 && filter.page === 1) return null;
  const href = (page: number) => `/?${writeFilter({ ...filter, page })}`;
  return (
    <nav aria-label={t("Result pages")} className="row pager">
      {filter.page > 1 ? (
        <Link className="button" href={href(Math.min(filter.page - 1, pages))}>
          {t("Previous")}
        </Link>
      ) : null}
      <span>{rich("Page {page} of {pages}", { page: filter.page, pages })}</span>
      {filter.page < pages ? (
        <Link className="button" href={href(filter.page + 1)}>
          {t("Next")}
        </Link>
      ) : null}
    </nav>
  );
}
