// What init and doctor need of an agent: where its settings lie, which hooks it gets, how its shell reads a command, and
// what only it can tell about them. No agent is known here.
import type { AgentName } from "./agent.js";

/** A workbench's own settings, or those of the person for every project. */
export type SettingsScope = "project" | "user";

/** Where settings are looked for. */
export interface SettingsPlace {
  /** Absolute path of the workbench. */
  readonly root: string;
  /** The person's home folder. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** One hook as the agent's settings have it. */
export interface HookWish {
  /** The event in the agent's own spelling; also the last word of the command. */
  readonly event: string;
  /** The tools it is for, as the agent's settings name them; null: the event has no such choice. */
  readonly matcher: string | null;
  /** Further members of the handler, behind `type` and `command`. */
  readonly fields: Readonly<Record<string, string | number>>;
}

/** Settings that are a JSON object with `hooks`, which others write in too: ours are merged in. */
export interface HooksForm {
  readonly kind: "hooks";
  /** The file's name below the agent's folder. */
  readonly file: string;
  readonly hooks: readonly HookWish[];
  /** What follows the command so that it ends well even when our program is gone (A2). */
  readonly guard: string;
  /** The agent passes comments and trailing commas over. */
  readonly allowsComments: boolean;
  /** Why the agent itself ignores a file with this text that is JSON all the same; null: it reads it. */
  readonly whyIgnored: (text: string) => string | null;
  /** What the agent does with a file that it cannot read, as the end of a sentence. */
  readonly ifIgnored: string;
}

/** A file of ours alone. */
export interface OwnFileForm {
  readonly kind: "own_file";
  /** The file's name below the agent's folder, folders included. */
  readonly file: string;
  /** @param command the program and its first words, quoted: an event's name may follow */
  readonly text: (command: string) => string;
  readonly isOurs: (text: string) => boolean;
}

/** Where an agent keeps the tool servers that it starts (MCP), ours among those of others. */
export interface ServersForm {
  readonly format: "json" | "toml";
  /** Absolute path of the file. */
  readonly file: (scope: SettingsScope, place: SettingsPlace) => string;
  /** How many folders above the file are there for such settings only. */
  readonly folders: (scope: SettingsScope) => number;
  /** The member or table that holds the servers by their names. */
  readonly servers: string;
  /** Further members of ours: lists that hold at least this. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** What the agent does with a file that it cannot read, as the end of a sentence. */
  readonly ifIgnored: string;
  /** What a person has to do once before a new server is started; null: nothing. */
  readonly beforeFirstUse: (scope: SettingsScope) => string | null;
  /** What only this agent can tell of a server that is installed. Never throws for what it finds. Absent: nothing. */
  readonly examine?: (
    name: string,
    scope: SettingsScope,
    place: SettingsPlace,
  ) => Promise<readonly HookFinding[]>;
}

/** One thing that was looked at. `ok` null: it could not be. */
export interface HookFinding {
  readonly ok: boolean | null;
  readonly what: string;
  /** What to do about it. */
  readonly hint: string | null;
}

/** Our plugin (templates/plugin) has the same hooks. */
export const PLUGIN_TOO: HookFinding = {
  ok: null,
  what: "the handoff plugin is installed as well: every hook runs twice",
  hint: "keep one of them: handoff init --uninstall, or remove the plugin",
};

/** Hooks of ours that are installed for an agent. */
export interface InstalledHooks {
  readonly scope: SettingsScope;
  /** Absolute path of the settings file. */
  readonly file: string;
}

/** The settings side of an agent. */
export interface AgentSettings {
  readonly name: AgentName;
  /** Its name for people. */
  readonly title: string;
  /** Its program on PATH. */
  readonly program: string;
  /** Absolute path of the folder with its settings; that it exists says that the agent is used. */
  readonly folder: (scope: SettingsScope, place: SettingsPlace) => string;
  readonly form: HooksForm | OwnFileForm;
  /** Absent: we put no tool server there. */
  readonly servers?: ServersForm;
  /** What a person has to do once before new or changed hooks run; null: nothing. */
  readonly beforeFirstUse: (scope: SettingsScope) => string | null;
  /** What only this agent can tell of hooks that are installed. Never throws for what it finds. */
  readonly examine: (
    installed: readonly InstalledHooks[],
    place: SettingsPlace,
  ) => Promise<readonly HookFinding[]>;
}
