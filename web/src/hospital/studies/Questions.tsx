import type { ExplainedStudyView } from "@consilium/core/hospital/studyViews";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Conversation, WriteForm } from "../../shared/Conversation";
import { Card, FailureNotice, Moment } from "../../shared/components";
import { t } from "../../shared/language";
import { hospital } from "../api";

const most = 20;
const open: readonly string[] = ["waiting for approval", "joined", "waiting"];

/** What this hospital asked the operator about a study, the answers, and a further question. */
export function Questions({ study }: { readonly study: ExplainedStudyView }) {
  const queries = useQueryClient();
  const ask = useMutation({
    mutationFn: (text: string) => hospital.ask(study.id, text),
    onSettled: () => queries.invalidateQueries({ queryKey: ["studies"] }),
  });
  const canAsk = open.includes(study.status) && study.questions.length < most;
  if (!canAsk && study.questions.length === 0) return null;
  return (
    <Card title={t("Questions to the operator")}>
      <ul className="conversations">
        {study.questions.map(({ id, text, askedAt, askedBy, receivedAt, answer, answeredAt }) => (
          <Conversation
            key={id}
            of={{
              id,
              text,
              who: (
                <>
                  {askedBy}, <Moment iso={askedAt} />
                </>
              ),
            }}
            below={
              answer === null ? (
                <p className="muted">
                  {receivedAt === null
                    ? t("Not sent yet: it is sent at the next connection.")
                    : t("Sent. No answer yet.")}
                </p>
              ) : (
                <>
                  <p className="muted">
                    {t("The operator")}, <Moment iso={answeredAt!} />
                  </p>
                  <p className="person-text">{answer}</p>
                </>
              )
            }
          />
        ))}
      </ul>
      {ask.error === null ? null : <FailureNotice error={ask.error} />}
      {canAsk ? (
        <WriteForm
          label={t("Ask the operator")}
          hint={t(
            "This text leaves the hospital. Do not write anything about a patient. Your name is not sent.",
          )}
          button={t("Send question")}
          isPending={ask.isPending}
          onSend={(text, onSuccess) => ask.mutate(text, { onSuccess })}
        />
      ) : null}
    </Card>
  );
}
