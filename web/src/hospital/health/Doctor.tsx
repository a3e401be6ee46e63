import type { DoctorCheck, DoctorStatus, DoctorView } from "@consilium/core/hospital/doctorView";
import { useMutation } from "@tanstack/react-query";
import { Badge, Card, CopyButton, FailureNotice, Moment, Notice, type Tone } from "../../shared/components";
import { hospital } from "../api";
import { doctorSummary, letterToIt } from "./doctorText";

const tones: Readonly<Record<DoctorStatus, Tone>> = {
  ok: "ok",
  warn: "warn",
  fail: "bad",
  skipped: "neutral",
};
const words: Readonly<Record<DoctorStatus, string>> = {
  ok: "in order",
  warn: "will not always work",
  fail: "fails",
  skipped: "not looked at",
};

/** Looks at the way to the aggregator and at this machine, check by check, with what to ask of hospital IT. */
export function Doctor() {
  const run = useMutation({ mutationFn: hospital.doctor });
  return (
    <Card
      title="Doctor"
      actions={
        <button type="button" data-kind="primary" disabled={run.isPending} onClick={() => run.mutate()}>
          {run.isPending ? "Looking…" : run.data === undefined ? "Run the doctor" : "Run it again"}
        </button>
      }
    >
      <p>
        Tells what keeps this site from working: the way to the aggregator, as far as the last attempt came,
        certificate, disk, policy and tables. It sends nothing. <code>consilium doctor</code> on the agent's
        machine tries each step of the way by itself.
      </p>
      {run.isPending ? <p role="status">Looking at each in turn; this may take half a minute…</p> : null}
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
        <p>
          Looked at <Moment iso={view.checkedAt} />.
        </p>
      </Notice>
      {letter === null ? null : (
        <p className="row">
          <span>Some of it is for the hospital's network team.</span>
          <CopyButton text={letter} label="Copy all of it for hospital IT" />
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
        {of.title} <Badge tone={tones[of.status]}>{words[of.status]}</Badge>
      </h3>
      <p>{of.found}</p>
      {of.remedy === null ? null : (
        <p>
          <strong>What to do:</strong> {of.remedy}
        </p>
      )}
      {of.forIt === null ? null : (
        <div className="for-it">
          <p>
            <strong>For hospital IT:</strong> {of.forIt}
          </p>
          <CopyButton text={of.forIt} label={`Copy: ${of.title}`} />
        </div>
      )}
    </>
  );
}
