import type { DoctorCheck, DoctorStatus, DoctorView } from "@consilium/core/hospital/doctorView";
import { useMutation } from "@tanstack/react-query";
import { Badge, Card, CopyButton, FailureNotice, Moment, Notice, type Tone } from "../../shared/components";
import { rich, Served, said, served, t } from "../../shared/language";
import { hospital } from "../api";
import { doctorSummary, letterToIt } from "./doctorText";

const tones: Readonly<Record<DoctorStatus, Tone>> = {
  ok: "ok",
  warn: "warn",
  fail: "bad",
  skipped: "neutral",
};
const words: Readonly<Record<DoctorStatus, string>> = said({
  ok: "OK",
  warn: "warning",
  fail: "fails",
  skipped: "not checked",
});

/** Checks the network path to the aggregator and this machine, with requests to hospital IT. */
export function Doctor() {
  const run = useMutation({ mutationFn: hospital.doctor });
  return (
    <Card
      title={t("Doctor")}
      actions={
        <button type="button" data-kind="primary" disabled={run.isPending} onClick={() => run.mutate()}>
          {run.isPending ? t("Looking…") : run.data === undefined ? t("Run doctor") : t("Run again")}
        </button>
      }
    >
      <p>
        {rich(
          "Checks everything that can keep this site from working: the path to the aggregator, as far as the last attempt got, certificate, disk, policy and tables. It sends nothing. {code} on the agent's machine checks each step of the path itself.",
          { code: <code>consilium doctor</code> },
        )}
      </p>
      {run.isPending ? <p role="status">{t("Checking; this may take half a minute…")}</p> : null}
      {run.error === null ? null : <FailureNotice error={run.error} retry={() => run.mutate()} />}
      {run.data === undefined ? null : <Found view={run.data} />}
    </Card>
  );
}

function Found({ view }: { readonly view: DoctorView }) {
  const { tone, title } = doctorSummary(view);
  const letter = letterToIt(view);
  return (
    <>
      <Notice tone={tone} title={title}>
        <p>{rich("Checked {Moment}.", { Moment: <Moment iso={view.checkedAt} /> })}</p>
      </Notice>
      {letter === null ? null : (
        <p className="row">
          <span>{t("Some checks need the hospital's network team.")}</span>
          <CopyButton text={letter} label={t("Copy report for hospital IT")} />
        </p>
      )}
      <ul className="checks">
        {view.checks.map((check) => (
          <li key={check.id}>
            <Check of={check} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Check({ of }: { readonly of: DoctorCheck }) {
  return (
    <>
      <h3>
        {served(of.title)} <Badge tone={tones[of.status]}>{words[of.status]}</Badge>
      </h3>
      <p>
        <Served text={of.found} />
      </p>
      {of.remedy === null ? null : (
        <p>
          <strong>{t("What to do:")}</strong> <Served text={of.remedy} />
        </p>
      )}
      {of.forIt === null ? null : (
        <div className="for-it">
          <p>
            <strong>{t("For hospital IT:")}</strong> <Served text={of.forIt} />
          </p>
          <CopyButton text={served(of.forIt)} label={t("Copy: {title}", { title: served(of.title) })} />
        </div>
      )}
    </>
  );
}
