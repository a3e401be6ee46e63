import type { SiteQuestionView } from "@consilium/core/operator/questionViews";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Conversation, WriteForm } from "../../shared/Conversation";
import { Card, FailureNotice, Moment } from "../../shared/components";
import { t } from "../../shared/language";
import { aggregator } from "../api";
import { useCanOperate } from "../role";

/** What hospitals asked about a study, and the answers; nothing where none did. */
export function Questions({ id, isOver }: { readonly id: string; readonly isOver: boolean }) {
  const query = useQuery({
    queryKey: ["questions", id],
    queryFn: () => aggregator.questions(id),
    refetchInterval: isOver ? false : 10_000,
  });
  if (query.data === undefined || query.data.length === 0) return null;
  return (
    <Card title={t("Questions from hospitals")}>
      <ul className="conversations">
        {query.data.map((question) => (
          <Question key={question.id} study={id} question={question} />
        ))}
      </ul>
    </Card>
  );
}

function Question({ study, question }: { readonly study: string; readonly question: SiteQuestionView }) {
  const { id, site, text, askedAt, answer, answeredAt, answeredBy } = question;
  const canOperate = useCanOperate();
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: (written: string) => aggregator.answer(study, id, written),
    onSettled: () => queries.invalidateQueries({ queryKey: ["questions", study] }),
  });
  const who = (
    <>
      <strong>{site}</strong>, <Moment iso={askedAt} />
    </>
  );
  return (
    <Conversation
      of={{ id, text, who }}
      below={
        answer === null ? (
          <>
            {send.error === null ? null : <FailureNotice error={send.error} />}
            {canOperate ? (
              <WriteForm
                label={t("Answer {site}", { site })}
                hint={t("Only this hospital can read it. It cannot be changed.")}
                button={t("Send answer")}
                isPending={send.isPending}
                onSend={(written, onSuccess) => send.mutate(written, { onSuccess })}
              />
            ) : (
              <p className="muted">{t("No answer yet.")}</p>
            )}
          </>
        ) : (
          <>
            <p className="muted">
              {answeredBy ?? t("the operator")}, <Moment iso={answeredAt!} />
            </p>
            <p className="person-text">{answer}</p>
          </>
        )
      }
    />
  );
}
