import { ConfirmDialog, Facts } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import { plural, rich, Served, served, t, upperFirst } from "../../shared/language";
import { Verdict } from "../../shared/Verdict";
import { aggregator, type StudyCheck, type StudyPlan } from "../api";
import { costText } from "../studies/wording";

/** The confirmation before a study is offered to the sites. */
export function StartDialog(props: {
  readonly text: string;
  readonly plan: StudyPlan;
  readonly sites: StudyCheck["sites"];
  readonly onStarted: (study: { readonly id: string }) => void;
  readonly onClose: () => void;
}) {
  const { plan, sites } = props;
  const { claim } = plan;
  return (
    <ConfirmDialog
      title={t("Start {name}?", { name: plan.name })}
      confirm={t("Start study")}
      onConfirm={async () => {
        props.onStarted(await aggregator.start(props.text));
      }}
      onClose={props.onClose}
    >
      <p>
        {rich(
          "It is offered to {asked} sites, {online} of them online. Each site applies its own policy and charges its own ledger.",
          { asked: sites.asked.length, online: sites.online },
        )}
      </p>
      <Facts
        of={[
          [t("Privacy"), <Verdict key="verdict" of={claim.verdict} />],
          [t("Cost"), costText(claim)],
          [t("Protects"), served(claim.unit)],
          [t("Sites"), sites.asked.join(", ")],
          [
            t("From each"),
            plural(
              plan.stages.length,
              "at most {uploadBytesPerSite}, in {count} stage",
              "at most {uploadBytesPerSite}, in {count} stages",
              {
                uploadBytesPerSite: formatBytes(plan.uploadBytesPerSite),
              },
            ),
          ],
        ]}
      />
      {claim.reasons.length === 0 ? null : (
        <>
          <p>{t("Why the claim is not reliable:")}</p>
          <ul>
            {claim.reasons.map((reason) => (
              <li key={reason}>
                <Served text={upperFirst(reason)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  );
}
