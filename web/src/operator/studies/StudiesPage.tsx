import type { StudySummary } from "@consilium/core/operator/views";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { allOr, SearchField, SelectField } from "../../shared/choices";
import { Card, Empty, Loaded, Page } from "../../shared/components";
import { aggregator } from "../api";
import { useOverview } from "../overview";
import { StudyTable } from "./StudyTable";

const shownMost = 200;

/** All studies, newest first. */
export default function StudiesPage() {
  const { view } = useOverview();
  // Refetched when a study starts or ends; in between the stream delivers changes.
  const running = view?.running.map(({ id, status }) => `${id} ${status}`).join(" ") ?? "";
  const query = useQuery({
    queryKey: ["studies", running],
    queryFn: aggregator.studies,
    placeholderData: (before) => before,
  });
  return (
    <Page
      title="Studies"
      actions={
        <Link className="button" data-kind="primary" href="/compose">
          New study
        </Link>
      }
    >
      <Loaded query={query} what="the studies">
        {(studies) => (studies.length === 0 ? <None /> : <Listed studies={studies} />)}
      </Loaded>
    </Page>
  );
}

function None() {
  return (
    <Empty title="No studies yet.">
      <p>
        A study is one YAML file: the computation, the columns, the privacy and the number of sites. The form
        helps you write it and shows the cost before you start it.
      </p>
      <p>
        <Link className="button" data-kind="primary" href="/compose">
          New study
        </Link>
      </p>
    </Empty>
  );
}

const orders = {
  "newest first": (a: StudySummary, b: StudySummary) => b.createdAt.localeCompare(a.createdAt),
  "oldest first": (a: StudySummary, b: StudySummary) => a.createdAt.localeCompare(b.createdAt),
  "last ended first": (a: StudySummary, b: StudySummary) =>
    (b.endedAt ?? "9").localeCompare(a.endedAt ?? "9"),
  "by name": (a: StudySummary, b: StudySummary) => a.id.localeCompare(b.id),
  "longest first": (a: StudySummary, b: StudySummary) => lasted(b) - lasted(a),
} as const;
type Order = keyof typeof orders;

/** Of one that runs: longer than any that has ended. */
function lasted({ createdAt, endedAt }: StudySummary): number {
  return endedAt === null ? Number.MAX_VALUE : Date.parse(endedAt) - Date.parse(createdAt);
}

const statuses = ["running", "released", "failed", "cancelled"] as const;

function Listed({ studies }: { readonly studies: readonly StudySummary[] }) {
  const [text, setText] = useState("");
  const [status, setStatus] = useState<(typeof statuses)[number] | "all">("all");
  const [method, setMethod] = useState("all");
  const [order, setOrder] = useState<Order>("newest first");
  const methods = [...new Set(studies.map((study) => study.method))].sort();
  const isWanted = (study: StudySummary) =>
    (method === "all" || study.method === method) &&
    (status === "all" || status === study.status || (status === "running" && study.endedAt === null)) &&
    `${study.id} ${study.analysis} ${study.method}`.toLowerCase().includes(text.trim().toLowerCase());
  const wanted = studies.filter(isWanted).sort(orders[order]);
  return (
    <Card>
      <div className="field-row">
        <SearchField label="Find by name or analysis" value={text} onChange={setText} />
        <SelectField label="Status" value={status} options={allOr(statuses)} onChange={setStatus} />
        <SelectField label="Method" value={method} options={allOr(methods)} onChange={setMethod} />
        <SelectField
          label="Order"
          value={order}
          options={(Object.keys(orders) as Order[]).map((one) => [one, one] as const)}
          onChange={setOrder}
        />
      </div>
      <StudyTable studies={wanted.slice(0, shownMost)} caption={`Studies, ${wanted.length}`} />
      {wanted.length > shownMost ? (
        <p className="muted">
          The first {shownMost} of {wanted.length} are shown.
        </p>
      ) : null}
    </Card>
  );
}
