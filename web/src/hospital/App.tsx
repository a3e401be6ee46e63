import { Suspense } from "react";
import { Route, Switch } from "wouter";
import { Loading, Notice } from "../shared/components";
import { t } from "../shared/language";
import { AsksBeforeLeaving } from "../shared/leaving";
import { NoSuchPage } from "../shared/NoSuchPage";
import { onDemand } from "../shared/onDemand";
import { Shell } from "../shared/Shell";
import { NeedsRole } from "../shared/session/NeedsRole";
import { AccountMenu, SignedIn, useSession } from "../shared/session/session";
import { hospitalAccess, hospitalAudit } from "./access";
import { HealthPage } from "./health/HealthPage";
import { LiveSite, useLiveSite } from "./live";

const AccountsPage = onDemand(() => import("../shared/access/AccountsPage"));
const AuditPage = onDemand(() => import("../shared/access/AuditPage"));
const MethodsPage = onDemand(() => import("../shared/documents/MethodsPage"));
const EgressPage = onDemand(() => import("./egress/EgressPage"));
const LedgerPage = onDemand(() => import("./ledger/LedgerPage"));
const PolicyPage = onDemand(() => import("./policy/PolicyPage"));
const ProfilePage = onDemand(() => import("./tables/ProfilePage"));
const StudiesPage = onDemand(() => import("./studies/StudiesPage"));
const StudyPage = onDemand(() => import("./studies/StudyPage"));

export function App() {
  return (
    <SignedIn name={t("hospital console")}>
      <LiveSite>
        <AsksBeforeLeaving>
          <Console />
        </AsksBeforeLeaving>
      </LiveSite>
    </SignedIn>
  );
}

function Console() {
  const { event, isLost } = useLiveSite();
  const { account } = useSession();
  const waiting = event?.waiting ?? 0;
  return (
    <Shell
      name={t("hospital console")}
      nav={[
        { href: "/", title: t("Health") },
        { href: "/studies", title: waiting === 0 ? t("Studies") : t("Studies ({waiting})", { waiting }) },
        { href: "/table", title: t("Table") },
        { href: "/ledger", title: t("Ledger") },
        { href: "/egress", title: t("Data sent") },
        { href: "/policy", title: t("Policy") },
        { href: "/audit", title: t("Audit") },
        ...(account.role === "administrator" ? [{ href: "/accounts", title: t("Accounts") }] : []),
      ]}
      tools={<AccountMenu />}
    >
      {isLost ? (
        <Notice tone="warn" title={t("This page is out of date.")}>
          <p>{t("The site's agent is not responding. The page updates automatically once it does.")}</p>
        </Notice>
      ) : null}
      <Suspense fallback={<Loading what={t("the page")} />}>
        <Switch>
          <Route path="/" component={HealthPage} />
          <Route path="/studies" component={StudiesPage} />
          <Route path="/studies/:id">{({ id }) => <StudyPage key={id} id={id} />}</Route>
          <Route path="/table" component={ProfilePage} />
          <Route path="/ledger" component={LedgerPage} />
          <Route path="/egress" component={EgressPage} />
          <Route path="/policy" component={PolicyPage} />
          <Route path="/audit">
            <AuditPage words={hospitalAudit} />
          </Route>
          <Route path="/accounts">
            <NeedsRole needed="administrator" title={t("Accounts")}>
              <AccountsPage words={hospitalAccess} />
            </NeedsRole>
          </Route>
          <Route path="/documents/*">
            {({ "*": name }) => <MethodsPage key={name} name={name} above={[]} />}
          </Route>
          <Route>
            <NoSuchPage home={t("Go to site health")} />
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}
