// The three severities of a risk. Foreign words are mapped in map-severity.ts.
import { z } from "zod";

export const severitySchema = z.enum(["block", "warn", "info"]);
export type Severity = z.infer<typeof severitySchema>;
