// The public API of handoff-packet. Everything a runner, a hook or a CI job of one's own needs; nothing of the command line.
export { generateHandoff, type GeneratedHandoff, type GenerateOptions } from "./generate/generate-handoff.js";
export type { AgentState, Loaded, ReviewReport, TaskBoard, VerificationReport } from "./model/artifacts.js";
export { configSchema, type HandoffConfig } from "./model/config.js";
export type { ArtifactName, Diagnostic, DiagnosticCode } from "./model/diagnostic.js";
export { EXIT, HandoffError, RefusalError, UsageError } from "./model/errors.js";
export type { FailureGroup, FeedbackRecord, FeedbackScan } from "./model/feedback.js";
export { handoffPacketSchema, type HandoffPacket, type HandoffReason } from "./model/packet.js";
export { type RunEventLine, runEventSchema } from "./model/run-events.js";
export { type RunLedger, runLedgerSchema } from "./model/run-ledger.js";
export type { GitFacts, WorkbenchSnapshot } from "./model/snapshot.js";
export type { PacketOptions } from "./packet/build-packet.js";
export { packetId } from "./packet/packet-id.js";
export { createRedactor, type Redactor, type RedactorOptions } from "./redact/create-redactor.js";
export { mergePrBody } from "./render/merge-pr-body.js";
export { type BriefOptions, renderBrief } from "./render/render-brief.js";
export { renderJson } from "./render/render-json.js";
export { type MarkdownOptions, renderMarkdown } from "./render/render-markdown.js";
export { type PrBodyOptions, renderPrBody } from "./render/render-pr-body.js";
export { type ChosenWindow, chooseWindow, type WindowFacts } from "./rotation/choose-window.js";
export { classifyError, type ErrorClass, type FailureFacts } from "./rotation/classify-error.js";
export { decide, type Decision, type DecisionFacts, foldReading } from "./rotation/decide.js";
export { defaultWindow } from "./rotation/default-window.js";
export { isOverflow } from "./rotation/is-overflow.js";
export { type ParsedReply, parseSections } from "./rotation/parse-sections.js";
export {
  checkHeadroom,
  DEFAULT_POLICY,
  type RotationPolicy,
  type Thresholds,
  thresholds,
} from "./rotation/policy.js";
export { contextOf, type Usage } from "./rotation/reading.js";
export { retryDelay } from "./rotation/retry-delay.js";
export { runRotation, type RunBeginning } from "./rotation/run-rotation.js";
export type { RunAgent, RunEnd, RunPlan, RunPorts, RunProgress } from "./rotation/run-options.js";
export { publishPacket, type Publication, type Published } from "./store/publish-packet.js";
export { describeDiagnostic, hintFor } from "./text/diagnostic-text.js";
export { findRoot } from "./workbench/find-root.js";
export { loadConfig } from "./workbench/load-config.js";
export { type LoadOptions, loadSnapshot } from "./workbench/load-snapshot.js";
export { driverOf } from "./agents/drivers.js";
export { openWorkbench, type Workbench, type WorkbenchPlace } from "./session/open-workbench.js";
export { prepareBrief, type PreparedBrief } from "./session/prepare-brief.js";
export { publishSession, type PublishedSession, type PublishOptions } from "./session/publish-session.js";
