import { connect, type Socket } from 'node:net'

export interface Load {
  /** The number of answers in that time. */
  requests(milliseconds: number): Promise<number>
  close(): void
}

/**
 * A client that uses almost no processor time, so that the server is what is measured. It sends the same GET on
 * `connections` sockets, each time as soon as the previous one is answered. Answers must have a Content-Length.
 */
export async function openLoad(
  url: string,
  headers: Readonly<Record<string, string>>,
  connections: number,
): Promise<Load> {
  const { hostname, port, pathname, host } = new URL(url)
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const message = Buffer.from(`GET ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const sockets = await Promise.all(Array.from({ length: connections }, () => opened(Number(port), hostname)))
  return {
    async requests(milliseconds) {
      const until = performance.now() + milliseconds
      const counts = await Promise.all(sockets.map((socket) => keepAsking(socket, message, until)))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

function opened(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

function keepAsking(socket: Socket, message: Buffer, until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let answers = 0
    let received = 0
    let expected = 0
    const take = (chunk: Buffer) => {
      if (received === 0) expected = lengthOf(chunk)
      received += chunk.length
      if (received < expected) return
      received = 0
      answers += 1
      if (performance.now() < until) socket.write(message)
      else settle(() => resolve(answers))
    }
    const fail = (error: Error) => settle(() => reject(error))
    const settle = (then: () => void) => {
      socket.off('data', take).off('error', fail)
      then()
    }
    socket.on('data', take).on('error', fail)
    socket.write(message)
  })
}

/** The length of a whole answer with its head, read from its first piece. Throws unless the status is 200. */
function lengthOf(chunk: Buffer): number {
  const text = chunk.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1]
  if (!text.startsWith('HTTP/1.1 200 ') || end < 0 || length === undefined) throw new Error(`not expected: ${text}`)
  return end + 4 + Number(length)
}
