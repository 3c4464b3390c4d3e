// A failure that is the protocol's to tell: an error in place of a result. The SDK's own error puts its number into the words.

/** Thrown by a handler; code and data go to the client with the message. */
export class ProtocolFault extends Error {
  override readonly name = "ProtocolFault";
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }
}
