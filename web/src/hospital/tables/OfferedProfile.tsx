import { useMutation } from "@tanstack/react-query";
import { Card, FailureNotice } from "../../shared/components";
import { t } from "../../shared/language";
import { hospital } from "../api";
import { NeverLeaves, Report } from "./Report";

/** The hospital's table as a waiting study would see it. */
export function OfferedProfile({ id }: { readonly id: string }) {
  const read = useMutation({ mutationFn: () => hospital.profileOf(id) });
  return (
    <Card
      title={t("Your data, as this study would use them")}
      actions={
        <button type="button" disabled={read.isPending} onClick={() => read.mutate()}>
          {read.isPending ? t("Reading…") : read.data === undefined ? t("Check my data") : t("Check again")}
        </button>
      }
    >
      <NeverLeaves />
      {read.isPending ? <p role="status">{t("A large table takes several minutes…")}</p> : null}
      {read.error === null ? null : <FailureNotice error={read.error} retry={() => read.mutate()} />}
      {read.data === undefined ? null : <Report report={read.data.report} text={read.data.text} />}
    </Card>
  );
}
