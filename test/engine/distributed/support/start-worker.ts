import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A worker in its own process, which ends with the test. */
export async function startWorker({ url, service, leaseMs }: { url: string; service: string; leaseMs: number }) {
  const script = join(import.meta.dirname, 'worker.ts')
  const child = spawn(process.execPath, [script, url, service, String(leaseMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  const ready = once(child.stdout, 'data')
  await Promise.race([
    ready,
    ended.then((how) => {
      throw new Error(`a worker ended with ${how} before it was ready`)
    }),
  ])
  return {
    pid: child.pid,
    /** The exit code, or the signal that ended it. */
    ended,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
