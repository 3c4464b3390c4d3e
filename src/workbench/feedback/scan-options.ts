// What a caller asks of a scan, and how a scan does it.

export interface ScanOptions {
  /** Command keys for which it matters whether any record ran them with exit 0. */
  readonly watch: readonly string[];
  /** Folder of the cursor (P20), made on need; null: no cursor. */
  readonly cacheDir: string | null;
  /** Read everything, whatever the cursor says; the cursor is written anew. */
  readonly rescan: boolean;
  /** Called now and then with the bytes read so far. */
  readonly onProgress?: (progress: { bytes: number; totalBytes: number }) => void;
  readonly maxGroups?: number;
}

/** How a scan reads; tests choose, everyone else takes the best there is. */
export interface ScanMachinery {
  /** `plain` parses every line, and has no cursor; `best` is the kernel where it runs and pays. */
  readonly reader: "best" | "kernel" | "plain";
  /** Size of the block the file is read by; at most about 1 MiB with the kernel. */
  readonly blockBytes?: number;
  /** Bytes from which on a cursor is kept, and is renewed. */
  readonly cursorFrom?: number;
}
