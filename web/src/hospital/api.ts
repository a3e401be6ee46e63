import type { Shown } from "@consilium/core/hospital/shown";
import { answer, hospitalApi } from "../shared/api";

/** Every route of the agent that these pages use. */
export const hospital = {
  status: () => answer(hospitalApi.GET("/api/status")),
  doctor: () => answer(hospitalApi.GET("/api/doctor")),
  studies: () => answer(hospitalApi.GET("/api/studies")),
  study: (id: string) => answer(hospitalApi.GET("/api/studies/{id}", { params: { path: { id } } })),
  approve: (id: string, inPlaceOf: string | null, shown: Shown) =>
    answer(
      hospitalApi.POST("/api/studies/{id}/approve", {
        params: { path: { id } },
        body: { shown, ...(inPlaceOf !== null && { inPlaceOf }) },
      }),
    ),
  ask: (id: string, text: string) =>
    answer(hospitalApi.POST("/api/studies/{id}/questions", { params: { path: { id } }, body: { text } })),
  deputies: () => answer(hospitalApi.GET("/api/deputies")),
  nameDeputy: (deputy: string, period: { readonly from: string; readonly until: string }) =>
    answer(hospitalApi.POST("/api/deputies", { body: { deputy, ...period } })),
  removeDeputy: (id: string) =>
    answer(hospitalApi.DELETE("/api/deputies/{id}", { params: { path: { id } } })),
  refuse: (id: string, reason: string | null, shown: Shown) =>
    answer(
      hospitalApi.POST("/api/studies/{id}/refuse", {
        params: { path: { id } },
        body: { reason, shown },
      }),
    ),
  profileOf: (id: string) =>
    answer(hospitalApi.POST("/api/studies/{id}/profile", { params: { path: { id } } })),
  tableCheck: (name: string) =>
    answer(hospitalApi.POST("/api/tables/{name}/check", { params: { path: { name } } })),
  profile: (study: string) => answer(hospitalApi.POST("/api/profile", { body: { study } })),
  ledger: () => answer(hospitalApi.GET("/api/ledger")),
  ledgerSeries: () => answer(hospitalApi.GET("/api/ledger/series")),
  verify: () => answer(hospitalApi.GET("/api/ledger/verify")),
  reconcile: (charge: number | null) =>
    answer(hospitalApi.POST("/api/ledger/reconcile", { body: charge === null ? {} : { charge } })),
  egress: () => answer(hospitalApi.GET("/api/egress")),
  notifications: () => answer(hospitalApi.GET("/api/notifications")),
  testNotifications: () => answer(hospitalApi.POST("/api/notifications/test")),
  policy: () => answer(hospitalApi.GET("/api/policy")),
  checkPolicy: (text: string, signal: AbortSignal) =>
    answer(hospitalApi.POST("/api/policy/check", { body: { text }, signal })),
  savePolicy: (text: string, version: string | null) =>
    answer(hospitalApi.PUT("/api/policy", { body: { text, version } })),
  policyHistory: () => answer(hospitalApi.GET("/api/policy/history")),
  policyVersion: (id: string) =>
    answer(hospitalApi.GET("/api/policy/history/{id}", { params: { path: { id } } })),
};
