import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import {
  Badge,
  Card,
  ConfirmDialog,
  FailureNotice,
  Loaded,
  Moment,
  Notice,
  Page,
} from "../../shared/components";
import { Reason } from "../../shared/failureWords";
import { formatBytes } from "../../shared/format";
import { plural, rich, said, t, translated } from "../../shared/language";
import { useUnsaved } from "../../shared/leaving";
import { saveFile } from "../../shared/saveFile";
import { useSession } from "../../shared/session/session";
import { Tabs } from "../../shared/Tabs";
import { Verdict } from "../../shared/Verdict";
import { withItem, withValue } from "../../shared/yaml/edit";
import { type Path, valueAt } from "../../shared/yaml/values";
import { aggregator, type StudyPlan } from "../api";
import { useOverview } from "../overview";
import { useCanOperate } from "../role";
import { costText } from "../studies/wording";
import { withTable } from "./changeTable";
import { type Draft, keepDraft, readDraft } from "./draft";
import { Editor, Faults, goToLine } from "./Editor";
import { needsEdges, withProposedEdges } from "./edges";
import { type Form, FormContext, textOf } from "./fields";
import { type FormFault, formFaults } from "./formFaults";
import { PlanPanel } from "./PlanPanel";
import { declaredOf } from "./preview/declared";
import { PreviewPanel } from "./preview/PreviewPanel";
import { previewOf } from "./preview/preview";
import { type Remembered, rememberedOf, withChoice } from "./questions/ask";
import {
  type Choice,
  type Chosen,
  chosenOf,
  provenQuestions,
  publishedQuestions,
  type Question,
} from "./questions/questions";
import { startOf } from "./questions/starts";
import { StartDialog } from "./StartDialog";
import { FaultLink, MendButton, StepsNav } from "./Steps";
import { StudyForm } from "./StudyForm";
import { type StudySpec, studySpec } from "./schemaFields";
import { textLike } from "./studyLike";
import { readStudyText, type TextFault } from "./studyText";
import { TemplatePicker } from "./TemplatePicker";
import { startingParameters, templates } from "./templates";
import { type Check, useCheck } from "./useCheck";
import { usePrecision } from "./usePrecision";
import type { ReadVariables } from "./variables/VariableFiles";
import { withVariables } from "./variables/variables";

