// handoff.config.json (P42): every key optional, every unknown key an error that suggests the nearest one.
import { z } from "zod";
import { idSchema } from "./ids.js";

/** A path or a pattern: no control character and no half a character is part of a name that a person means. */
const pathText = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, "expected at least one character, and no control characters");

/** More places than this are a mistake, and each may be a walk over the whole workbench. */
const patterns = z.array(pathText).min(1).max(100);

/** Search patterns per artifact: fast-glob patterns relative to the root; `<task_id>` and `<session_id>` are filled in. First match wins. */
export const artifactPatternsSchema = z.strictObject({
  state: patterns.optional(),
  board: patterns.optional(),
  verification: patterns.optional(),
  review: patterns.optional(),
  feedback: patterns.optional(),
  scope_contract: patterns.optional(),
  scope_report: patterns.optional(),
  rule_report: patterns.optional(),
  last_known_good: patterns.optional(),
  overrides: patterns.optional(),
});

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  artifacts: artifactPatternsSchema.optional(),
  /** How many of the newest records the packet shows (K of P14). */
  last: z.int().min(0).max(30).optional(),
  /** Largest handoff.json, in bytes. */
  max_bytes: z.int().min(4096).max(16_777_216).optional(),
  topic: idSchema.optional(),
  /** The store's root, relative to the workbench root. */
  out: pathText.optional(),
  /** Templates that replace ours, relative to the workbench root. */
  templates: z
    .strictObject({
      handoff: pathText.optional(),
      brief: pathText.optional(),
      pr_body: pathText.optional(),
    })
    .optional(),
  redaction: z
    .strictObject({
      /** Further secrets, as regular expressions; each match becomes `[redacted:<name>]`. */
      patterns: z.record(z.string().regex(/^[a-z0-9-]+$/), z.string().min(1)).optional(),
      /** Regular expressions of strings that are never secrets. */
      allow: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  rotation: z
    .strictObject({
      enabled: z.boolean().optional(),
      window: z.int().positive().optional(),
      headroom: z.int().positive().optional(),
      max_generations: z.int().positive().optional(),
      max_consecutive_degraded: z.int().positive().optional(),
    })
    .optional(),
  rollover: z
    .strictObject({
      /** Where a lead writes its handover, relative to the workbench; `{pane}` is its pane's number. `auto`: it writes none. */
      handover_path: pathText,
      require_operator_confirm: z.boolean().optional(),
      max_doc_age_seconds: z.int().min(1).max(604_800).optional(),
      turn_settle_seconds: z.int().min(1).max(3600).optional(),
      clear_settle_seconds: z.int().min(1).max(3600).optional(),
      /** The fresh session's first prompt; `{path}` is the packet's handoff.md. */
      bootstrap_text: pathText.max(500).optional(),
    })
    .optional(),
});

export type HandoffConfig = z.infer<typeof configSchema>;
export type ArtifactPatterns = z.infer<typeof artifactPatternsSchema>;
