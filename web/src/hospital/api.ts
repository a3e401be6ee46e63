import type { DoctorView } from "@consilium/core/hospital/doctorView";
import type {
  EgressView,
  LedgerReportView,
  LedgerSeriesView,
  LedgerView,
  ReconciledView,
} from "@consilium/core/hospital/ledgerViews";
import type { PolicyCheckView, PolicyVersionView, PolicyView } from "@consilium/core/hospital/policyViews";
import type { ProfileView } from "@consilium/core/hospital/profileViews";
import type { SiteStatusView } from "@consilium/core/hospital/statusViews";
import type { DecidedView, ExplainedStudyView, OfferedStudyView } from "@consilium/core/hospital/studyViews";
import { request } from "../shared/api";

/** Every route of the agent that these pages ask. */
export const hospital = {
  status: () => request<SiteStatusView>("GET", "/api/status"),
  doctor: () => request<DoctorView>("GET", "/api/doctor"),
  studies: () => request<OfferedStudyView[]>("GET", "/api/studies"),
  study: (id: string) => request<ExplainedStudyView>("GET", `/api/studies/${encodeURIComponent(id)}`),
  approve: (id: string) =>
    request<DecidedView>("POST", `/api/studies/${encodeURIComponent(id)}/approve`, { body: {} }),
  refuse: (id: string, reason: string | null) =>
    request<DecidedView>("POST", `/api/studies/${encodeURIComponent(id)}/refuse`, { body: { reason } }),
  profileOf: (id: string) =>
    request<ProfileView>("POST", `/api/studies/${encodeURIComponent(id)}/profile`, { body: {} }),
  profile: (study: string) => request<ProfileView>("POST", "/api/profile", { body: { study } }),
  ledger: () => request<LedgerView>("GET", "/api/ledger"),
  ledgerSeries: () => request<LedgerSeriesView[]>("GET", "/api/ledger/series"),
  verify: () => request<LedgerReportView>("GET", "/api/ledger/verify"),
  reconcile: () => request<ReconciledView>("POST", "/api/ledger/reconcile", { body: {} }),
  egress: () => request<EgressView[]>("GET", "/api/egress"),
  policy: () => request<PolicyView>("GET", "/api/policy"),
  checkPolicy: (text: string, signal?: AbortSignal) =>
    request<PolicyCheckView>("POST", "/api/policy/check", {
      body: { text },
      ...(signal === undefined ? {} : { signal }),
    }),
  savePolicy: (text: string, version: string | null) =>
    request<PolicyView>("PUT", "/api/policy", { body: { text, version } }),
  policyHistory: () => request<PolicyVersionView[]>("GET", "/api/policy/history"),
  policyVersion: (id: string) =>
    request<PolicyVersionView & { readonly text: string }>(
      "GET",
      `/api/policy/history/${encodeURIComponent(id)}`,
    ),
};