/** Composes a study by what it asks, with a form and its file, and shows its release, plan and cost beforehand. */
export default function ComposePage() {
  const query = useQuery({
    queryKey: ["study schema"],
    queryFn: async () => studySpec(await aggregator.studySchema()),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Page
      title={t("New study")}
      trail={[["/studies", t("Studies")]]}
      help="/help/STUDY"
      lead={t(
        "Choose a question and say whom it is about. The form and the YAML stay in sync; nothing runs until you start the study.",
      )}
    >
      <Loaded query={query} what={t("the study schema")}>
        {(spec) => <Composer spec={spec} />}
      </Loaded>
    </Page>
  );
}

/** Which side of the file is shown. */
const views = [
  {
    id: "release",
    get title() {
      return t("Preview of the release");
    },
  },
  { id: "file", title: "YAML" },
] as const;
type View = (typeof views)[number]["id"];

const leaving = said({
  title: "Leave this draft?",
  text: "The draft is kept in this browser, for your account, until you start or discard it. Nothing of it was sent to a site.",
  leave: "Leave, keep the draft",
});

function Composer({ spec }: { readonly spec: StudySpec }) {
  const questions = useMemo(
    () => ({ proven: provenQuestions(spec.methods), published: publishedQuestions(spec.methods) }),
    [spec],
  );
  const all = useMemo(() => [...questions.proven, ...questions.published], [questions]);
  const draft = useDraft(questions.proven);
  const { text, setText, restored, isStart, isUntouched } = draft;
  const [view, setView] = useState<View>(() => (readStudyText(text).value === null ? "file" : "release"));
  const replacing = useReplacing(text, isUntouched, draft.begin);
  const like = useStudyLike(replacing.offer);
  const { view: overview } = useOverview();
  const area = useRef<HTMLTextAreaElement>(null);
  const read = useMemo(() => readStudyText(text), [text]);
  const check = useCheck(read.value === null ? null : text);
  const chosen = read.value === null ? null : chosenOf(all, spec.methods, read.value);
  const choose = chooserOf(spec, chosen, draft);
  useUnsaved(draft.isChanged, leaving);
  const discard = () => replacing.ask("discard", draft.discard);
  const faults: readonly TextFault[] = useMemo(
    () =>
      read.value === null
        ? read.faults
        : (check.result?.issues ?? []).map(({ path, message }) => ({
            path,
            message,
            line: read.lineOf(path),
          })),
    [read, check.result],
  );
  const inTheFile = useMemo(
    () => faults.map((one) => ({ ...one, message: translated(one.message, "failures") ?? one.message })),
    [faults],
  );
  const plan = faults.length === 0 ? (check.result?.plan ?? null) : null;
  const choice = chosen?.choice ?? null;
  const method = choice?.method ?? null;
  const found = useMemo(() => formFaults(faults, read.value ?? {}, method), [faults, read, method]);
  // An example's own title keeps nobody from looking at it.
  const open = isStart ? noFaults : (check.result?.open ?? noFaults);
  const formAll = useMemo(() => {
    const others = open.filter(({ path }) => !faults.some((one) => one.path === path));
    return formFaults([...faults, ...others], read.value ?? {}, method);
  }, [faults, open, read, method]);
  const precision = usePrecision(read.value, found, check);
  const derived = useMemo(
    () => (plan === null ? null : derivedOf(plan, check.result?.parameters ?? {})),
    [plan, check.result],
  );
  const form: Form = {
    value: read.value ?? {},
    change: (path, value) => setText((before) => withValue(before, path, value)),
    faults: formAll,
    faultAt: (path) => faultAt(formAll, path),
    derivedAt: ([key, ...path]) => (key === "parameters" ? valueAt(derived, path) : undefined),
  };
  const preview = useMemo(
    () =>
      read.value === null || choice === null ? null : previewOf(declaredOf(read.value, derived), choice),
    [read, choice, derived],
  );
  const showLine = (line: number) => {
    setView("file");
    // The editor is there after the next drawing.
    requestAnimationFrame(() => goToLine(area.current, line));
  };
  return (
    <>
      {like}
      {restored === null ? null : (
        <Notice
          title={t("Your draft is restored.")}
          action={
            <button type="button" onClick={discard}>
              {t("Discard draft…")}
            </button>
          }
        >
          <p>
            {rich("Last changed {Moment}. It is kept in this browser alone.", {
              Moment: <Moment iso={restored.at} />,
            })}
          </p>
        </Notice>
      )}
      {replacing.dialog}
      <TemplatePicker text={text} onChoose={replacing.offer} />
      <StepsNav faults={formAll} />
      <div className="composer">
        <div className="composer-form">
          {read.value === null ? (
            <Notice tone="bad" title={t("The file is not valid YAML.")}>
              <p>{t("Correct the error shown next to the YAML to use the form again.")}</p>
            </Notice>
          ) : (
            <FormContext value={form}>
              <StudyForm
                spec={spec}
                sites={overview?.sites ?? []}
                questions={questions}
                chosen={chosen}
                plan={plan}
                precision={precision}
                onChoose={choose}
                isExample={draft.hasExampleColumns}
                onFeature={(item) => setText((before) => withItem(before, ["features"], item))}
                onTable={(table) =>
                  setText((before) =>
                    withTable(before, table, {
                      starts: draft.starts,
                      needsLabel: choice?.label === "needed",
                    }),
                  )
                }
                onColumns={(added) =>
                  setText((before) => withEdges(withVariables(before, added, draft.hasExampleColumns)))
                }
                onFile={(read) =>
                  setText((before) => withEdges(withRead(before, read, draft.hasExampleColumns)))
                }
                start={<Obstacles check={check} plan={plan} faults={formAll} isExample={isStart} />}
              />
            </FormContext>
          )}
        </div>
        <div className="composer-file">
          <Card>
            <Tabs label={t("Draft")} tabs={views} current={view} onChange={(id) => setView(id as View)}>
              {view === "file" ? (
                <Editor text={text} onChange={setText} faults={inTheFile} area={area} />
              ) : (
                <PreviewPanel preview={preview} />
              )}
            </Tabs>
            {view === "file" || read.value === null ? <Faults faults={inTheFile} onGo={showLine} /> : null}
          </Card>
        </div>
      </div>
      <div id="plan" />
      <PlanPanel check={check.result} isStale={check.isChecking || read.value === null} />
      <div className="composer-bar">
        <Status check={check} plan={plan} faults={formAll} isYaml={read.value !== null} />
        <Start
          check={check}
          plan={plan}
          text={text}
          isExample={isStart}
          onDiscard={isUntouched ? null : discard}
          onStarted={draft.onStarted}
        />
      </div>
    </>
  );
}

/** The text, kept in the browser as soon as it is more than where a question begins. */
function useDraft(questions: readonly Question[]) {
  const { account } = useSession();
  const [, navigate] = useLocation();
  const starts = useMemo(
    () => questions.flatMap(({ choices }) => choices.map((choice) => startOf(choice))),
    [questions],
  );
  const blank = starts[0] ?? "";
  // Of this draft alone: what its other questions said.
  const remembered = useRef(new Map<string, Remembered>());
  const [first] = useState(() => readDraft(account.name));
  const [restored, setRestored] = useState<Draft | null>(first);
  const [text, setText] = useState(first?.text ?? blank);
  const [arrivedWith, setArrivedWith] = useState(text);
  const [startedId, setStartedId] = useState<string | null>(null);
  const isStart = text.trim() === "" || starts.includes(text);
  const exampleColumns = useMemo(() => new Set(starts.map(columnsOf)), [starts]);
  const isUntouched = isStart || templates.some((one) => one.text === text);
  const kept = useRef(first?.text ?? null);
  useEffect(() => {
    const next = startedId !== null || isUntouched ? null : text;
    if (next === kept.current) return;
    kept.current = next;
    keepDraft(account.name, next === null ? null : { text: next, at: new Date().toISOString() });
  }, [account.name, text, isUntouched, startedId]);
  // After the effect that no longer asks before leaving.
  useEffect(() => {
    if (startedId !== null) navigate(`/studies/${startedId}`);
  }, [startedId, navigate]);
  const begin = (next: string) => {
    remembered.current.clear();
    setRestored(null);
    setText(next);
  };
  return {
    text,
    setText,
    /** Another draft takes this one's place. */
    begin,
    remembered: remembered.current,
    /** The texts of the questions' examples. */
    starts,
    restored,
    discard: () => {
      begin(blank);
      setArrivedWith(blank);
    },
    isChanged: startedId === null && !isUntouched && text !== arrivedWith,
    isStart,
    isUntouched,
    /** Its columns are a question's example: the person's own take their place. */
    hasExampleColumns: exampleColumns.has(columnsOf(text)),
    onStarted: setStartedId,
  };
}

/** The draft with edges proposed where its method has no answer without them. */
function withEdges(text: string): string {
  const { value } = readStudyText(text);
  if (value === null || !needsEdges(textOf(value.method), value.parameters)) return text;
  return withProposedEdges(text);
}

const columnsOf = (text: string) => JSON.stringify(readStudyText(text).value?.features ?? null);

/** The draft with what a file says of its variables. */
function withRead(text: string, { features, label, omop }: ReadVariables, isExample: boolean): string {
  // A plan makes every column of the table.
  const changed = withVariables(text, features, isExample || omop !== null);
  const labelled = label === null ? changed : withValue(changed, ["label"], label);
  return omop === null ? labelled : withValue(labelled, ["omop"], omop);
}

/** Turns the draft to another question and back, and remembers what only one of them has a place for. */
function chooserOf(
  { methods }: StudySpec,
  chosen: Chosen | null,
  { text, setText, isStart, remembered }: ReturnType<typeof useDraft>,
) {
  return (choice: Choice, question: Question) => {
    // Nothing was entered yet: the question's own example takes the place of another one's.
    if (isStart && choice.method.variant === "sound") {
      setText(startOf(choice));
      return;
    }
    const now = rememberedOf(text);
    if (chosen !== null && now !== null && !isStart) remembered.set(chosen.choice.id, now);
    const before = remembered.get(choice.id) ?? null;
    const starting = startingParameters(choice.method);
    setText(withEdges(withChoice(text, choice, { methods, starting, question, remembered: before })));
  };
}

/** Asks before a draft's text is lost. */
function useReplacing(text: string, isUntouched: boolean, setText: (text: string) => void) {
  const [pending, setPending] = useState<{ readonly what: string; readonly go: () => void } | null>(null);
  const ask = (what: "replace" | "discard", go: () => void) => setPending({ what, go });
  const dialog: ReactNode =
    pending === null ? null : (
      <ConfirmDialog
        title={pending.what === "discard" ? t("Discard this draft?") : t("Replace your draft?")}
        confirm={pending.what === "discard" ? t("Discard") : t("Replace")}
        kind="danger"
        onConfirm={async () => pending.go()}
        onClose={() => setPending(null)}
      >
        <p>{t("Your current draft is lost unless you download it first.")}</p>
      </ConfirmDialog>
    );
  const offer = (next: string) => {
    if (isUntouched || next === text) setText(next);
    else ask("replace", () => setText(next));
  };
  return { ask, offer, dialog };
}

/** What the file leaves out: by the study's defaults, and by the plan. */
function derivedOf({ stages }: StudyPlan, parameters: Readonly<Record<string, unknown>>) {
  const steps = stages.filter(({ id }) => /^(?:start|sum-\d+)$/.test(id)).length;
  return steps === 0 ? parameters : { steps, ...parameters };
}

const noFaults: readonly Pick<TextFault, "path" | "message">[] = [];

/** The error at a path. */
function faultAt(faults: readonly FormFault[], path: Path): string | null {
  const wanted = JSON.stringify(path);
  return faults.find(({ at }) => JSON.stringify(at) === wanted)?.words ?? null;
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
  const offer = useRef(onText);
  offer.current = onText;
  useEffect(() => {
    if (study === undefined) return;
    offer.current(textLike(id ?? "", study));
    setParams({}, { replace: true });
  }, [study, id, setParams]);
  return query.error === null ? null : <FailureNotice error={query.error} />;
}

/** The verdict and the cost in a line, always in view. */
function Status(props: {
  readonly check: Check;
  readonly plan: StudyPlan | null;
  readonly faults: readonly FormFault[];
  readonly isYaml: boolean;
}) {
  const { check, plan, faults, isYaml } = props;
  const { result } = check;
  const [first] = faults;
  return (
    <div className="row" aria-live="polite">
      {plan === null ? (
        <>
          <Badge tone={faults.length > 0 || !isYaml ? "bad" : "neutral"}>
            {isYaml ? countText(faults, check) : t("The file is not valid YAML.")}
          </Badge>
          {first === undefined ? null : <FaultLink fault={first} />}
        </>
      ) : (
        <>
          {first === undefined ? null : (
            <>
              <Badge tone="warn">{t("cannot start yet")}</Badge>
              <FaultLink fault={first} />
            </>
          )}
          {result?.obstacle == null || result.open.length > 0 ? null : (
            <>
              <Badge tone="warn">{t("cannot start yet")}</Badge>
              <span className="fault">
                <Reason text={`${result.obstacle}.`} />
              </span>
            </>
          )}
          <Verdict of={plan.claim.verdict} />
          <span>{costText(plan.claim)}</span>
          <span className="muted">
            {rich("{uploadBytesPerSite} per site", {
              uploadBytesPerSite: formatBytes(plan.uploadBytesPerSite),
            })}
          </span>
          <span className="muted">
            {rich("{online} of {asked} sites online", {
              online: result?.sites.online,
              asked: result?.sites.asked.length,
            })}
          </span>
          <a href="#plan">
            {rich("full plan{more}", {
              more: plan.warnings.length === 0 ? "" : `, ${warningText(plan.warnings.length)}`,
            })}
          </a>
        </>
      )}
    </div>
  );
}

/** Of a long list the first ones: further ones show once these are gone, and the file has all. */
const faultsMost = 30;

/** Why the study cannot be started. */
function Obstacles(props: {
  readonly check: Check;
  readonly plan: StudyPlan | null;
  readonly faults: readonly FormFault[];
  readonly isExample: boolean;
}) {
  const { check, plan, faults, isExample } = props;
  const { result } = check;
  return (
    <>
      {check.failure === null ? null : <FailureNotice error={check.failure} />}
      {isExample ? (
        <p className="hint">
          {t("These are the example's table and columns: enter your own before you start the study.")}
        </p>
      ) : faults.length > 0 ? (
        <>
          <p className="hint">{t("Correct these errors to start the study:")}</p>
          <ul>
            {faults.slice(0, faultsMost).map((fault) => (
              <li key={`${fault.path} ${fault.words}`}>
                <FaultLink fault={fault} /> <MendButton fault={fault} />
              </li>
            ))}
          </ul>
          {faults.length > faultsMost ? (
            <p className="muted">{t("and {count} more", { count: faults.length - faultsMost })}</p>
          ) : null}
        </>
      ) : null}
      {plan === null || result?.obstacle == null || result.open.length > 0 ? null : (
        <Notice tone="warn" title={t("The study cannot be started now.")}>
          <p>
            <Reason text={`${result.obstacle}.`} />
          </p>
        </Notice>
      )}
    </>
  );
}

function Start(props: {
  readonly check: Check;
  readonly plan: StudyPlan | null;
  readonly text: string;
  /** The text is where a question begins: nobody's table. */
  readonly isExample: boolean;
  /** Null while there is nothing to discard. */
  readonly onDiscard: (() => void) | null;
  readonly onStarted: (id: string) => void;
}) {
  const { check, plan, text, isExample } = props;
  const [isStarting, setStarting] = useState(false);
  const canOperate = useCanOperate();
  const { result } = check;
  const canStart = plan !== null && !check.isChecking && result?.obstacle === null && !isExample;
  return (
    <>
      <div className="actions">
        <button type="button" onClick={() => download(text)}>
          {t("Download")}
        </button>
        {props.onDiscard === null ? null : (
          <button type="button" onClick={props.onDiscard}>
            {t("Discard draft…")}
          </button>
        )}
        {canOperate ? (
          <button type="button" data-kind="primary" disabled={!canStart} onClick={() => setStarting(true)}>
            {t("Start…")}
          </button>
        ) : (
          <span className="muted">{t("Viewers cannot start studies: give the file to an operator.")}</span>
        )}
      </div>
      {isStarting && plan !== null && result !== null ? (
        <StartDialog
          text={text}
          plan={plan}
          sites={result.sites}
          onStarted={(study) => props.onStarted(study.id)}
          onClose={() => setStarting(false)}
        />
      ) : null}
    </>
  );
}

const warningText = (count: number) => plural(count, "{count} warning", "{count} warnings");

function countText(faults: readonly FormFault[], { isChecking }: Check): string {
  if (faults.length === 0) return isChecking ? t("checking…") : t("not checked");
  return plural(faults.length, "{count} error", "{count} errors");
}

function download(text: string): void {
  const name = /^name:\s*["']?([a-z0-9-]+)/m.exec(text)?.[1] ?? "study";
  saveFile(`${name}.yaml`, text, "application/yaml");
}
