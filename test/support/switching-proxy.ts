import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy in front of several servers. New connections go to the current one; older ones stay where they are. */
export interface SwitchingProxy {
  readonly port: number
  leadTo(port: number): void
  /** The number of connections to a server. */
  leadingTo(port: number): number
  close(): Promise<void>
}

export async function switchingProxy(first: number): Promise<SwitchingProxy> {
  let target = first
  const open = new Map<Socket, number>()
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1')
    open.set(incoming, target)
    incoming.pipe(outgoing).pipe(incoming)
    const end = () => {
      open.delete(incoming)
      incoming.destroy()
      outgoing.destroy()
    }
    for (const socket of [incoming, outgoing]) socket.on('error', end).on('close', end)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (port) => {
      target = port
    },
    leadingTo: (port) => [...open.values()].filter((to) => to === port).length,
    async close() {
      server.close()
      for (const socket of open.keys()) socket.destroy()
      await once(server, 'close')
    },
  }
}
