import { connect } from 'node:net'

/** Longer than the service may take to answer or to hang up once the other side has nothing more to say. */
const MAX_WAIT_MS = 250_000

export interface RawExchangeOptions {
  /** After how many milliseconds to end one's own side, for requests that are not whole; else the service ends first. */
  readonly hangUpAfterMs?: number
}

/** Writes bytes to a socket and resolves with all that came back; `silent` when the service never hung up. */
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
    // The service may hang up in the middle of what it does not want.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(hangUp)
      resolve(answer)
    })
  })
}
