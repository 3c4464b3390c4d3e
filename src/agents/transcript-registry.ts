// The agents whose transcripts we read: one line each. Apart from the registry of hooks, which load nothing they do not use.
import type { TranscriptSpeech } from "./transcript.js";
import { claudeCodeTranscripts } from "./claude-code/transcript-speech.js";
import { codexTranscripts } from "./codex/transcript-speech.js";

/** Every agent with transcripts. */
export const TRANSCRIPT_SPEECHES: readonly TranscriptSpeech[] = [codexTranscripts, claudeCodeTranscripts];
