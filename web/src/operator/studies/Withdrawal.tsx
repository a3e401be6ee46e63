import type { StudyView } from "@consilium/core/operator/views";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../shared/api";
import { ConfirmDialog, Facts, Field, Moment, Notice } from "../../shared/components";
import { t } from "../../shared/language";
import { aggregator } from "../api";
import { useCanOperate } from "../role";

const queryKey = ["withdrawals"];

/** What was said of a study's release since it was published, the last first. */
function useWithdrawals(id: string) {
  const query = useQuery({ queryKey, queryFn: aggregator.withdrawals });
  return (query.data ?? []).filter(({ release }) => release === id).reverse();
}

/** Says that a release is withdrawn or superseded. */
export function WithdrawalNotice({ id }: { readonly id: string }) {
  const [said] = useWithdrawals(id);
  if (said === undefined) return null;
  const isWithdrawn = said.status === "withdrawn";
  return (
    <Notice
      tone={isWithdrawn ? "bad" : "warn"}
      title={isWithdrawn ? t("Release withdrawn") : t("Release superseded")}
    >
      <Facts
        of={[
          [t("Reason"), said.reason],
          [t("Superseded by"), said.supersededBy === null ? null : <code key="by">{said.supersededBy}</code>],
          [t("By"), said.actor],
          [t("Signed"), <Moment key="at" iso={said.issuedAt} />],
          [
            t("Published"),
            said.deliveredAt === null ? (
              t("not yet: the publisher does not answer; the aggregator tries again")
            ) : (
              <Moment key="published" iso={said.deliveredAt} />
            ),
          ],
        ]}
      />
    </Notice>
  );
}

type Question = "withdraw" | "supersede" | null;

/** Buttons of a released study: withdraw its release, or name one that supersedes it. */
export function WithdrawalActions({ study }: { readonly study: StudyView }) {
  const said = useWithdrawals(study.id);
  const queries = useQueryClient();
  const [question, setQuestion] = useState<Question>(null);
  const canOperate = useCanOperate();
  if (!canOperate || study.status !== "released" || said.some(({ status }) => status === "withdrawn"))
    return null;
  const close = () => setQuestion(null);
  const changed = () => queries.invalidateQueries({ queryKey });
  return (
    <>
      {said.length > 0 ? null : (
        <button type="button" onClick={() => setQuestion("supersede")}>
          {t("Supersede…")}
        </button>
      )}
      <button type="button" data-kind="danger" onClick={() => setQuestion("withdraw")}>
        {t("Withdraw release…")}
      </button>
      {question === null ? null : (
        <WithdrawalDialog study={study} kind={question} onClose={close} onDone={changed} />
      )}
    </>
  );
}

function WithdrawalDialog(props: {
  readonly study: StudyView;
  readonly kind: "withdraw" | "supersede";
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}) {
  const { study, kind } = props;
  const [reason, setReason] = useState("");
  const [by, setBy] = useState("");
  const [fault, setFault] = useState<"reason" | "by" | null>(null);
  const released = useQuery({
    queryKey: ["studies", "released"],
    queryFn: () => aggregator.studies({ status: ["released"], limit: 100 }),
  });
  const others = (released.data?.studies ?? []).filter(({ id }) => id !== study.id);
  const isWithdrawal = kind === "withdraw";
  const act = async () => {
    const missing = reason.trim() === "" ? "reason" : !isWithdrawal && by === "" ? "by" : null;
    setFault(missing);
    if (missing !== null) {
      const [message, remedy] =
        missing === "reason"
          ? [t("the reason is missing"), t("write it: readers of the page need it")]
          : [t("no release is chosen"), t("choose the one that supersedes it")];
      throw new ApiError(0, { code: "FIELD_INVALID", message, remedy });
    }
    if (isWithdrawal) await aggregator.withdrawRelease(study.id, reason, by);
    else await aggregator.supersedeRelease(study.id, reason, by);
    await props.onDone();
  };
  return (
    <ConfirmDialog
      title={
        isWithdrawal
          ? t("Withdraw the release of {name}?", { name: study.name })
          : t("Supersede the release of {name}?", { name: study.name })
      }
      confirm={isWithdrawal ? t("Withdraw release") : t("Supersede release")}
      kind={isWithdrawal ? "danger" : "primary"}
      onConfirm={act}
      onClose={props.onClose}
    >
      <p>
        {isWithdrawal
          ? t(
              "This cannot be undone. The release's page stays and says when and why; of its files only the certificate is still served. Copies that were downloaded stay with their readers, and hospitals' privacy budgets stay charged.",
            )
          : t("Both pages will link to each other, and the files of both stay available.")}
      </p>
      <Field
        label={t("Reason")}
        hint={t("One line, shown on the public page")}
        fault={fault === "reason" ? t("A reason is required") : null}
      >
        {(ids) => (
          <input
            {...ids}
            type="text"
            maxLength={1_000}
            required
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      <Field
        label={isWithdrawal ? t("Release to use instead (optional)") : t("Release that supersedes it")}
        {...(released.data?.next == null ? {} : { hint: t("The newest 100; the command line takes any") })}
        fault={fault === "by" ? t("Choose a release") : null}
      >
        {(ids) => (
          <select {...ids} value={by} onChange={(event) => setBy(event.target.value)}>
            <option value="">{t("none")}</option>
            {others.map(({ id, name }) => (
              <option key={id} value={id}>
                {name} ({id})
              </option>
            ))}
          </select>
        )}
      </Field>
    </ConfirmDialog>
  );
}
