import { connect } from 'node:net'

/** Longer than the service may take to answer or to hang up once the other side has nothing more to say. */
const PATIENCE_MS = 5000

/** Writes bytes to a socket, ends its side of it and resolves with all that came back; `silent` when it never ended. */
export function rawExchange(origin: string, pieces: readonly (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => {
      for (const piece of pieces) socket.write(piece)
      socket.end()
    })
    let answer = ''
    socket.setEncoding('latin1')
    socket.setTimeout(PATIENCE_MS, () => {
      answer = 'silent'
      socket.destroy()
    })
    socket.on('data', (chunk) => {
      answer += chunk
    })
    // The service may hang up in the middle of what it does not want.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(answer))
  })
}
