import type { AgentAnswers, AgentInterface } from "@consilium/core/hospital/agentApi";
import type { AgentAsks } from "@consilium/core/hospital/agentRequests";
import type { DoctorView } from "@consilium/core/hospital/doctorView";
import { exactFlowTexts } from "@consilium/core/hospital/exactFlow";
import { explainedStudyView } from "@consilium/core/hospital/explainedStudy";
import { policySuggestion } from "@consilium/core/hospital/policySuggestion";
import type { PolicyView } from "@consilium/core/hospital/policyViews";
import { profileRemarks } from "@consilium/core/hospital/profileRemarks";
import { formatProfile } from "@consilium/core/hospital/profileText";
import type { ProfileReportView, ProfileView } from "@consilium/core/hospital/profileViews";
import type { StudyFacts } from "@consilium/core/hospital/studyFacts";
import type { DecidedView, ExplainedStudyView } from "@consilium/core/hospital/studyViews";
import type { Methods } from "@consilium/core/method/methods";
import { judgeSite } from "../doctor/site.js";
import { readStudyYaml } from "../yaml/studyYaml.js";
import { type AgentClientOptions, agentClient } from "./agentClient.js";

/** What is put into words on this side of the socket. */
interface Worded {
  readonly study: (asked: AgentAsks<"study">) => Promise<ExplainedStudyView>;
  readonly approve: (asked: AgentAsks<"approve">) => Promise<DecidedView>;
  readonly ask: (asked: AgentAsks<"ask">) => Promise<DecidedView>;
  readonly refuse: (asked: AgentAsks<"refuse">) => Promise<DecidedView>;
  /** Of a study file, YAML or JSON. */
  readonly profile: (asked: { readonly study: string; readonly values: boolean }) => Promise<ProfileView>;
  /** With a text to begin with. */
  readonly policy: (asked: AgentAsks<"policy">) => Promise<PolicyView>;
  readonly policySave: (asked: AgentAsks<"policySave">) => Promise<PolicyView>;
  readonly doctor: (asked: AgentAsks<"doctor">) => Promise<DoctorView>;
  readonly studyProfile: (asked: AgentAsks<"studyProfile">) => Promise<ProfileView>;
}

/** The agent as the console and the command line have it: what it answers as facts is in words. */
export type HospitalAgent = Omit<AgentInterface, keyof Worded> & Worded;

/** The methods that are installed on this side of the socket. */
type InstalledMethods = () => Promise<Pick<Methods, "read">>;

/** A running site agent, asked over its Unix socket, and its answers as people see them. Throws as `agentClient` does. */
export function hospitalAgent({
  methods,
  ...options
}: AgentClientOptions & { readonly methods: InstalledMethods }): HospitalAgent {
  return inPeoplesWords(agentClient(options), methods);
}

export function inPeoplesWords(agent: AgentInterface, methods: InstalledMethods): HospitalAgent {
  const explained = async (facts: StudyFacts) => explainedStudyView(facts, await methods());
  const decided = async ({ study, connected }: AgentAnswers<"approve">): Promise<DecidedView> => ({
    study: await explained(study),
    connected,
  });
  return {
    ...agent,
    study: async (asked) => explained(await agent.study(asked)),
    approve: async (asked) => decided(await agent.approve(asked)),
    ask: async (asked) => decided(await agent.ask(asked)),
    refuse: async (asked) => decided(await agent.refuse(asked)),
    profile: async ({ study, values }) =>
      profiled(await agent.profile({ study: await readStudyYaml(study), values })),
    policy: async (asked) => ({ ...(await agent.policy(asked)), suggestion: policySuggestion }),
    policySave: async (asked) => ({ ...(await agent.policySave(asked)), suggestion: policySuggestion }),
    doctor: async (asked) => judgeSite(await agent.doctor(asked)),
    studyProfile: async (asked) => profiled(await agent.studyProfile(asked)),
  };
}

function profiled(report: ProfileReportView): ProfileView {
  return {
    report,
    text: formatProfile(report),
    flow: exactFlowTexts(report),
    remarks: profileRemarks(report),
  };
}
