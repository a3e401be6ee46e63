import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { stringify } from "yaml";
import { Badge, Card, FailureNotice, Loaded, Notice, Page } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import { withItem, withValue } from "../../shared/yaml/edit";
import { aggregator } from "../api";
import { useOverview } from "../overview";
import { useCanOperate } from "../role";
import { costText, verdictTones, verdictWords } from "../studies/wording";
import { withMethod } from "./changeMethod";
import { keepDraft, readDraft } from "./draft";
import { Editor, Faults, goToLine } from "./Editor";
import { type Form, FormContext } from "./fields";
import { PlanPanel } from "./PlanPanel";
import { StartDialog } from "./StartDialog";
import { StudyForm } from "./StudyForm";
import { type StudySpec, studySpec } from "./schemaFields";
import { pathOf, readStudyText, type TextFault } from "./studyText";
import { TemplatePicker } from "./TemplatePicker";
import { startingParameters } from "./templates";
import { type Check, useCheck } from "./useCheck";

/** Edits a study file, as text or with a form, and shows its plan and cost. */
export default function ComposePage() {
  const query = useQuery({
    queryKey: ["study schema"],
    queryFn: async () => studySpec(await aggregator.studySchema()),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Page
      title="New study"
      lead="Edit the form or the YAML; they stay in sync. Nothing runs until you start the study."
    >
      <Loaded query={query} what="the study schema">
        {(spec) => <Composer spec={spec} />}
      </Loaded>
    </Page>
  );
}

function Composer({ spec }: { readonly spec: StudySpec }) {
  const [text, setText] = useState(readDraft);
  const like = useStudyLike(setText);
  const { view } = useOverview();
  const area = useRef<HTMLTextAreaElement>(null);
  const read = useMemo(() => readStudyText(text), [text]);
  const check = useCheck(read.value === null ? null : text);
  useEffect(() => keepDraft(text), [text]);
  const faults: readonly TextFault[] =
    read.value === null
      ? read.faults
      : (check.result?.issues ?? []).map((issue) => ({ ...issue, line: read.lineOf(issue.path) }));
  const form: Form = {
    value: read.value ?? {},
    change: (path, value) => setText((before) => withValue(before, path, value)),
    faultAt: (path) => faultAt(faults, path),
  };
  return (
    <>
      {like}
      <TemplatePicker text={text} onChoose={setText} />
      <div className="composer">
        <div className="composer-form">
          {read.value === null ? (
            <Notice tone="bad" title="The file is not valid YAML.">
              <p>Correct the error shown on the right to use the form again.</p>
            </Notice>
          ) : (
            <FormContext value={form}>
              <StudyForm
                spec={spec}
                sites={view?.sites ?? []}
                onMethod={(next) =>
                  setText((before) =>
                    withMethod(before, next, { methods: spec.methods, starting: startingParameters(next) }),
                  )
                }
                onFeature={(item) => setText((before) => withItem(before, ["features"], item))}
              />
            </FormContext>
          )}
        </div>
        <div className="composer-file">
          <Summary check={check} faults={faults} text={text} />
          <Editor text={text} onChange={setText} faults={faults} area={area} />
          <Faults faults={faults} onGo={(line) => goToLine(area.current, line)} />
        </div>
      </div>
      <div id="plan" />
      <PlanPanel check={check.result} isStale={check.isChecking || read.value === null} />
    </>
  );
}

/** The error at a path, or below it where no field shows it. */
function faultAt(faults: readonly TextFault[], path: readonly (string | number)[]): string | null {
  const wanted = JSON.stringify(path);
  return faults.find(({ path: at }) => at !== "" && JSON.stringify(pathOf(at)) === wanted)?.message ?? null;
}

/** `?study=<id>`: starts from an existing study. */
function useStudyLike(onText: (text: string) => void) {
  const [params, setParams] = useSearchParams();
  const id = params.get("study");
  const query = useQuery({
    queryKey: ["study like", id],
    queryFn: () => aggregator.study(id ?? ""),
    enabled: id !== null,
  });
  const study = query.data?.study;
  useEffect(() => {
    if (study === undefined) return;
    onText(`# Like ${id}.\n${stringify(study, { lineWidth: 100 })}`);
    setParams({}, { replace: true });
  }, [study, id, onText, setParams]);
  return query.error === null ? null : <FailureNotice error={query.error} />;
}

function Summary(props: {
  readonly check: Check;
  readonly faults: readonly TextFault[];
  readonly text: string;
}) {
  const { check, faults, text } = props;
  const [isStarting, setStarting] = useState(false);
  const [, navigate] = useLocation();
  const canOperate = useCanOperate();
  const { result } = check;
  const plan = faults.length === 0 ? (result?.plan ?? null) : null;
  const canStart = plan !== null && !check.isChecking && result?.obstacle === null;
  return (
    <Card>
      <div className="row" aria-live="polite">
        {plan === null ? (
          <Badge tone={faults.length > 0 ? "bad" : "neutral"}>{faultText(faults, check)}</Badge>
        ) : (
          <>
            <Badge tone={verdictTones[plan.claim.verdict]}>{verdictWords(plan.claim.verdict)}</Badge>
            <span>{costText(plan.claim)}</span>
            <span className="muted">{formatBytes(plan.uploadBytesPerSite)} per site</span>
            <span className="muted">
              {result?.sites.online} of {result?.sites.asked.length} sites online
            </span>
            <a href="#plan">
              full plan{plan.warnings.length === 0 ? "" : `, ${warningText(plan.warnings.length)}`}
            </a>
          </>
        )}
      </div>
      {check.failure === null ? null : <FailureNotice error={check.failure} />}
      {plan === null || result?.obstacle == null ? null : (
        <Notice tone="warn" title="The study cannot be started now.">
          <p>{result.obstacle}.</p>
        </Notice>
      )}
      <div className="actions">
        <button type="button" onClick={() => download(text)}>
          Download
        </button>
        {canOperate ? (
          <button type="button" data-kind="primary" disabled={!canStart} onClick={() => setStarting(true)}>
            Start…
          </button>
        ) : (
          <span className="muted">Viewers cannot start studies: give the file to an operator.</span>
        )}
      </div>
      {isStarting && plan !== null && result !== null ? (
        <StartDialog
          text={text}
          plan={plan}
          sites={result.sites}
          onStarted={(study) => navigate(`/studies/${study.id}`)}
          onClose={() => setStarting(false)}
        />
      ) : null}
    </Card>
  );
}

const warningText = (count: number) => (count === 1 ? "1 warning" : `${count} warnings`);

function faultText(faults: readonly TextFault[], { isChecking }: Check): string {
  if (faults.length === 0) return isChecking ? "checking…" : "not checked";
  return faults.length === 1 ? "1 error" : `${faults.length} faults`;
}

function download(text: string): void {
  const name = /^name:\s*["']?([a-z0-9-]+)/m.exec(text)?.[1] ?? "study";
  const url = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.yaml`;
  link.click();
  URL.revokeObjectURL(url);
}
