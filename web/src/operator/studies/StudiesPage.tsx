import type { StudyOrder, StudyStatus } from "@consilium/core/operator/views";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { allOr, type Option, SearchField, SelectField } from "../../shared/choices";
import { Card, Empty, Loaded, Page } from "../../shared/components";
import { rich, t } from "../../shared/language";
import { aggregator } from "../api";
import { useOverview } from "../overview";
import { StudyTable } from "./StudyTable";
import { statusWords } from "./wording";

const pageSize = 50;

/** All studies, newest first, some at a time. */
export default function StudiesPage() {
  const { view } = useOverview();
  const [params] = useSearchParams();
  const [text, setText] = useState(params.get("q") ?? "");
  const [state, setState] = useState<State | "all">("all");
  const [order, setOrder] = useState<StudyOrder>("newest");
  // Refetched when a study starts or ends; in between the stream delivers changes.
  const running = view?.running.map(({ id, status }) => `${id} ${status}`).join(" ") ?? "";
  const wanted = { order, q: text.trim(), status: state === "all" ? undefined : statesOf[state] };
  const query = useInfiniteQuery({
    queryKey: ["studies", running, wanted],
    queryFn: ({ pageParam }) => aggregator.studies({ ...wanted, after: pageParam, limit: pageSize }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
  const [chosen, setChosen] = useState<readonly string[]>([]);
  // A third one takes the place of the first.
  const toggle = (id: string, isIn: boolean) =>
    setChosen(isIn ? [...chosen, id].slice(-2) : chosen.filter((one) => one !== id));
  const isNarrowed = wanted.q !== "" || state !== "all";
  return (
    <Page
      title={t("Studies")}
      help="/help/tutorials/operator"
      actions={
        <Link className="button" data-kind="primary" href="/compose">
          {t("New study")}
        </Link>
      }
    >
      <Loaded query={query} what={t("the studies")}>
        {({ pages }) => {
          const total = pages.at(-1)!.total;
          if (total === 0 && !isNarrowed) return <None />;
          const studies = pages.flatMap((page) => page.studies);
          return (
            <Card>
              <div className="field-row">
                <SearchField label={t("Find by name, analysis or method")} value={text} onChange={setText} />
                <SelectField
                  label={t("Status")}
                  value={state}
                  options={allOr(states, (one) => statusWords[one])}
                  onChange={setState}
                />
                <SelectField label={t("Order")} value={order} options={orders()} onChange={setOrder} />
              </div>
              {studies.length < 2 ? null : <Compared ids={chosen} />}
              <StudyTable
                studies={studies}
                caption={t("Studies, {total}", { total })}
                choice={{ ids: chosen, onToggle: toggle }}
              />
              {query.hasNextPage ? (
                <p className="row">
                  <button
                    type="button"
                    disabled={query.isFetchingNextPage}
                    onClick={() => query.fetchNextPage()}
                  >
                    {t("Show more")}
                  </button>
                  <span className="muted">
                    {rich("{studies} of {total} are shown.", { studies: studies.length, total })}
                  </span>
                </p>
              ) : null}
            </Card>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** Leads to the comparison once two are chosen. */
function Compared({ ids: [first, second] }: { readonly ids: readonly string[] }) {
  if (first === undefined) return <p className="muted">{t("Tick two studies to compare them.")}</p>;
  return (
    <p className="row" aria-live="polite">
      {second === undefined ? (
        t("Choose another study to compare with {id}.", { id: first })
      ) : (
        <Link className="button" href={`/compare/${encodeURIComponent(first)}/${encodeURIComponent(second)}`}>
          {t("Compare {first} with {second}", { first, second })}
        </Link>
      )}
    </p>
  );
}

function None() {
  return (
    <Empty title={t("No studies yet.")}>
      <p>
        {t(
          "A study is one YAML file: the computation, the columns, the privacy and the number of sites. The form helps you write it and shows the cost before you start it.",
        )}
      </p>
      <p>
        <Link className="button" data-kind="primary" href="/compose">
          {t("New study")}
        </Link>
      </p>
    </Empty>
  );
}

const orders = (): readonly Option<StudyOrder>[] => [
  ["newest", t("newest first")],
  ["oldest", t("oldest first")],
  ["ended", t("last ended first")],
  ["name", t("by name")],
  ["longest", t("longest first")],
];

const statesOf = {
  running: ["inviting", "running", "publishing"],
  released: ["released"],
  failed: ["failed"],
  cancelled: ["cancelled"],
} satisfies Record<string, StudyStatus[]>;
type State = keyof typeof statesOf;
const states = Object.keys(statesOf) as State[];
