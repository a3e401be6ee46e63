import type { StudyView } from "@consilium/core/operator/views";
import { type Difference, differences, readable } from "@consilium/core/study/differences";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import { Badge, Card, DataTable, Facts, Loaded, Moment, Page } from "../../shared/components";
import { formatDuration } from "../../shared/format";
import { locale, served, t } from "../../shared/language";
import { Verdict } from "../../shared/Verdict";
import { aggregator } from "../api";
import { secondsOf, stepGroups } from "./stageFamilies";
import { secondsText } from "./timesText";
import { analysisName, costText, statusTones, statusWords } from "./wording";

type Pair = readonly [first: StudyView, second: StudyView];

/** Two studies side by side: what differs in their files, and what became of them. */
export default function ComparePage() {
  const { first = "", second = "" } = useParams();
  const query = useQuery({
    queryKey: ["compared studies", first, second],
    queryFn: async (): Promise<Pair> => [await aggregator.study(first), await aggregator.study(second)],
  });
  return (
    <Page
      title={t("Two studies side by side")}
      trail={[["/studies", t("Studies")]]}
      lead={t("What differs between two studies' files, and what each took and cost.")}
    >
      <Loaded query={query} what={t("the studies")}>
        {(pair) => (
          <>
            <div className="side-by-side">
              {pair.map((study) => (
                <About key={study.id} study={study} />
              ))}
            </div>
            <Differences pair={pair} />
            <Times pair={pair} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function About({ study }: { readonly study: StudyView }) {
  const { claim, failure, release } = study;
  return (
    <Card title={study.name}>
      <Facts
        of={[
          [
            t("Study"),
            <Link key="id" href={`/studies/${encodeURIComponent(study.id)}`}>
              {study.id}
            </Link>,
          ],
          [
            t("Status"),
            <Badge key="status" tone={statusTones[study.status]}>
              {statusWords[study.status]}
            </Badge>,
          ],
          [t("Why it failed"), failure === null ? null : <code key="failure">{failure.code}</code>],
          [t("Analysis"), `${analysisName(study.analysis)}, ${study.method}`],
          [t("Started"), <Moment key="begun" iso={study.createdAt} />],
          [t("Duration"), study.endedAt === null ? null : formatDuration(study.seconds * 1000)],
          [t("Sites"), study.siteStates.map(({ site }) => site).join(", ")],
          [t("Privacy"), <Verdict key="verdict" of={claim.verdict} />],
          [t("Cost"), costText(claim)],
          [t("Protects"), served(claim.unit)],
          [t("Rows"), study.rows === null ? null : study.rows.toLocaleString(locale())],
          [
            t("Release"),
            release === null ? null : (
              <a key="release" href={release.url}>
                {t("Open the release in the catalogue")}
              </a>
            ),
          ],
        ]}
      />
    </Card>
  );
}

const sourceOf = ({ study }: StudyView) => readable(study as Readonly<Record<string, unknown>>);

function Differences({ pair: [first, second] }: { readonly pair: Pair }) {
  const found = differences(sourceOf(first), sourceOf(second));
  return (
    <Card title={t("What differs")}>
      <DataTable<Difference>
        caption={t("Settings that differ")}
        hideCaption
        columns={[
          { title: t("Setting"), cell: ({ path }) => <code>{path}</code> },
          { title: sideTitle(first, second, 0), cell: (one) => <Value of={one.before} /> },
          { title: sideTitle(first, second, 1), cell: (one) => <Value of={one.after} /> },
        ]}
        rows={found}
        keyOf={({ path }) => path}
        empty={t("The studies' files do not differ.")}
      />
    </Card>
  );
}

/** A column's name has to be unique: one study may be compared with itself. */
function sideTitle(first: StudyView, second: StudyView, side: 0 | 1): string {
  const own = side === 0 ? first : second;
  return first.id === second.id ? `${own.id} (${side + 1})` : own.id;
}

function Value({ of }: { readonly of: unknown }) {
  if (of === undefined) return t("not set");
  return <code className="wrapped">{typeof of === "string" ? of : JSON.stringify(of)}</code>;
}

interface TimeRow {
  readonly title: string;
  readonly sides: readonly [number | null, number | null];
}

function Times({ pair }: { readonly pair: Pair }) {
  const [first, second] = pair;
  const text = (seconds: number | null) => (seconds === null ? "–" : secondsText(seconds));
  return (
    <Card title={t("Time by part")}>
      <DataTable
        caption={t("How long each part took")}
        hideCaption
        columns={[
          { title: t("Part"), cell: ({ title }) => title },
          { title: sideTitle(first, second, 0), cell: ({ sides }) => text(sides[0]), number: true },
          { title: sideTitle(first, second, 1), cell: ({ sides }) => text(sides[1]), number: true },
        ]}
        rows={timesOf(pair)}
        keyOf={({ title }) => title}
      />
    </Card>
  );
}

/** Parts by their titles, in the order of the first study; what only the second has comes last. */
export function timesOf(pair: readonly [Pick<StudyView, "steps">, Pick<StudyView, "steps">]): TimeRow[] {
  const [first, second] = pair.map(({ steps }) => {
    const byTitle = new Map<string, number | null>();
    for (const { title, parts } of stepGroups(steps)) {
      const seconds = secondsOf(parts.flatMap((part) => part.steps));
      const before = byTitle.get(title) ?? null;
      byTitle.set(title, seconds === null ? before : (before ?? 0) + seconds);
    }
    return byTitle;
  }) as [Map<string, number | null>, Map<string, number | null>];
  return [...new Set([...first.keys(), ...second.keys()])].map((title) => ({
    title,
    sides: [first.get(title) ?? null, second.get(title) ?? null],
  }));
}
