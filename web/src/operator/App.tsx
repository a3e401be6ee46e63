import { Suspense } from "react";
import { Route, Switch } from "wouter";
import { Loading } from "../shared/components";
import { AsksBeforeLeaving } from "../shared/leaving";
import { NoSuchPage } from "../shared/NoSuchPage";
import { onDemand } from "../shared/onDemand";
import { Shell } from "../shared/Shell";
import { NeedsRole } from "../shared/session/NeedsRole";
import { AccountMenu, SignedIn } from "../shared/session/session";
import { operatorAccess } from "./access";
import { operatorAudit } from "./auditWords";
import FederationPage from "./federation/FederationPage";
import "./operator.css";
import { t } from "../shared/language";
import { OverviewProvider } from "./overview";
import { useCanOperate } from "./role";

const StudiesPage = onDemand(() => import("./studies/StudiesPage"));
const StudyPage = onDemand(() => import("./studies/StudyPage"));
const ComparePage = onDemand(() => import("./studies/ComparePage"));
const ComposePage = onDemand(() => import("./compose/ComposePage"));
const InvitationsPage = onDemand(() => import("./invitations/InvitationsPage"));
const HelpPage = onDemand(() => import("./help/HelpPage"));
const AuditPage = onDemand(() => import("../shared/access/AuditPage"));
const AccountsPage = onDemand(() => import("../shared/access/AccountsPage"));

const pages = [
  {
    href: "/",
    get title() {
      return t("Federation");
    },
  },
  {
    href: "/studies",
    get title() {
      return t("Studies");
    },
  },
  {
    href: "/compose",
    get title() {
      return t("New study");
    },
  },
  {
    href: "/audit",
    get title() {
      return t("Audit");
    },
  },
];
const operatorsPages = [
  {
    href: "/invitations",
    get title() {
      return t("Invitations");
    },
  },
  {
    href: "/accounts",
    get title() {
      return t("Accounts");
    },
  },
];

export function App() {
  return (
    <SignedIn name={t("operator console")}>
      <OverviewProvider>
        <AsksBeforeLeaving>
          <Pages />
        </AsksBeforeLeaving>
      </OverviewProvider>
    </SignedIn>
  );
}

function Pages() {
  const canOperate = useCanOperate();
  return (
    <Shell
      name={t("operator console")}
      nav={canOperate ? [...pages, ...operatorsPages] : pages}
      tools={<AccountMenu />}
    >
      <Suspense fallback={<Loading what={t("the page")} />}>
        <Switch>
          <Route path="/" component={FederationPage} />
          <Route path="/studies" component={StudiesPage} />
          <Route path="/studies/:id" component={StudyPage} />
          <Route path="/compare/:first/:second" component={ComparePage} />
          <Route path="/compose" component={ComposePage} />
          <Route path="/invitations">
            <NeedsRole needed="operator" title={t("Invitations")}>
              <InvitationsPage />
            </NeedsRole>
          </Route>
          <Route path="/help" component={HelpPage} />
          <Route path="/help/*" component={HelpPage} />
          <Route path="/audit">
            <AuditPage words={operatorAudit} />
          </Route>
          <Route path="/accounts">
            <NeedsRole needed="operator" title={t("Accounts")}>
              <AccountsPage words={operatorAccess} />
            </NeedsRole>
          </Route>
          <Route>
            <NoSuchPage home={t("Go to federation")} />
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}
