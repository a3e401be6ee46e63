import { useMutation } from "@tanstack/react-query";
import { Card, FailureNotice } from "../../shared/components";
import { hospital } from "../api";
import { NeverLeaves, Report } from "./Report";

/** The hospital's table as a waiting study would see it. */
export function OfferedProfile({ id }: { readonly id: string }) {
  const read = useMutation({ mutationFn: () => hospital.profileOf(id) });
  return (
    <Card
      title="Your data, as this study would use them"
      actions={
        <button type="button" disabled={read.isPending} onClick={() => read.mutate()}>
          {read.isPending ? "Reading…" : read.data === undefined ? "Check my data" : "Check again"}
        </button>
      }
    >
      <NeverLeaves />
      {read.isPending ? <p role="status">A large table takes several minutes…</p> : null}
      {read.error === null ? null : <FailureNotice error={read.error} retry={() => read.mutate()} />}
      {read.data === undefined ? null : <Report report={read.data.report} text={read.data.text} />}
    </Card>
  );
}
