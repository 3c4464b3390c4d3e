// The active packet as a resource: both of its files, as they are now. They are listed also when there is no packet: one may
// be there a moment later, and clients ask for the list once.
import { ErrorCode, type ReadResourceResult, type Resource } from "@modelcontextprotocol/sdk/types.js";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { UsageError } from "../model/errors.js";
import { locatePacket, packetOf } from "../session/locate-packet.js";
import { jsonText } from "../text/json-text.js";
import { openCall } from "./call-place.js";
import { ProtocolFault } from "./protocol-fault.js";
import type { ToolCall } from "./tool.js";

const MARKDOWN = "handoff://packet/active";
const JSON_URI = "handoff://packet/active.json";

/** What the protocol says where there is no such resource. */
export const NOT_FOUND = -32_002;

/** The list. */
export const PACKET_RESOURCES: readonly Resource[] = [
  {
    uri: MARKDOWN,
    name: "active-packet",
    title: "Active packet",
    description:
      "handoff.md: the packet that the next session of this branch starts from, for people and models",
    mimeType: "text/markdown",
  },
  {
    uri: JSON_URI,
    name: "active-packet-json",
    title: "Active packet (JSON)",
    description: "handoff.json: the same packet for programs, with the source of every fact",
    mimeType: "application/json",
  },
];

/** Reads one. Throws ProtocolFault for an address that is none of ours, HandoffError for a packet that is not there or no use. */
export async function readPacketResource(uri: string, call: ToolCall): Promise<ReadResourceResult> {
  if (uri !== MARKDOWN && uri !== JSON_URI)
    throw new ProtocolFault(
      ErrorCode.InvalidParams,
      `there is no resource of this address; there are ${MARKDOWN} and ${JSON_URI}`,
    );
  const workbench = await openCall(call.place, call);
  const found = await locatePacket(workbench);
  if (uri === JSON_URI) {
    const packet = workbench.redactor.redactStrings(packetOf(found)).value;
    return { contents: [{ uri, mimeType: "application/json", text: `${jsonText(packet)}\n` }] };
  }
  const read = await readArtifactFile(found.out, found.markdown_path);
  if (read.status !== "read")
    throw new UsageError(
      "packet.unreadable",
      `cannot be shown: ${read.status.replaceAll("_", " ")}`,
      "handoff check says what is wrong; generate it again",
      { path: found.markdown_path },
    );
  return {
    contents: [{ uri, mimeType: "text/markdown", text: workbench.redactor.redactText(read.text).text }],
  };
}
