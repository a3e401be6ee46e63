import type { StudyView } from "@consilium/core/operator/views";
import { useState } from "react";
import { ConfirmDialog, Field, Moment } from "../../shared/components";
import { rich, t } from "../../shared/language";
import { aggregator } from "../api";
import { useCanOperate } from "../role";
import { invitedDaysMost, moreTime } from "./moreTime";

/** What an operator can do about sites that have not joined: begin without them, or give them more time. */
export function JoiningActions({ study }: { readonly study: StudyView }) {
  const [question, setQuestion] = useState<"proceed" | "extend" | null>(null);
  const [days, setDays] = useState("7");
  const close = () => setQuestion(null);
  const canOperate = useCanOperate();
  if (!canOperate || study.status !== "inviting" || study.deadlineAt === null) return null;
  const joined = study.siteStates.filter(({ state }) => state === "accepted").length;
  const { createdAt, deadlineAt } = study;
  const { daysMost, until, fault } = moreTime(days, { createdAt, deadlineAt });
  return (
    <div className="row">
      <button type="button" onClick={() => setQuestion("proceed")}>
        {t("Begin now…")}
      </button>
      <button type="button" onClick={() => setQuestion("extend")}>
        {t("Give more time…")}
      </button>
      {question === "proceed" ? (
        <ConfirmDialog
          title={t("Begin {name} now?", { name: study.name })}
          confirm={t("Begin with {joined} sites", { joined })}
          onConfirm={() => aggregator.proceed(study.id)}
          onClose={close}
        >
          <p>
            {t(
              "The study begins with the sites that have joined, and does not wait for its deadline. Sites that have not decided cannot join afterwards.",
            )}
          </p>
        </ConfirmDialog>
      ) : null}
      {question === "extend" ? (
        <ConfirmDialog
          title={t("More time for {name}?", { name: study.name })}
          confirm={t("Move the deadline")}
          isIncomplete={until === null}
          onConfirm={() => aggregator.extend(study.id, until ?? "")}
          onClose={close}
        >
          <p>{t("The deadlines of later steps stay as the sites have approved them.")}</p>
          <Field
            label={t("Days after the present deadline")}
            hint={
              until === null
                ? t("At most {most} days after the sites were invited.", { most: invitedDaysMost })
                : rich("The new deadline is {until}.", { until: <Moment iso={until} /> })
            }
            fault={fault}
          >
            {(ids) => (
              <input
                {...ids}
                type="number"
                min={1}
                max={Math.max(1, daysMost)}
                step={1}
                value={days}
                onChange={(event) => setDays(event.target.value)}
              />
            )}
          </Field>
        </ConfirmDialog>
      ) : null}
    </div>
  );
}
