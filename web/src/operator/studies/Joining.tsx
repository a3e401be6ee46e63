import type { StudyView } from "@consilium/core/operator/views";
import { useState } from "react";
import { ConfirmDialog, Field } from "../../shared/components";
import { t } from "../../shared/language";
import { aggregator } from "../api";
import { useCanOperate } from "../role";

const dayMs = 86_400_000;
/** Sites may be invited for at most so many days. */
const daysMost = 30;

/** What an operator can do about sites that have not joined: begin without them, or give them more time. */
export function JoiningActions({ study }: { readonly study: StudyView }) {
  const [question, setQuestion] = useState<"proceed" | "extend" | null>(null);
  const [days, setDays] = useState("7");
  const close = () => setQuestion(null);
  const canOperate = useCanOperate();
  if (!canOperate || study.status !== "inviting" || study.deadlineAt === null) return null;
  const joined = study.siteStates.filter(({ state }) => state === "accepted").length;
  const extended = Date.parse(study.deadlineAt) + Number(days) * dayMs;
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
          onConfirm={() => aggregator.extend(study.id, new Date(extended).toISOString())}
          onClose={close}
        >
          <p>{t("The deadlines of later steps stay as the sites have approved them.")}</p>
          <Field
            label={t("Days after the present deadline")}
            hint={t("At most 30 days after the sites were invited.")}
          >
            {(ids) => (
              <input
                {...ids}
                type="number"
                min={1}
                max={daysMost}
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
