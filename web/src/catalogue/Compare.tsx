import type { ReleaseList, ReleaseView } from "@consilium/core/release/views";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { request } from "../shared/api";
import { SelectField } from "../shared/choices";
import { Card, Facts, Loaded, Moment, Page } from "../shared/components";
import { FindingText } from "../shared/finding";
import { formatMoment } from "../shared/format";
import { served, t } from "../shared/language";
import { measureText } from "../shared/measure";
import { explain, methodText, verdictInShort } from "./explain";
import { Figures } from "./FiguresCard";
import { hasTables, ResultTables } from "./TablesCard";

const addressOf = (id: string) => `/api/releases/${encodeURIComponent(id)}`;

/** Two releases side by side: what each found, and how private it is. */
export default function Compare(props: { readonly first: string; readonly second: string }) {
  return (
    <Page title={t("Two releases side by side")} trail={[["/", t("Releases")]]}>
      <div className="compared">
        <One id={props.first} />
        <One id={props.second} />
      </div>
    </Page>
  );
}

function One({ id }: { readonly id: string }) {
  const query = useQuery({
    queryKey: ["release", id],
    queryFn: () => request<ReleaseView>("GET", addressOf(id)),
    staleTime: 60_000,
  });
  return (
    <Loaded query={query} what={t("the release")}>
      {(view) => <Shown view={view} />}
    </Loaded>
  );
}

function Shown({ view }: { readonly view: ReleaseView }) {
  const { content, certificate } = view;
  return (
    <section aria-label={content.title}>
      <Card title={content.title}>
        <Facts
          of={[
            [
              t("Release"),
              <a key="id" href={`/releases/${content.id}/`}>
                {content.id}
              </a>,
            ],
            [t("Published"), <Moment key="at" iso={content.createdAt} />],
            [t("Method"), methodText(content.study)],
            [t("Privacy"), verdictInShort(certificate)],
            [t("Protects"), explain(certificate).protects],
            [t("Hospitals"), certificate.sites.join(", ")],
            [
              t("Finding"),
              content.finding === undefined ? null : <FindingText key="finding" finding={content.finding} />,
            ],
          ]}
        />
      </Card>
      {hasTables(view) ? (
        <Card title={t("Results")}>
          <ResultTables view={view} />
        </Card>
      ) : null}
      {content.card?.evaluation == null ? null : (
        <Card title={t("On held-out rows")}>
          <Facts
            of={content.card.evaluation.measures.map((measure) => [
              served(measure.name),
              measureText(measure),
            ])}
          />
        </Card>
      )}
      {view.files.some(({ name }) => name.startsWith("plots/")) ? (
        <Card title={t("Figures")}>
          <Figures view={view} />
        </Card>
      ) : null}
    </section>
  );
}

/** Chooses another release by the same method; those of the same study come first. */
export function CompareWith({ content }: Pick<ReleaseView, "content">) {
  const [, navigate] = useLocation();
  const { analysis, method, name } = content.study;
  const query = useQuery({
    queryKey: ["comparable", analysis, method],
    queryFn: () =>
      request<ReleaseList>("GET", `/api/releases?${new URLSearchParams({ analysis, method, limit: "200" })}`),
    staleTime: 60_000,
  });
  const others = (query.data?.releases ?? [])
    .filter(({ id }) => id !== content.id)
    .sort((a, b) => Number(b.study.name === name) - Number(a.study.name === name));
  if (others.length === 0) return null;
  return (
    <SelectField
      label={t("Compare with")}
      value=""
      options={[
        ["", t("another release by this method")],
        ...others.map(
          ({ id, title, createdAt }) => [id, `${title}, ${formatMoment(createdAt)}`] as [string, string],
        ),
      ]}
      onChange={(id) => navigate(`/compare/${encodeURIComponent(content.id)}/${encodeURIComponent(id)}`)}
    />
  );
}
