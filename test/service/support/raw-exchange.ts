import { connect } from 'node:net'

/** Longer than the service may take to answer or to close the connection when the other side sends nothing more. */
const MAX_WAIT_MS = 250_000

export interface RawExchangeOptions {
  /** The milliseconds after which to end our side, for incomplete requests; if absent, the service ends first. */
  readonly hangUpAfterMs?: number
}

/** Writes bytes to a socket and resolves with everything that came back; `silent` if the service never closed it. */
export function rawExchange(
  origin: string,
  pieces: readonly (string | Uint8Array)[],
  { hangUpAfterMs }: RawExchangeOptions = {},
): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: hostname }, () => {
      for (const piece of pieces) socket.write(piece)
    })
    const hangUp = hangUpAfterMs === undefined ? undefined : setTimeout(() => socket.end(), hangUpAfterMs)
    let answer = ''
    socket.setEncoding('latin1')
    socket.setTimeout(MAX_WAIT_MS, () => {
      answer = 'silent'
      socket.destroy()
    })
    socket.on('data', (chunk) => {
      answer += chunk
    })
    // The service may close the connection in the middle of a request that it refuses.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(hangUp)
      resolve(answer)
    })
  })
}
